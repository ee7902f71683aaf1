import { afterEach, expect, test } from "bun:test";
import {
  ACTION_CLASSES,
  ACTION_STATUSES,
  type ActionStatus,
  DECISION_KINDS,
  REASONS,
  RUN_KINDS,
  RUN_STATES,
  SNAPSHOT_STATES,
  TRANSITIONS,
} from "../../src/core/vocabulary.ts";
import { Connection } from "../../src/journal/connection.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { intended, newCall, newIntent, newRead } from "./calls.ts";
import { cleanUp, start } from "./fixture.ts";

afterEach(cleanUp);
test("an action changes its status as the table of transitions says, and in no other way", async () => {
  const { file, journal, run } = await start();
  const action = await intended(journal, newIntent(run.id));
  const behind = new Connection(file, "write");
  behind.script("PRAGMA synchronous=OFF");
  for (const from of ACTION_STATUSES) {
    for (const to of ACTION_STATUSES) {
      behind.change("UPDATE actions SET status = ?, reason = NULL WHERE id = ?", from, action);
      const moved = journal.move(action, from, to, "drift", "why");
      const change = `${from} -> ${to}`;
      if (TRANSITIONS[from].includes(to)) {
        expect([change, await moved]).toEqual([change, true]);
        expect(await journal.action(action)).toMatchObject({ status: to, reason: "drift", detail: "why" });
      } else {
        await expect(moved).rejects.toMatchObject({ code: "bug" });
        expect(await journal.action(action)).toMatchObject({ status: from, reason: null });
      }
    }
  }
  behind.close();
});

test("a change of status that expects another one than there is changes nothing", async () => {
  const { journal, run } = await start();
  const action = await intended(journal, newIntent(run.id));
  expect(await journal.move(action, "applied", "undoing", null)).toBe(false);
  expect(await journal.settle(action, { status: "applied", reason: null })).toBe(true);
  expect(await journal.settle(action, { status: "failed", reason: "tool-error" })).toBe(false);
  expect(await journal.action(action)).toMatchObject({ status: "applied", reason: null });
});

test("an action begins in a status that a new one may have", async () => {
  const { journal, run } = await start();
  await intended(journal, newIntent(run.id));
  await journal.hold(newCall(run.id), "unmentioned");
  for (const status of ["applied", "failed", "denied"] as const) journal.recordFinished(newRead(run.id, { status }));
  await journal.flush();
  const begun = (await journal.actions(run.id)).map(({ status }) => status);
  expect(new Set<ActionStatus>(begun)).toEqual(new Set(TRANSITIONS.new));
});

test.each([
  ["runs", "kind", RUN_KINDS],
  ["runs", "state", RUN_STATES],
  ["actions", "class", ACTION_CLASSES],
  ["actions", "status", ACTION_STATUSES],
  ["actions", "reason", REASONS],
  ["actions", "snapshot_state", SNAPSHOT_STATES],
  ["actions", "post_state", SNAPSHOT_STATES],
  ["decisions", "kind", DECISION_KINDS],
] as const)("the column %s.%s takes exactly the words of its vocabulary", async (table, column, words) => {
  const { file, journal, run } = await start();
  await journal.hold(newCall(run.id), "unmentioned");
  const connection = new Connection(file, "write");
  const set = (word: string | null) => connection.change(`UPDATE ${table} SET ${column} = ?`, word);
  for (const word of words) expect([word, set(word)]).toEqual([word, 1]);
  for (const word of ["", "Held", `${words[0]} `, `${words[0]}|${words[1]}`]) expect(() => set(word)).toThrow(/CHECK/);
  if (column === "reason") expect(set(null)).toBe(1);
  else expect(() => set(null)).toThrow(/NOT NULL/);
  connection.close();
});

test("setting a run's state is recorded, and a run that isn't there is not-found", async () => {
  const { journal, run } = await start();
  for (const state of RUN_STATES) {
    await journal.setRunState(run.id, state);
    expect((await findOnly(journal)).state).toBe(state);
  }
  await expect(journal.setRunState("nosuchrun", "ended")).rejects.toMatchObject({ code: "not-found" });
});

async function findOnly(journal: Journal) {
  const [only] = await journal.runs();
  if (only === undefined) throw new Error("no run");
  return only;
}
