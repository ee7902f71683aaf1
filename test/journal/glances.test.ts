// Does a glance at a long run show what is there, and no more than is asked for?
import { afterEach, expect, test } from "bun:test";
import { intended, newIntent, newRead } from "./calls.ts";
import { cleanUp, start } from "./fixture.ts";

afterEach(cleanUp);

test("the tally counts every call once, by class, status and verification", async () => {
  const { journal, run } = await start();
  const [done] = [await intended(journal, newIntent(run.id)), await intended(journal, newIntent(run.id))];
  await journal.settle(done, { status: "applied", reason: null });
  await journal.addVerification(done, "failed", []);
  journal.recordFinished(newRead(run.id));
  await journal.flush();
  const tallies = (await journal.tally(run.id)).map(({ class: kind, status, verification, calls }) =>
    [kind, status, verification, calls].join(" "),
  );
  expect(tallies.toSorted()).toEqual(["readonly applied  1", "reversible applied failed 1", "reversible intended  1"]);
});

test("a window of a run holds exactly the calls between two numbers, of that run", async () => {
  const { file, journal, run } = await start();
  const other = await start({ file });
  await intended(other.journal, newIntent(other.run.id));
  for (let made = 0; made < 5; made += 1) await intended(journal, newIntent(run.id));
  expect((await journal.actionsBetween(run.id, 2, 4)).map(({ run: of, seq }) => [of, seq])).toEqual([2, 3, 4].map((seq) => [run.id, seq]));
  expect(await journal.actionsBetween(run.id, 6, 9)).toEqual([]);
});

test("calls are found by what is shown of them, whatever the case, and nothing in the text is a pattern", async () => {
  const { journal, run } = await start();
  await intended(journal, { ...newIntent(run.id), server: "crm", tool: "Update_100%" });
  await intended(journal, { ...newIntent(run.id), server: "mail", tool: "send" });
  expect(await journal.numbersMatching(run.id, "crm.update")).toEqual([1]);
  expect(await journal.numbersMatching(run.id, "0%")).toEqual([1]);
  expect(await journal.numbersMatching(run.id, "%")).toEqual([1]);
  expect(await journal.numbersMatching(run.id, "INTENDED")).toEqual([1, 2]);
  expect(await journal.numbersMatching(run.id, "nothing")).toEqual([]);
});

test("the mark changes when somebody else has written, and only then", async () => {
  const { file, journal } = await start();
  await journal.flush();
  const before = await journal.changeMark();
  expect(await journal.changeMark()).toBe(before);
  await start({ file });
  expect(await journal.changeMark()).not.toBe(before);
});
