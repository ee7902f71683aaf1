// Does everything get through a local socket, whole and in order, where one side is slower than the other? And where a socket can't be?
import { expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { connectLocally, type LocalStreams, listenLocally, removeLocalSocket } from "../../src/wire/local-socket.ts";

function folder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "synartesis-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

async function connected(path: string): Promise<{ near: LocalStreams; far: LocalStreams } & Disposable> {
  const { promise, resolve } = Promise.withResolvers<LocalStreams>();
  const stop = listenLocally(path, resolve);
  const near = await connectLocally(path);
  if (near === undefined) throw new Error("nobody listens");
  return { near, far: await promise, [Symbol.dispose]: stop };
}

test("a message much larger than what a socket holds arrives whole, both ways at once, though its reader takes its time", async () => {
  using place = folder();
  using both = await connected(join(place.path, "s"));
  const large = new Uint8Array(8 * 1024 * 1024).map((_, index) => 32 + (index % 90));
  const receive = async ({ input }: LocalStreams): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of input) {
      chunks.push(chunk);
      if (chunk.at(-1) === 0x0a) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return Buffer.concat(chunks);
  };
  both.near.output.write(large);
  both.far.output.write(large);
  const received = await Promise.all([receive(both.near), receive(both.far)]);
  for (const bytes of received) expect(Bun.hash(bytes.subarray(0, -1))).toBe(Bun.hash(large));
});

test("the other side's end is the end of the stream, and writing after that is told", async () => {
  using place = folder();
  using both = await connected(join(place.path, "s"));
  both.near.close();
  for await (const _ of both.far.input);
  both.far.output.write(new Uint8Array([1]));
  await both.far.output.drained();
  expect(both.far.output.closed).toBe(true);
});

test("where the path is too long for a socket, a link leads to it; both are gone when it stops listening", async () => {
  using place = folder();
  const deep = join(place.path, "deep/".repeat(30));
  mkdirSync(deep, { recursive: true });
  const path = join(deep, "s");
  const both = await connected(path);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  const elsewhere = readlinkSync(path);
  both[Symbol.dispose]();
  expect(existsSync(dirname(elsewhere))).toBe(false);
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined();
});

test("removing a socket removes nothing else, wherever a link in its place leads", () => {
  using place = folder();
  const path = join(place.path, "s");
  const victim = join(place.path, "synartesis-victim");
  mkdirSync(victim);
  writeFileSync(join(victim, "s"), "precious");
  symlinkSync(join(victim, "s"), path);
  removeLocalSocket(path);
  expect(existsSync(path)).toBe(false);
  expect(existsSync(join(victim, "s"))).toBe(true);
});

test("where nobody listens there is no connection, whatever lies there", async () => {
  using place = folder();
  const path = join(place.path, "s");
  expect(await connectLocally(path)).toBeUndefined();
  writeFileSync(path, "no socket");
  expect(await connectLocally(path)).toBeUndefined();
});
