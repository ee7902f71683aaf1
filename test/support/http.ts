// Who comes by HTTP in these tests? Plain fetch, with nothing cleaned up by a library; and the proxy that is started for it.
import { until } from "./documents.ts";
import { EXECUTABLE, type Sandbox } from "./sandbox.ts";

export const TOKEN = "a-token-for-tests-0123456789";

/** A running `proxy --http`. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** What it has written to stderr so far. */
  stderr(): string;
  /** Asks it to end, and waits for the exit code. */
  stop(): Promise<number>;
}

/** Starts it in a sandbox and waits until it listens. */
export async function serve(
  sandbox: Sandbox,
  words: readonly string[] = [],
  env: Record<string, string> = { SYNARTESIS_TOKEN: TOKEN },
): Promise<Served> {
  const child = Bun.spawn([EXECUTABLE, "proxy", "--http", "0", ...words], {
    cwd: sandbox.folder,
    env: { ...sandbox.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let said = "";
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const chunk of child.stderr) said += decoder.decode(chunk, { stream: true });
  })();
  const address = () => /^listening on (http:\S+)$/m.exec(said)?.[1];
  await until("it listens", () => {
    if (child.exitCode !== null) throw new Error(`it ended (${child.exitCode}): ${said}`);
    return address() !== undefined;
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await reading;
    return child.exited;
  };
  return { url: address() ?? "", child, stderr: () => said, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

export interface RpcMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

type Headers = Record<string, string>;

const BOTH = "application/json, text/event-stream";

/** Sends a message as a POST. */
export function post(url: string, message: unknown, headers: Headers = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", accept: BOTH, ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** One event of a stream: its id, and its message (undefined for a priming event). */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly message: RpcMessage | undefined;
}

/** Reads a stream of events as it comes. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let seam = "";
  for await (const chunk of response.body ?? []) {
    const text = decoder.decode(chunk, { stream: true });
    const mayEnd = (seam + text).includes("\n\n");
    seam = text.at(-1) ?? seam;
    rest += text;
    if (!mayEnd) continue; // an event may be large: it isn't looked through again with each piece
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      const data = field("data");
      if (data !== undefined) yield { id: field("id"), message: data === "" ? undefined : (JSON.parse(data) as RpcMessage) };
    }
  }
}

/** Every message of an answer, JSON or stream, until its end. */
export async function messagesOf(response: Response): Promise<readonly RpcMessage[]> {
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const body = (await response.json()) as RpcMessage | RpcMessage[];
    return Array.isArray(body) ? body : [body];
  }
  const messages: RpcMessage[] = [];
  for await (const { message } of eventsOf(response)) if (message !== undefined) messages.push(message);
  return messages;
}

/** The last message of an answer: the reply to a single request. */
export async function replyOf(response: Response): Promise<RpcMessage> {
  const reply = (await messagesOf(response)).at(-1);
  if (reply === undefined) throw new Error(`no reply (${response.status})`);
  return reply;
}

/** A client of the eras with sessions. */
export class HttpAgent {
  readonly url: string;
  readonly headers: Headers;
  #next = 1;

  private constructor(url: string, headers: Headers) {
    this.url = url;
    this.headers = headers;
  }

  /** Begins a session. */
  static async start(
    url: string,
    options: { version?: string; capabilities?: object; headers?: Headers; name?: string } = {},
  ): Promise<HttpAgent> {
    const version = options.version ?? "2025-11-25";
    const params = {
      protocolVersion: version,
      capabilities: options.capabilities ?? {},
      clientInfo: { name: options.name ?? "http-agent", version: "1" },
    };
    const response = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params }, options.headers);
    const session = response.headers.get("mcp-session-id");
    if (session === null) throw new Error(`no session (${response.status}): ${await response.text()}`);
    await messagesOf(response);
    const agent = new HttpAgent(url, { ...options.headers, "mcp-session-id": session, "mcp-protocol-version": version });
    await agent.notify("notifications/initialized");
    return agent;
  }

  post(message: unknown, headers: Headers = {}, signal?: AbortSignal): Promise<Response> {
    return post(this.url, message, { ...this.headers, ...headers }, signal);
  }

  async notify(method: string, params: object = {}): Promise<number> {
    return (await this.post({ jsonrpc: "2.0", method, params })).status;
  }

  async request(method: string, params: object = {}): Promise<RpcMessage> {
    return replyOf(await this.post({ jsonrpc: "2.0", id: this.#next++, method, params }));
  }

  /** Calls a tool and gives its text. */
  async call(name: string, args: object = {}): Promise<{ readonly text: string; readonly isError: boolean }> {
    const reply = await this.request("tools/call", { name, arguments: args });
    if (reply.error) throw new Error(`${name}: ${reply.error.code} ${reply.error.message}`);
    const result = reply.result as { content: { text?: string }[]; isError?: boolean };
    return { text: result.content.map(({ text }) => text ?? "").join("\n"), isError: result.isError === true };
  }

  listen(headers: Headers = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url, {
      headers: { authorization: `Bearer ${TOKEN}`, accept: "text/event-stream", ...this.headers, ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async end(): Promise<number> {
    return (await fetch(this.url, { method: "DELETE", headers: { authorization: `Bearer ${TOKEN}`, ...this.headers } })).status;
  }
}

/** A request as a client of 2026-07-28 sends it. */
export function modernPost(
  url: string,
  request: { id: number | string; method: string; params?: Record<string, unknown> },
  options: { headers?: Headers; signal?: AbortSignal; client?: string; meta?: object } = {},
): Promise<Response> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: options.client ?? "modern-agent", version: "1" },
    ...options.meta,
  };
  const name = request.params?.["name"] ?? request.params?.["uri"];
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": request.method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...options.headers,
  };
  return post(url, { jsonrpc: "2.0", ...request, params: { ...request.params, _meta } }, headers, options.signal);
}
