import { afterEach, expect, test } from "bun:test";
import { Connection } from "../../src/journal/connection.ts";
import { FileIdentity } from "../../src/journal/file-identity.ts";
import { Writer } from "../../src/journal/writer.ts";
import { afterwards, cleanUp, start } from "./fixture.ts";

afterEach(cleanUp);
test("P2: an intent that asks in the very moment in which a commit begins never shares one that doesn't wait for the disk", async () => {
  const { file } = await start();
  const connection = new Connection(file, "write");
  afterwards(() => connection.close());
  const writer = new Writer(connection, new FileIdentity(file), { clock: Date.now, newId: () => crypto.randomUUID() });
  let commitIsDurable = false;
  const seen: { asked: boolean; was: boolean }[] = [];
  const write = (durable: boolean) => writer.write(() => void seen.push({ asked: durable, was: commitIsDurable }), { durable });
  const begin = connection.begin.bind(connection);
  const late: Promise<void>[] = [];
  connection.begin = (durable) => {
    begin(durable);
    commitIsDurable = durable;
    // Somebody who waited for the same turn of the event loop asks now.
    if (late.length < 4) for (let turn = 0; turn < 4; turn++) late.push(afterMicrotasks(turn).then(() => write(true)));
  };
  await write(false);
  await Promise.all(late);
  expect(seen.filter(({ asked }) => asked)).toEqual([1, 2, 3, 4].map(() => ({ asked: true, was: true })));
});

async function afterMicrotasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined;
}
