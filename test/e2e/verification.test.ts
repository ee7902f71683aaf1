// Does a person, and the agent, learn that a success isn't one? And that a call wasn't let through since what it requires isn't so?
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { actions, runs, undo } from "../support/documents.ts";
import { makeNotes, NOTES_RULES } from "../support/notes.ts";
import { BUN } from "../support/sandbox.ts";

const READ = '{ tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }';
const RULES = NOTES_RULES.replace(
  'resource: "note:$.key"',
  `resource: "note:$.key"
    require: [{ name: "it isn't locked", read: { tool: "notes.get", args: { key: "lock" }, absent_when: ["no such note"] }, absent: true }]
    verify: [{ name: "it is written", read: ${READ}, expect: { value: "$.value" } }]`,
);

test("P4: a success that isn't one is an error to the agent, and list, show and the plan say so", async () => {
  using notes = makeNotes(RULES);
  await using agent = await Agent.start(notes);
  expect((await agent.call("set", { key: "b", value: "agent's" })).isError).toBeUndefined();
  notes.trouble("set", "pretend");
  const answer = await agent.call("set", { key: "a", value: "agent's" });
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toContain('it is written (notes.get): value is "first", not "agent\'s"');
  expect(answer.structuredContent).toEqual({ key: "a", value: "agent's" });
  await agent.end();
  expect(await actions(notes)).toMatchObject([
    { status: "applied", verification: "verified", checks: [{ when: "before" }, { when: "after", outcome: "pass" }] },
    { status: "applied", verification: "failed", checks: [{ when: "before" }, { when: "after", outcome: "fail" }] },
  ]);
  expect(await runs(notes)).toMatchObject([{ refuted: 1 }]);
  const shown = await notes.run("show");
  expect(shown.out).toContain("verified: it is written (notes.get)");
  expect(shown.out).toContain("verification failed: it is written (notes.get): value is");
  expect(shown.out).toContain("1 failed verification");
  expect((await notes.run("list")).out).toContain("1 call said success and failed verification");
  expect((await undo(notes, "--dry-run")).steps).toMatchObject([{ verification: "failed" }, { verification: "verified" }]);
  expect((await notes.run("undo", "--dry-run")).out).toContain("failed verification");
});

test("P2: a call whose requirement isn't met is refused with the reason, recorded, and can be made once it is", async () => {
  using notes = makeNotes(RULES);
  notes.setState({ next: 1, notes: { a: "first", lock: "ada" }, sent: [] });
  await using agent = await Agent.start(notes);
  const refused = await agent.call("set", { key: "a", value: "agent's" });
  expect(textOf(refused)).toContain("the policy requires first: it isn't locked (notes.get): it is there");
  expect(notes.state().notes["a"]).toBe("first");
  notes.setState({ next: 1, notes: { a: "first" }, sent: [] });
  expect((await agent.call("set", { key: "a", value: "agent's" })).isError).toBeUndefined();
  await agent.end();
  expect(await actions(notes)).toMatchObject([
    { status: "denied", reason: "requirement-failed" },
    { status: "applied", verification: "verified" },
  ]);
  expect((await undo(notes)).state).toBe("undone");
});

test("P4: a call is verified by another server that the agent never sees, and only that server's word counts", async () => {
  using notes = makeNotes();
  const args = [join(import.meta.dir, "../support/notes-server.ts"), "--state", join(notes.folder, "ledger.json")];
  const [servers = "", rules = ""] = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8").split("tools:");
  const check = `verify: [{ name: "the ledger has it", read: ${READ.replace("notes.get", "ledger.get")}, expect: { value: "$.value" } }]`;
  const ledger = `  ledger: { command: ${JSON.stringify(BUN)}, args: ${JSON.stringify(args)}, hidden: true }\n`;
  notes.write("synartesis.yaml", `${servers}${ledger}tools:${rules.replace("resource:", `${check}\n    resource:`)}`);
  writeFileSync(join(notes.folder, "ledger.json"), JSON.stringify({ next: 1, notes: { a: "booked" }, sent: [] }));
  await using agent = await Agent.start(notes);
  expect(textOf(await agent.call("set", { key: "a", value: "other" }))).toContain(
    `the ledger has it (the policy's own look): value is "booked", not "other"`,
  );
  expect((await agent.call("set", { key: "a", value: "booked" })).isError).toBeUndefined();
  await agent.end();
  expect((await actions(notes)).map(({ verification }) => verification)).toEqual(["failed", "verified"]);
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("first");
});
