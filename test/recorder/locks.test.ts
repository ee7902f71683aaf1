// Who gets a resource, and when? One at a time, in the order of asking, whatever the keys and the process; and nobody waits for ever.
import { afterEach, expect, test } from "bun:test";
import fc from "fast-check";
import type { Journal } from "../../src/journal/journal.ts";
import { createLocks } from "../../src/recorder/locks.ts";
import { cleanUp, open, overridden, start } from "../journal/fixture.ts";

afterEach(cleanUp);

/** Locks as two processes have them: each with its own connection to one journal. */
async function twoProcesses() {
  const { file, journal } = await start();
  return [createLocks(journal), createLocks(await open(file))] as const;
}

test("P3: whoever asks for the same key waits in the order of asking; another key, or none, doesn't wait", async () => {
  const locks = createLocks((await start()).journal);
  const order: string[] = [];
  const first = await locks.acquire(["a"]);
  const enter = async (name: string, keys: string[]) => {
    const release = await locks.acquire(keys);
    order.push(name);
    return release;
  };
  const second = enter("second", ["b", "a"]);
  const third = enter("third", ["b"]);
  (await locks.acquire(["c"]))();
  (await locks.acquire([]))();
  expect(order).toEqual([]);
  first();
  (await second)();
  (await third)();
  expect(order).toEqual(["second", "third"]);
});

test("giving back twice lets nobody else in", async () => {
  const locks = createLocks((await start()).journal);
  const first = await locks.acquire(["a"]);
  first();
  const second = await locks.acquire(["a"]);
  first();
  let entered = false;
  const third = locks.acquire(["a"]).then((release) => {
    entered = true;
    release();
  });
  await Promise.resolve();
  expect(entered).toBe(false);
  second();
  await third;
});

test("P3: whatever keys are asked for in whatever order and process, no two hold one key at once, and all of them get their turn", async () => {
  const processes = await twoProcesses();
  const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(keys, fc.nat(3), fc.constantFrom(0, 1)), { maxLength: 12 }), async (askers) => {
      const held = new Set<string>();
      await Promise.all(
        askers.map(async ([wanted, turns, at]) => {
          const release = await (processes[at] as (typeof processes)[0]).acquire(wanted);
          for (const key of wanted) expect(held.has(key)).toBe(false);
          for (const key of wanted) held.add(key);
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
          for (const key of wanted) held.delete(key);
          release();
        }),
      );
    }),
    { numRuns: 40 },
  );
});

test("P3: a process that asks again and again for one key lets another one in between", async () => {
  const [busy, other] = await twoProcesses();
  const order: string[] = [];
  const enter = async (locks: typeof busy, name: string) => {
    const release = await locks.acquire(["a"]);
    order.push(name);
    release();
  };
  const first = await busy.acquire(["a"]);
  const behind = enter(other, "other");
  const mine = Array.from({ length: 5 }, () => enter(busy, "busy"));
  // It stands in line once the journal knows of it.
  await other.acquire(["b"]).then((release) => release());
  expect(order).toEqual([]);
  first();
  await Promise.all([behind, ...mine]);
  expect(order).toEqual(["other", "busy", "busy", "busy", "busy", "busy"]);
});

test.each([0, 1])("who is cancelled while waiting goes on at once without the key, and holds up nobody (%i)", async (at) => {
  const processes = await twoProcesses();
  const [locks] = processes;
  const first = await locks.acquire(["a"]);
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>();
  const waiting = (processes[at] as typeof locks).acquire(["a"], cancelled);
  const next = locks.acquire(["a"]);
  cancel();
  (await waiting)();
  first();
  (await next)();
  (await (processes[at] as typeof locks).acquire(["a"]))();
});

test("where the journal can't be written, who asks is told, and who asks later is let in", async () => {
  const { journal } = await start();
  let refuses = true;
  const lease: Journal["lease"] = (keys) => (refuses ? Promise.reject(new Error("the disk is full")) : journal.lease(keys));
  const locks = createLocks(overridden(journal, { lease }));
  await expect(locks.acquire(["a"])).rejects.toThrow("the disk is full");
  refuses = false;
  (await locks.acquire(["a"]))();
});

test("what couldn't be given back is given back as soon as the journal can be written again", async () => {
  const { file, journal } = await start();
  let refuses = true;
  const release: Journal["release"] = (lease) => (refuses ? Promise.reject(new Error("the disk is full")) : journal.release(lease));
  (await createLocks(overridden(journal, { release })).acquire(["a"]))();
  const other = createLocks(await open(file));
  let isIn = false;
  const waiting = other.acquire(["a"]).then((letGo) => {
    isIn = true;
    letGo();
  });
  (await other.acquire(["b"]))();
  expect(isIn).toBe(false);
  refuses = false;
  await waiting;
});
