// Who is the agent in these tests? A raw MCP client over stdio: one JSON line a message, nothing cleaned up by a library.
import { until } from "./documents.ts";
import { EXECUTABLE, type Sandbox } from "./sandbox.ts";

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}
export interface RpcReply {
  readonly id: number | string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export class Agent implements AsyncDisposable {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  /** Every line that came, in order. */
  readonly lines: string[] = [];
  readonly stderr: Promise<string>;
  /** Once it has ended, and all that it said is taken in: the end may be seen before its last words. */
  readonly #ended: Promise<number>;
  readonly #waiting = new Map<number | string, (reply: RpcReply) => void>();
  #next = 1;

  private constructor(command: readonly string[], options: { cwd: string; env: Record<string, string> }, isTest: boolean) {
    // The client is the shell: a test that answers for a person must not be an ancestor's descendant of it.
    this.child = Bun.spawn(isTest ? [...command] : ["sh", "-c", '"$@"; exit "$?"', "agent", ...command], {
      ...options,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.stderr = this.child.stderr.text();
    this.#ended = Promise.all([this.child.exited, this.#read()]).then(([code]) => code);
  }

  /** Starts `synartesis proxy` in a sandbox and initializes it. */
  static async start(sandbox: Sandbox, words: readonly string[] = [], command: readonly string[] = [EXECUTABLE, "proxy"]): Promise<Agent> {
    return Agent.#initialize(new Agent([...command, ...words], { cwd: sandbox.folder, env: sandbox.env }, false));
  }

  /** Likewise, with the test's own process as the client: whatever the test starts descends from it. */
  static async startAsChild(sandbox: Sandbox, words: readonly string[] = []): Promise<Agent> {
    return Agent.#initialize(new Agent([EXECUTABLE, "proxy", ...words], { cwd: sandbox.folder, env: sandbox.env }, true));
  }

  static async #initialize(agent: Agent): Promise<Agent> {
    await agent.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test-agent", version: "1" },
    });
    agent.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return agent;
  }

  send(message: object | string): void {
    this.child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    this.child.stdin.flush();
  }

  request(method: string, params: object = {}): Promise<RpcReply> {
    const id = this.#next++;
    return this.await(id, () => this.send({ jsonrpc: "2.0", id, method, params }));
  }

  /** Waits for the reply to an id; `send` sends the request. Rejects where the process ends first. */
  await(id: number | string, send: () => void): Promise<RpcReply> {
    const { promise, resolve, reject } = Promise.withResolvers<RpcReply>();
    this.#waiting.set(id, resolve);
    send();
    void this.#ended.then((code) => reject(new Error(`the proxy ended (${code}) before it answered ${id}`)));
    return promise;
  }

  /** Calls a tool and gives its result. @throws where the answer is a JSON-RPC error */
  async call(name: string, args: object = {}): Promise<ToolResult> {
    const reply = await this.request("tools/call", { name, arguments: args });
    if (reply.error) throw new Error(`${name}: ${reply.error.code} ${reply.error.message}`);
    return reply.result as ToolResult;
  }

  /** The process id of the proxy itself. */
  async proxyPid(): Promise<number> {
    return childrenOf(this.child.pid)[0] ?? Number.NaN;
  }

  /** Kills the proxy as a crash would, and waits until the servers that it started are gone too. */
  async crash(): Promise<void> {
    await crashWithServers(await this.proxyPid());
    await this.child.exited;
  }

  /** Ends as a client does: EOF, and waits for the exit code. */
  async end(): Promise<number> {
    this.child.stdin.end();
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null) await this.end();
  }

  async #read(): Promise<void> {
    let parts: string[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of this.child.stdout) {
      const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
      parts.push(first);
      for (const next of more) {
        this.#take(parts.join(""));
        parts = [next];
      }
    }
  }

  #take(line: string): void {
    this.lines.push(line);
    const message = JSON.parse(line) as RpcReply & { method?: string };
    if (message.id === undefined || message.method !== undefined) return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}

/** An agent's whole run: these calls, one after the other, whatever they answer. */
export async function runOf(sandbox: Sandbox, ...calls: readonly (readonly [tool: string, args: object])[]): Promise<void> {
  const agent = await Agent.start(sandbox);
  for (const [tool, args] of calls) await agent.call(tool, args);
  await agent.end();
}

/** The process ids of a process's children. */
export function childrenOf(pid: number): number[] {
  const listed = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid=,stat="]).stdout.toString().trim().split("\n");
  const rows = listed.map((line) => line.trim().split(/\s+/));
  return rows.filter(([, parent, state]) => parent === String(pid) && !state?.startsWith("Z")).map(([child]) => Number(child));
}

/** Kills a process (SIGKILL) and waits until its children have ended by themselves: their input has ended. */
export async function crashWithServers(pid: number): Promise<void> {
  const servers = childrenOf(pid);
  process.kill(pid, "SIGKILL");
  await until("the servers end", () => !servers.some(isRunning));
}

/** Tells whether a process is there and no zombie. */
export function isRunning(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}

/** Gives the one text of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map(({ text }) => text ?? "").join("\n");
}

/** Gives the id of a held call from its text. */
export function heldId(result: ToolResult): string {
  const id = /^Request: (\w+)\./m.exec(textOf(result))?.[1];
  if (id === undefined) throw new Error(`not held: ${textOf(result)}`);
  return id;
}
