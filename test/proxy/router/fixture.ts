// One router between a client and servers that say exactly what the test says, byte for byte.
import { Router } from "../../../src/proxy/router/router.ts";
import { parseMessage, type WireMessage } from "../../../src/wire/message.ts";

export interface RoutedScene {
  readonly router: Router;
  /** The text of every message that reached the client, in order. */
  readonly told: string[];
  readonly logged: string[];
  /** The text of every message that reached a server, in order. */
  got(server: string): string[];
  client(message: object | string): void;
  says(server: string, message: object | string): void;
  /** Answers the request with this id as the server. */
  answers(server: string, id: number | string, result: object | string): void;
  fails(server: string, id: number | string, code: number, message?: string): void;
  /** What reached the client last. */
  last(): string;
}

const bytesOf = (message: object | string) =>
  new TextEncoder().encode(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }));

/** Makes a router in front of these servers; nobody has said hello. `patience` in milliseconds, for everything. */
export function makeRouter(servers: readonly string[], patience = 60_000): RoutedScene {
  const told: string[] = [];
  const logged: string[] = [];
  const received = new Map(servers.map((server) => [server, [] as string[]]));
  const router = new Router({
    servers,
    log: { log: (_level, text) => void logged.push(text) },
    write: (bytes) => void told.push(new TextDecoder().decode(bytes)),
    version: "9",
    maxMessage: 1000,
    helloPatience: patience,
    listPatience: patience,
  });
  for (const [server, got] of received)
    router.join(server, (message: WireMessage) => void got.push(new TextDecoder().decode(message.bytes)));
  const says = (server: string, message: object | string) => router.fromServer(server, bytesOf(message));
  return {
    router,
    told,
    logged,
    got: (server) => received.get(server) ?? [],
    client: (message) => router.fromClient(parseMessage(bytesOf(message))),
    says,
    answers: (server, id, result) =>
      says(server, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${typeof result === "string" ? result : JSON.stringify(result)}}`),
    fails: (server, id, code, message = "no") => says(server, { id, error: { code, message } }),
    last: () => told.at(-1) ?? "",
  };
}

/** Everything that a server can announce. */
export const ALL = { tools: {}, prompts: {}, resources: {}, logging: {}, completions: {}, tasks: {} };

/** Makes a router whose client was welcomed; each server has announced what stands beside its name. */
export async function makeWelcomed(servers: Record<string, object>): Promise<RoutedScene> {
  const scene = makeRouter(Object.keys(servers));
  scene.client(hello("hi"));
  for (const [server, capabilities] of Object.entries(servers)) scene.answers(server, "hi", greeting(capabilities));
  scene.client({ method: "notifications/initialized" });
  await Promise.resolve();
  scene.told.length = 0;
  for (const server of Object.keys(servers)) scene.got(server).length = 0;
  return scene;
}

export function hello(id: number | string): object {
  return { id, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: { roots: {} }, clientInfo: { name: "c" } } };
}

export function greeting(capabilities: object, more: object = {}): object {
  return { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" }, ...more };
}
