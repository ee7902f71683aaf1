// Who else changed that thing, and what did all agents do since a moment?
import { afterEach, expect, test } from "bun:test";
import type { Action } from "../../src/journal/journal.ts";
import { intended, newCall, newIntent, newRead, newRun } from "./calls.ts";
import { cleanUp, start, tamper } from "./fixture.ts";

afterEach(cleanUp);
const ids = (actions: readonly Action[]) => actions.map(({ id }) => id);

test("later changes on a resource are found in every run, in order, without reads and what was never sent", async () => {
  const { journal, run } = await start();
  const other = await journal.openRun(newRun());
  const odd = 'crm:"\ud800';
  const on = (id: string, ...resources: string[]) => intended(journal, newIntent(id, { resources }));
  const earlier = await on(run.id, "crm:c1");
  const first = await on(run.id, "crm:c1", odd);
  const second = await on(other.id, "crm:c2", "crm:c1");
  const alike = await on(other.id, 'crm:"\ud801', "crm:c1 ", 'x"crm:c1', "crm:c11");
  const third = await on(run.id, odd);
  journal.recordFinished(newRead(run.id));
  await journal.hold(newCall(run.id), "unmentioned");
  await journal.flush();
  expect(ids(await journal.laterOn(["crm:c1"], earlier))).toEqual([first, second]);
  expect(ids(await journal.laterOn(["crm:c1", odd], first))).toEqual([second, third]);
  expect(ids(await journal.laterOn([odd], first))).toEqual([third]);
  expect(ids(await journal.laterOn(["crm:c11"], first))).toEqual([alike]);
  expect(await journal.laterOn([], earlier)).toEqual([]);
  await expect(journal.laterOn(["crm:c1"], "nosuchaction")).rejects.toMatchObject({ code: "not-found" });
});

test("a damaged row hides no other from who asks for later changes", async () => {
  const { file, journal, run } = await start();
  const [first, damaged, last] = [
    await intended(journal, newIntent(run.id)),
    await intended(journal, newIntent(run.id)),
    await intended(journal, newIntent(run.id)),
  ];
  tamper(file, "UPDATE actions SET resources = '[\"crm:c1' WHERE id = ?", damaged);
  expect(ids(await journal.laterOn(["crm:c1"], first))).toEqual([last]);
});

test("what agents changed since a moment is found across runs, in order, without undos and reads", async () => {
  const { journal, run } = await start();
  const other = await journal.openRun(newRun());
  const undo = await journal.openRun(newRun({ kind: "undo", undoes: run.id }));
  const at = (id: string, receivedAt: number) => intended(journal, newIntent(id, { receivedAt }));
  await at(run.id, 999);
  const first = await at(run.id, 1001);
  const second = await at(other.id, 1000);
  await at(undo.id, 1002);
  journal.recordFinished(newRead(run.id, { receivedAt: 1003 }));
  await journal.flush();
  expect(ids(await journal.actionsSince(1000))).toEqual([first, second]);
  expect(await journal.actionsSince(2000)).toEqual([]);
});
