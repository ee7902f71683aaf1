// How does an agent of a history call its tools? Through the real session of a proxy, with only the client's end in memory; a call is over when
// its action is settled and the state after it was read.
import { isJsonObject, type Json } from "../../src/core/json.ts";
import type { Log } from "../../src/core/log.ts";
import type { Policy } from "../../src/core/policy.ts";
import { openJournal } from "../../src/journal/open.ts";
import type { RunHandle } from "../../src/proxy/run-handle.ts";
import { begin, type JoinedServer, joinServer } from "../../src/proxy/run-proxy.ts";
import { parseMessage } from "../../src/wire/message.ts";
import type { ClientStreams } from "../../src/wire/stdio.ts";
import { SERVER } from "./policy.ts";
import type { Call } from "./tool.ts";

/** Where a history takes place. */
export interface Place {
  readonly url: URL;
  readonly policy: Policy;
  readonly policyText: string;
  /** The journal's file. */
  readonly journal: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Nobody listens: what matters is in the journal. */
export const QUIET_LOG: Log = { log: () => undefined };

export const READ_TIMEOUT = 30_000;

/** One agent, connected. */
export class Agent {
  readonly #joined: JoinedServer;
  readonly #runHandle: RunHandle;
  readonly #waiting: Map<number, (reply: Json) => void>;
  #id = 0;

  private constructor(joined: JoinedServer, runHandle: RunHandle, waiting: Map<number, (reply: Json) => void>) {
    this.#joined = joined;
    this.#runHandle = runHandle;
    this.#waiting = waiting;
  }

  /** Connects an agent of this name. */
  static async start(place: Place, name: string): Promise<Agent> {
    const waiting = new Map<number, (reply: Json) => void>();
    const server = {
      name: SERVER,
      source: async () => ({ kind: "url", url: place.url.href, headers: {} }),
      start: { name: SERVER, place: { url: place.url, headers: {} } },
    };
    const parts = {
      ...place,
      joinKey: null,
      clientProcess: null,
      openJournal: () => openJournal({ file: place.journal, mode: "create", clock: place.clock }),
      streams: { input: NOTHING, output: NOWHERE },
      signal: new AbortController().signal,
      log: QUIET_LOG,
      readTimeout: READ_TIMEOUT,
      maxMessage: 1 << 24,
      hidden: [],
      scopes: [],
      commandLine: (words: readonly string[]) => words.join(" "),
    };
    const { runHandle, others } = begin(parts, [server]);
    const write = (bytes: Uint8Array) => {
      const message: Json = JSON.parse(new TextDecoder().decode(bytes));
      if (isJsonObject(message)) waiting.get(Number(message["id"]))?.(message);
    };
    const joined = await joinServer(parts, server, { runHandle, others, instructs: true, write, listens: {} });
    const agent = new Agent(joined, runHandle, waiting);
    const clientInfo = { name, version: "1" };
    await agent.#ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    agent.#send({ method: "notifications/initialized" });
    return agent;
  }

  /** Makes a call. */
  async call({ tool, args }: Call): Promise<void> {
    await this.#ask("tools/call", { name: tool, arguments: args });
    await this.#joined.session.settled();
  }

  /** The agent goes, and its run ends. */
  async end(): Promise<void> {
    await this.#joined.upstream.close();
    await this.#runHandle.leave();
  }

  #ask(method: string, params: Json): Promise<Json> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, (reply) => {
        this.#waiting.delete(id);
        resolve(reply);
      });
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.#joined.session.fromClient(parseMessage(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }))));
  }
}

/** Messages reach the session directly. */
const NOTHING: ClientStreams["input"] = {
  read: () => {
    throw new TypeError("nobody reads from here");
  },
};
const NOWHERE = {
  write: () => true,
  drained: async () => undefined,
  end: async () => undefined,
  closed: false,
};
