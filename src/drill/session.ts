// How does a drill act on a server? Through a proxy of its own, as an agent does, with a journal of its own, and by the `undo` that people use. Nothing of the
// person's record is touched.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Json, JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { errorTextOf, isErrorResult } from "../core/result-value.ts";
import type { Journal, Run } from "../journal/journal.ts";
import { type ProxyClient, proxyClient } from "./proxy-client.ts";

/** What a drill is done with. */
export interface DrillParts {
  /** The drill's own, in a folder that is thrown away. */
  readonly journal: Journal;
  readonly manifest: string;
  readonly self: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the commands are run. */
  readonly folder: string;
  /** How long a call may take, in milliseconds. */
  readonly timeout: number;
  readonly log: Log;
  readonly clock: () => number;
  /** Aborted where the person gives up. */
  readonly signal: AbortSignal;
  /** Gives how another server that a sample names is started; undefined where it can't be. */
  readonly commandOf: (server: string) => DirectCommand | undefined;
}

/** A command with its variables filled in. */
export interface DirectCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A tool as the server lists it. */
export interface DrilledTool {
  readonly name: string;
  readonly inputSchema: Json;
}

/** How a call ended. `failed`: the tool, the server or the proxy said no. `lost`: no answer came, and the session is over. */
export type CallEnd =
  | { readonly kind: "result"; readonly result: Json }
  | { readonly kind: "failed"; readonly said: string }
  | { readonly kind: "lost"; readonly said: string };

/** As much of the document that `undo --json` prints as a drill reads. */
export interface UndoDocument {
  readonly steps?: readonly {
    readonly action: string;
    readonly kind: string;
    readonly reason: string;
    readonly detail: string | null;
    readonly unreadable: string | null;
    readonly verified: boolean;
    readonly end: string | null;
    readonly endReason: string | null;
    readonly endDetail: string | null;
  }[];
  readonly error?: { readonly message: string };
}

/** A server behind its proxy, with an agent connected. */
export class DrillSession {
  readonly server: string;
  readonly parts: DrillParts;
  readonly #client: Client;
  readonly #others = new Map<string, Promise<Client>>();

  private constructor(server: string, parts: DrillParts, client: Client) {
    this.server = server;
    this.parts = parts;
    this.#client = client;
  }

  /** Starts the proxy of a server. @throws Error with the reason where it can't be started */
  static async open(server: string, parts: DrillParts): Promise<DrillSession> {
    const { self, folder, manifest, journal } = parts;
    const words = ["proxy", "--server", server, "--manifest", manifest, "--journal", journal.path];
    // An agent's session key would join what is none of its runs.
    const env = { ...parts.env, CLAUDE_CODE_SESSION_ID: undefined };
    return new DrillSession(server, parts, await started({ name: "synartesis-drill", self, words, env, folder }));
  }

  async tools(): Promise<readonly DrilledTool[]> {
    const { ListToolsResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const tools: DrilledTool[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const params = cursor === undefined ? {} : { cursor };
      // Not by the client's own method: that would hold results against what the server said of them.
      const page = await this.#client.request({ method: "tools/list", params }, ListToolsResultSchema, { timeout: this.parts.timeout });
      tools.push(...page.tools.map(({ name, inputSchema }) => ({ name, inputSchema: inputSchema as Json })));
      cursor = page.nextCursor;
    }
    return tools;
  }

  /** Calls a tool: of this server through the proxy, of another one past it. */
  async call(server: string, tool: string, args: JsonObject): Promise<CallEnd> {
    try {
      const client = server === this.server ? this.#client : await this.#other(server);
      const { timeout, signal } = this.parts;
      const result = (await client.callTool({ name: tool, arguments: args }, undefined, { timeout, signal })) as Json;
      return isErrorResult(result) ? { kind: "failed", said: errorTextOf(result) } : { kind: "result", result };
    } catch (error) {
      const { ErrorCode, McpError } = await import("@modelcontextprotocol/sdk/types.js");
      const said = error instanceof Error ? error.message : String(error);
      const isAnswer = error instanceof McpError && error.code !== ErrorCode.ConnectionClosed && error.code !== ErrorCode.RequestTimeout;
      return { kind: isAnswer ? "failed" : "lost", said };
    }
  }

  /** The run that this session is; undefined until something was recorded. */
  async run(): Promise<Run | undefined> {
    const [latest] = await this.parts.journal.runs({ kind: "agent", limit: 1 });
    return latest;
  }

  /** Undoes one call of the run, through this session. */
  async undo(run: string, seq: number): Promise<UndoDocument> {
    const { self, journal, folder: cwd, env, timeout, signal } = this.parts;
    const words = ["undo", run, "--only", String(seq), "--live", "--yes", "--json", "--journal", journal.path];
    const child = Bun.spawn([...self, ...words], {
      cwd,
      env: { ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      signal,
      timeout: 2 * timeout + 30_000,
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    try {
      return JSON.parse(out) as UndoDocument; // our own command's
    } catch {
      return { error: { message: err.trim() || "undo was ended: it took too long" } };
    }
  }

  /** Ends the session, and all that was started for it. */
  async close(): Promise<void> {
    const others = await Promise.allSettled(this.#others.values());
    const clients = [this.#client, ...others.flatMap((other) => (other.status === "fulfilled" ? [other.value] : []))];
    await Promise.all(clients.map((client) => client.close()));
  }

  #other(server: string): Promise<Client> {
    const known = this.#others.get(server);
    if (known !== undefined) return known;
    const command = this.parts.commandOf(server);
    if (command === undefined) return Promise.reject(new Error(`the server ${server} can't be started for a sample`));
    const { env, cwd } = command;
    const other = started({ name: "synartesis-drill", self: [command.command], words: command.args, env, folder: cwd });
    this.#others.set(server, other);
    return other;
  }
}

async function started(start: Parameters<typeof proxyClient>[0]): Promise<Client> {
  const prepared: ProxyClient = await proxyClient(start);
  try {
    await prepared.connect();
    return prepared.client;
  } catch (error) {
    await prepared.client.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error([reason, prepared.lastWords()].filter((text) => text !== "").join(": "));
  }
}
