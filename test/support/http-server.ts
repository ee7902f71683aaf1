// A server at a URL for tests: every request that came, and whatever answer the test wants. Speaks raw HTTP and raw JSON-RPC, and misbehaves
// only as told.

/** A request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  /** The query, with its question mark. */
  readonly search: string;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly message: Message;
  /** Aborted when whoever asked has gone. */
  readonly gone: AbortSignal;
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of any shape
export type Message = any;

export type Answer = (seen: Seen) => Response | Promise<Response> | undefined;

/** A running server. */
export interface TestHttp extends Disposable {
  readonly url: URL;
  /** Every request, in order. */
  readonly seen: Seen[];
  /** Answers from now on; what it leaves undefined is answered as a well-behaved server would. */
  answer: Answer;
  /** The requests that carried this JSON-RPC method. */
  of(method: string): Seen[];
}

/** Starts a server. Its good manners: `initialize` with a session, 202 for what wants no answer, 405 for GET, an echo for the rest. */
export function serveHttp(answer: Answer = () => undefined, options: { tls?: { key: string; cert: string } } = {}): TestHttp {
  const seen: Seen[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 256 * 1024 * 1024,
    ...options,
    async fetch(request) {
      const text = await request.text();
      const here: Seen = {
        method: request.method,
        path: new URL(request.url).pathname,
        search: new URL(request.url).search,
        headers: request.headers,
        text,
        message: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined,
        gone: request.signal,
      };
      seen.push(here);
      return (await test.answer(here)) ?? mannered(here);
    },
  });
  const test: TestHttp = {
    url: new URL(`${options.tls === undefined ? "http" : "https"}://127.0.0.1:${server.port}/mcp`),
    seen,
    answer,
    of: (method) => seen.filter(({ message }) => message?.method === method),
    [Symbol.dispose]: () => void server.stop(true),
  };
  return test;
}

/** What a well-behaved server of 2025-06-18 answers. */
export function mannered({ method, message }: Seen): Response {
  if (method === "DELETE") return new Response(null, { status: 200 });
  if (method !== "POST") return new Response("no stream here", { status: 405 });
  if (message.id === undefined || message.method === undefined) return new Response(null, { status: 202 });
  const result =
    message.method === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "test", version: "1" } }
      : { method: message.method, params: message.params ?? null };
  const headers = message.method === "initialize" ? { "mcp-session-id": "session-1" } : undefined;
  return json({ jsonrpc: "2.0", id: message.id, result }, { headers });
}

/** A JSON body. */
export function json(value: unknown, init: { status?: number; headers?: Record<string, string> | undefined } = {}): Response {
  return new Response(typeof value === "string" ? value : JSON.stringify(value), {
    status: init.status ?? 200,
    headers: { "content-type": "application/json", ...init.headers },
  });
}

/** A stream of events, written piece by piece. */
export interface Stream {
  readonly response: Response;
  /** Sends these characters as they are. */
  write(text: string): void;
  /** Sends one event with a message. */
  send(message: unknown, id?: string): void;
  close(): void;
}

export function stream(headers: Record<string, string> = {}): Stream {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1e9 }, { highWaterMark: 1e9 });
  const writer = writable.getWriter();
  const write = (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => undefined);
  return {
    response: new Response(readable, { headers: { "content-type": "text/event-stream", ...headers } }),
    write,
    send: (message, id) => write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`),
    close: () => void writer.close().catch(() => undefined),
  };
}
