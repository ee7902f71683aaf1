// Who gets a resource, and when? One at a time, in the order of asking, whatever the keys; and nobody waits for ever.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { createLocks } from "../../src/recorder/locks.ts";

test("P3: whoever asks for the same key waits in the order of asking; another key, or none, doesn't wait", async () => {
  const locks = createLocks();
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
  const locks = createLocks();
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

test("P3: whatever keys are asked for in whatever order, no two hold one key at once, and all of them get their turn", async () => {
  const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(keys, fc.nat(3)), { maxLength: 12 }), async (askers) => {
      const locks = createLocks();
      const held = new Set<string>();
      await Promise.all(
        askers.map(async ([wanted, turns]) => {
          const release = await locks.acquire(wanted);
          for (const key of wanted) expect(held.has(key)).toBe(false);
          for (const key of wanted) held.add(key);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          for (const key of wanted) held.delete(key);
          release();
        }),
      );
    }),
  );
});
