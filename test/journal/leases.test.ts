// Whose turn is it among processes? In the order of asking, whatever the keys; the dead wait for nothing and hold nothing.
import { afterEach, expect, test } from "bun:test";
import { Connection } from "../../src/journal/connection.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { cleanUp, open, start, startProcess } from "./fixture.ts";

afterEach(cleanUp);
function rowsIn(file: string): number {
  const connection = new Connection(file, "read");
  try {
    return Number(connection.first("SELECT count(*) AS rows FROM leases")?.["rows"]);
  } finally {
    connection.close();
  }
}

test("P3: leases of one journal are had in the order of asking, over every key that two have in common, and by others at once", async () => {
  const { file, journal } = await start();
  const other = await open(file);
  const first = await journal.lease(["a", "b"]);
  const second = await other.lease(["b", "c", "b"]);
  const third = await journal.lease(["c"]);
  expect([first, second, third, await other.lease(["d"]), await other.lease([])].map(({ isFirst }) => isFirst)).toEqual([
    true,
    false,
    false,
    true,
    true,
  ]);
  expect([await other.isFirst(second), await journal.isFirst(third)]).toEqual([false, false]);
  await journal.release(first);
  expect([await other.isFirst(second), await journal.isFirst(third)]).toEqual([true, false]);
  await other.release(second);
  expect(await journal.isFirst(third)).toBe(true);
});

test("a lease that is given back, twice even, or whose journal is closed, leaves nothing, and the record is what it was", async () => {
  const { file, journal } = await start();
  const odd = "\ud800";
  const first = await journal.lease(["a", odd]);
  expect((await journal.lease([odd])).isFirst).toBe(false);
  expect((await journal.lease(["\ud801"])).isFirst).toBe(true);
  expect(await verifyJournal(file)).toMatchObject({ kind: "intact", events: 2 });
  await journal.release(first);
  await journal.release(first);
  expect(rowsIn(file)).toBe(2);
  await journal.close();
  expect(rowsIn(file)).toBe(0);
});

test("P3: a process that is killed holds nothing any more, and its place is cleared by who asks next", async () => {
  const { file, journal } = await start();
  const child = startProcess("lease-forever", file, "a");
  await child.stdout.getReader().read();
  const lease = await journal.lease(["a"]);
  expect(lease.isFirst).toBe(false);
  child.kill("SIGKILL");
  await child.exited;
  while (!(await journal.isFirst(lease))) await new Promise((resolve) => setTimeout(resolve, 5));
  await journal.release(lease);
  expect(rowsIn(file)).toBe(1);
  const next = await journal.lease(["a"]);
  expect(next.isFirst).toBe(true);
  await journal.release(next);
  expect(rowsIn(file)).toBe(0);
});
