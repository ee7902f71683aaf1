// What does the journal keep of what a person says at undo?
import { afterEach, expect, test } from "bun:test";
import type { Choice } from "../../src/core/vocabulary.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { intended, newCall, newIntent, newRead, newRun } from "./calls.ts";
import { cleanUp, start } from "./fixture.ts";

afterEach(cleanUp);
test("P6: a choice at undo is a decision with a name, the latest one counts, and it approves no call", async () => {
  const { file, journal, run } = await start();
  const other = await journal.openRun(newRun());
  const [first, second, elsewhere] = [
    await intended(journal, newIntent(run.id)),
    await intended(journal, newIntent(run.id)),
    await intended(journal, newIntent(other.id)),
  ];
  expect(await journal.recordChoice(first, "skip", "ada")).toMatchObject({ action: first, kind: "deny", by: "ada", reasons: ["skip"] });
  expect(await journal.recordChoice(second, "skip", "ada")).toMatchObject({ kind: "deny" });
  expect(await journal.recordChoice(second, "overwrite", "bob")).toMatchObject({ kind: "allow", by: "bob", expiresAt: null });
  await journal.recordChoice(elsewhere, "skip", "ada");
  expect(await journal.choices(run.id)).toEqual(
    new Map<string, ReadonlySet<Choice>>([
      [first, new Set(["skip"])],
      [second, new Set(["overwrite"])],
    ]),
  );
  expect(await journal.standing(newCall(run.id).callKey)).toEqual({ kind: "none" });
  expect(await verifyJournal(file)).toMatchObject({ kind: "intact" });
});

test("P6: there is no choice about a call that was never sent, and a denial in the same word is none", async () => {
  const { journal, run } = await start();
  const held = await journal.hold(newCall(run.id), "unmentioned");
  await expect(journal.recordChoice(held.id, "overwrite", "ada")).rejects.toMatchObject({ code: "refused" });
  expect(await journal.decisions(held.id)).toHaveLength(1);
  await journal.deny(held.id, "ada", "skip");
  expect(await journal.choices(run.id)).toEqual(new Map());
});

test.each(["applied", "failed"] as const)("P4: a person says that an unknown call %s, once, and the record says who", async (became) => {
  const { file, journal, run } = await start();
  const action = await intended(journal, newIntent(run.id));
  await expect(journal.resolve(action, became, "ada")).rejects.toMatchObject({ code: "refused" });
  await journal.settle(action, { status: "unknown", reason: "reply-lost" });
  expect(await journal.resolve(action, became, "ada")).toMatchObject({ action, by: "ada", reasons: [became] });
  expect(await journal.action(action)).toMatchObject({ status: became, reason: "resolved-by-person" });
  await expect(journal.resolve(action, became, "bob")).rejects.toMatchObject({ code: "refused" });
  expect(await journal.decisions(action)).toHaveLength(1);
  expect(await verifyJournal(file)).toMatchObject({ kind: "intact" });
});

test("nothing is said about an action that isn't there", async () => {
  const { journal, run } = await start();
  journal.recordFinished(newRead(run.id));
  await expect(journal.resolve("nosuchaction", "applied", "ada")).rejects.toMatchObject({ code: "not-found" });
  await expect(journal.recordChoice("nosuchaction", "skip", "ada")).rejects.toMatchObject({ code: "not-found" });
});
