// What does --replan take from today's policy, and what does it do with an action that somebody has put back by hand?
import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ruleFor } from "../../src/core/match-rule.ts";
import type { Rule } from "../../src/core/policy.ts";
import { recordRule, storedRule } from "../../src/core/rule-record.ts";
import { gatherActions } from "../../src/undo/gather.ts";
import { replanActions } from "../../src/undo/replan.ts";
import { afterCrash, type UndoDocument } from "../crash/scene.ts";
import { intended, newIntent } from "../journal/calls.ts";
import { cleanUp, start } from "../journal/fixture.ts";
import { HEAD, policyOf } from "../manifest/texts.ts";
import { Agent } from "../support/agent.ts";
import { makeNotes, NOTES_RULES } from "../support/notes.ts";

afterEach(cleanUp);

test("P3: with --replan, an action that was permanent and is gone already counts as undone, without a call", async () => {
  using notes = makeNotes(
    NOTES_RULES.replace(
      'inverse: { tool: "notes.remove", args: { key: "$result.key" } }',
      'inverse: { tool: "notes.remove", args: { key: "$result.nowhere" } }',
    ),
  );
  await using agent = await Agent.start(notes);
  await agent.call("create", { value: "new" });
  await agent.end();
  const halted = await notes.json<UndoDocument>("undo");
  expect(halted.steps[0]).toMatchObject({ kind: "permanent", reason: "result-path-missing" });
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  notes.write("synartesis.yaml", manifest.replace("$result.nowhere", "$result.key"));
  notes.setState({ ...notes.state(), notes: { a: "first", b: "second", c: "third" } });
  const done = await notes.json<UndoDocument>("undo", "--replan", halted.run);
  expect(done.steps[0]).toMatchObject({ kind: "done", reason: "gone-already" });
  expect(done.state).toBe("undone");
  expect(notes.received().some(({ name }) => name === "remove")).toBe(false);
  await afterCrash(notes);
});

/** A change recorded under one rule for kv.set, as --replan gives it under another one. */
async function replanned(then: string, today: string) {
  const policy = (rule: string) => policyOf(`${HEAD}  - { match: kv.set, ${rule} }\n`);
  const { journal, run } = await start();
  const rule = ruleFor(policy(then), "kv", "set").rule as Rule; // the only one
  const action = await intended(
    journal,
    newIntent(run.id, {
      ...{ server: "kv", tool: "set", rule: storedRule(recordRule(rule)), args: { id: 1, by: 5 } },
      snapshot: { id: 1, name: "old", etag: "e1" },
      inverse: { server: "kv", tool: "set", args: { name: "old" } },
    }),
  );
  await journal.settle(action, { status: "applied", reason: null });
  const [before] = await gatherActions(journal, run, { find: () => undefined, close: () => undefined });
  const [after] = before === undefined ? [] : await replanActions(journal, [before], policy(today));
  return { before, after };
}

const THEN = "class: reversible, snapshot: { tool: kv.get }, inverse: { tool: kv.set, args: { name: $snapshot.name } }";

test("P3: with --replan, an action goes by all that today's rule says: inverse and its template, sets, identity, terms", async () => {
  const today =
    "class: compensable, snapshot: { tool: kv.get }, commutes: true, sets: [tags], identity: ['items[].sku'], undo: { within: 1h }, " +
    "inverse: { tool: kv.put, args: { etag: $current.etag, by: { from: $.by, negate: true } } }";
  const { before, after } = await replanned(THEN, today);
  expect(before?.rule.inverse).toMatchObject([{ tool: "set" }]);
  expect(after?.replanned).toEqual([{ server: "kv", tool: "put", args: { etag: "e1", by: -5 } }]);
  expect(after?.rule).toMatchObject({
    ...{ inverse: [{ server: "kv", tool: "put" }], commutes: true, undo: { within: 3_600_000 } },
    ...{ sets: [{ text: "tags" }], identity: [{ text: "items[].sku" }] },
  });
  const back = await replanned(today, THEN);
  for (const name of ["commutes", "sets", "identity", "undo"]) {
    expect(back.before?.rule).toHaveProperty(name);
    expect(back.after?.rule).not.toHaveProperty(name);
  }
});

test("P3: where today's rule has no way back for what was captured, the recorded one stays, call and template", async () => {
  const today = "class: reversible, snapshot: { tool: kv.get }, inverse: { tool: kv.put, args: { nowhere: $snapshot.nowhere } }";
  const { before, after } = await replanned(THEN, today);
  expect(after?.replanned).toBeUndefined(); // the stored call is what is sent
  expect(after?.rule.inverse).toBeDefined();
  expect(after?.rule.inverse).toEqual(before?.rule.inverse);
});
