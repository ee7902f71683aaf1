// Who knocks at a proxy's control socket in these tests? Raw lines over a raw socket, as an agent with a shell could send them.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "./sandbox.ts";

export interface ControlReply {
  readonly id: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** One connection to a control socket. */
export interface RawControl extends Disposable {
  ask(method: string, params: object): Promise<ControlReply>;
  say(text: string): void;
  /** Resolves when the proxy ends the connection. */
  readonly ended: Promise<void>;
}

/** The control sockets beside the journal of a sandbox. */
export function controlSockets(sandbox: Sandbox): readonly string[] {
  const folder = join(sandbox.folder, ".synartesis");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sock"))
    .map((name) => join(folder, name));
}

/** Connects to the only one. */
export async function connectRaw(sandbox: Sandbox): Promise<RawControl> {
  const [path, ...more] = controlSockets(sandbox);
  if (path === undefined || more.length > 0) throw new Error(`not one control socket: ${[path, ...more]}`);
  const waiting = new Map<number, (reply: ControlReply) => void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let said = "";
  const take = (line: string) => {
    const reply = JSON.parse(line) as ControlReply;
    waiting.get(reply.id)?.(reply);
  };
  const socket = await Bun.connect({
    unix: path,
    socket: {
      data(_socket, chunk) {
        const lines = (said + chunk.toString()).split("\n");
        said = lines.pop() ?? "";
        for (const line of lines) take(line);
      },
      close: () => end(),
    },
  });
  const say = (text: string) => void socket.write(text);
  let next = 1;
  return {
    ask(method, params) {
      const id = next++;
      const { promise, resolve } = Promise.withResolvers<ControlReply>();
      waiting.set(id, resolve);
      say(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return promise;
    },
    say,
    ended,
    [Symbol.dispose]: () => socket.terminate(),
  };
}
