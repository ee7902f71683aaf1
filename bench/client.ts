// Who makes the calls that are measured? A client of raw lines, as light as it can be. Never lets an unexpected answer count as a call.
import { LineSplitter } from "../src/wire/lines.ts";

/** How to start what is measured: the server itself, or what stands in front of it. */
export interface Command {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a call's answer has to be. */
export type Expected = "done" | "held" | "refused";

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly error?: { readonly message: string };
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
}

/** One connection over stdio. */
export class Client {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #next = 1;

  private constructor(child: Bun.Subprocess<"pipe", "pipe", "inherit">) {
    this.#child = child;
    void this.#read();
  }

  /** Starts a command and speaks to it until it has listed its tools. */
  static async start(command: Command): Promise<Client> {
    const { words, cwd, env } = command;
    const client = new Client(Bun.spawn([...words], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "inherit" }));
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
    await client.#request("initialize", hello);
    client.#send(`{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
    await client.#request("tools/list", {});
    return client;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Calls a tool. @throws where the answer isn't what was expected */
  async call(name: string, args: Readonly<Record<string, string>>, expected: Expected = "done"): Promise<void> {
    const { error, result } = await this.#request("tools/call", { name, arguments: args });
    const isHeld = result?.isError === true && result.content?.[0]?.text?.startsWith("Held by Synartesis") === true;
    if (error || (expected === "held" ? !isHeld : (result?.isError === true) !== (expected === "refused")))
      throw new Error(`${name} was not ${expected}: ${JSON.stringify(error ?? result)}`);
  }

  /** Ends as a client does, by closing its side, and waits for the process to end. */
  async end(): Promise<void> {
    await this.#child.stdin.end();
    await this.#child.exited;
  }

  async #request(method: string, params: object): Promise<Reply> {
    const id = this.#next++;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, resolve);
    this.#send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return promise;
  }

  #send(line: string): void {
    this.#child.stdin.write(line);
    this.#child.stdin.flush();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const lines = new LineSplitter(64 * 1024 * 1024, {
      onLine: (line) => this.#take(JSON.parse(decoder.decode(line)) as Reply), // a line that is no message ends the benchmark
      onTooLong: () => undefined,
    });
    for await (const chunk of this.#child.stdout) lines.push(chunk);
    const code = await this.#child.exited;
    for (const resolve of this.#waiting.values()) resolve({ error: { message: `the process ended (${code})` } });
  }

  #take(reply: Reply): void {
    if (reply.id === undefined || reply.method !== undefined) return;
    this.#waiting.get(reply.id)?.(reply);
    this.#waiting.delete(reply.id);
  }
}
