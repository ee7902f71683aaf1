// Starts an odd server for a test and ends it afterwards.
import { serverEnvironment } from "../../src/upstream/environment.ts";
import { type ServerStart, startServer } from "../../src/upstream/stdio.ts";
import type { ServerExit, Upstream } from "../../src/upstream/upstream.ts";
import { parseMessage, type RequestMessage, type WireMessage } from "../../src/wire/message.ts";

const started: Upstream[] = [];

/** Ends what was started. Each file has to register this itself: a hook that a shared module registers counts for the first file alone. */
export async function endStarted(): Promise<void> {
  await Promise.all(started.splice(0).map((upstream) => upstream.close({ grace: 100 })));
}

/** What a started server has said so far. */
export interface Heard {
  readonly upstream: Upstream;
  readonly messages: WireMessage[];
  readonly logged: string[];
  readonly stderr: () => string;
  readonly exit: Promise<ServerExit>;
}

/** Starts an odd server with these flags. */
export async function startOdd(flags: readonly string[] = [], options: Partial<ServerStart> = {}): Promise<Heard> {
  const messages: WireMessage[] = [];
  const logged: string[] = [];
  const stderr: Uint8Array[] = [];
  const exited = Promise.withResolvers<ServerExit>();
  const upstream = await startServer({
    name: "odd",
    command: process.execPath,
    args: [`${import.meta.dir}/odd-server.ts`, ...flags],
    env: serverEnvironment({ PATH: process.env["PATH"] }, { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" }),
    cwd: import.meta.dir,
    log: { log: (_level, message) => void logged.push(message) },
    stderr: { write: (chunk) => stderr.push(chunk), flush: () => undefined, end: () => undefined },
    events: { onMessage: (message) => void messages.push(message), onExit: exited.resolve },
    ...options,
  });
  started.push(upstream);
  return { upstream, messages, logged, stderr: () => Buffer.concat(stderr).toString(), exit: exited.promise };
}

/** A request as a client sends it: its exact text. */
export function clientRequest(text: string): RequestMessage {
  const message = parseMessage(new TextEncoder().encode(text));
  if (message.kind !== "request") throw new Error(`no request: ${text}`);
  return message;
}

/** The exact text of a message. */
export function textOf(message: WireMessage | undefined): string {
  return new TextDecoder().decode(message?.bytes);
}

/** Waits until a condition holds; the test's own time limit is the end of it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Tells whether a process is alive and no zombie. */
export function isAlive(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}
