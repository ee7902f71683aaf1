// The endpoint with a proxy behind it that does what the test says: it hears every message of the client's, and says what it likes.
import { afterEach } from "bun:test";
import { sha256 } from "../../../src/core/digest.ts";
import type { ClientEnd, HttpParts } from "../../../src/proxy/http/http-parts.ts";
import { serveHttp } from "../../../src/proxy/http/serve.ts";
import type { RequestMessage, WireMessage } from "../../../src/wire/message.ts";
import { TOKEN } from "../../support/http.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** One client as the proxy behind the endpoint sees it. */
export interface Behind {
  readonly heard: WireMessage[];
  readonly identity: string;
  /** Whether the client's input has ended. */
  ended: boolean;
  say(message: object): void;
  /** Answers a request with a result. */
  answer(request: RequestMessage, result: object): void;
  drained(): Promise<void>;
}

export interface Endpoint {
  readonly url: string;
  readonly clients: Behind[];
  readonly logged: string[];
  stop(): Promise<void>;
}

/** Starts it. `on` is called for each request but `initialize`, which is answered by itself. */
export async function startEndpoint(
  on: (request: RequestMessage, client: Behind) => void,
  options: Partial<Pick<HttpParts, "times" | "maxSessions" | "sessionIdle" | "maxMessage">> = {},
): Promise<Endpoint> {
  const clients: Behind[] = [];
  const logged: string[] = [];
  const ending = new AbortController();
  const listening = Promise.withResolvers<string>();
  const serving = serveHttp({
    ...{ port: 0, hostname: "127.0.0.1", tokens: [{ name: "tester", sha256: sha256(TOKEN) }], allowedHosts: [], allowedOrigins: [] },
    ...{ maxMessage: 1 << 20, maxSessions: 100, sessionIdle: 60_000, ...options },
    startProxy: (client) => proxyFor(client, clients, on),
    signal: ending.signal,
    onListening: listening.resolve,
    log: { log: (_level, message) => void logged.push(message) },
  });
  const stop = async () => {
    ending.abort();
    await serving;
  };
  cleanups.push(stop);
  return { url: await listening.promise, clients, logged, stop };
}

function proxyFor(
  { streams, identity }: ClientEnd,
  clients: Behind[],
  on: (request: RequestMessage, client: Behind) => void,
): Promise<void> {
  const encoder = new TextEncoder();
  const say = (message: object) => void streams.output.write(encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...message })));
  const client: Behind = {
    heard: [],
    identity,
    ended: false,
    say,
    answer: (request, result) => say({ id: JSON.parse(request.id), result }),
    drained: () => streams.output.drained(),
  };
  clients.push(client);
  return new Promise((resolve) => {
    streams.input.read({
      onMessage(message) {
        client.heard.push(message);
        if (message.kind !== "request") return;
        if (message.method !== "initialize") return on(message, client);
        const params = message.value["params"] as { protocolVersion: string }; // every test's client says one
        client.answer(message, { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "behind", version: "1" } });
      },
      onTooLong: () => undefined,
      onEnd() {
        client.ended = true;
        resolve();
      },
    });
  });
}
