// What does standing in between cost at the least? Starts the command it is given and hands bytes on as they come, on the streams that the
// proxy uses too. Never looks at a byte.
//   relay COMMAND ARGS...
import type { ByteSink } from "../src/wire/peer.ts";

const [command, ...args] = process.argv.slice(2);
if (command === undefined) throw new Error("usage: relay COMMAND ARGS...");
const child = Bun.spawn([command, ...args], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });

/** Hands on every chunk at once; waits only where the other side doesn't take it. */
async function pump(from: ReadableStream<Uint8Array>, to: ByteSink): Promise<void> {
  const reader = from.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const written = to.write(next.value);
    const flushed = to.flush();
    if (written instanceof Promise || flushed instanceof Promise) await Promise.all([written, flushed]);
  }
}

const back = pump(child.stdout, Bun.stdout.writer());
await pump(Bun.stdin.stream(), child.stdin);
await child.stdin.end();
await back;
