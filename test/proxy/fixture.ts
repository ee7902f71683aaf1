// One session with everything real but the server: a policy from its text, a journal in a folder of its own, and a server in memory whose
// every answer the test gives, so that each order of events can be had.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { openJournal } from "../../src/journal/open.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { OtherServers } from "../../src/proxy/other-servers.ts";
import { createRunHandle } from "../../src/proxy/run-handle.ts";
import { Session } from "../../src/proxy/session.ts";
import { registerDoor } from "../../src/upstream/door.ts";
import type { Answer, ServerExit, Upstream } from "../../src/upstream/upstream.ts";
import { parseMessage, type ResponseMessage } from "../../src/wire/message.ts";
import { NOTES_RULES } from "../support/notes.ts";

const cleanups: (() => unknown)[] = [];

/** Ends the sessions. Each file has to register this itself: a hook that a shared module registers counts for the first file alone. */
export async function endSessions(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** A read of ours that waits for its answer. */
export interface OwnCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly params: JsonObject;
  give(answer: Answer): void;
}

export interface FakeServer extends Upstream {
  alive: boolean;
  /** The text of every message of the client's that arrived, in order. */
  readonly got: string[];
  readonly own: OwnCall[];
  /** Notes from which reads of ours are answered at once; undefined: the test answers them. */
  notes: Record<string, string> | undefined;
}

export interface Scene {
  readonly session: Session;
  readonly server: FakeServer;
  readonly journal: Journal;
  /** What reached the client, in order. */
  readonly told: string[];
  readonly logged: string[];
  client(text: string): void;
  says(text: string): void;
  ends(exit?: Partial<ServerExit>): void;
  /** Calls a tool as the client. */
  call(id: number | string, name: string, args: object): void;
  /** Answers a call of the client's as the server. */
  reply(id: number | string, value: unknown): void;
  /** Waits until something reached the client for this id, and gives it. */
  answerTo(id: number | string): Promise<{ result?: Record<string, unknown>; error?: { code: number; message: string } }>;
  /** What the journal has of the run, once everything is written. */
  actions(): Promise<{ tool: string; status: string; reason: string | null; postState: string }[]>;
}

/** Starts a session; its client has not said hello. */
export async function startSession(
  options: {
    rules?: string;
    quiet?: number;
    clock?: () => number;
    wrapJournal?: (journal: Journal) => Journal;
    journalFile?: string;
    joinKey?: string;
  } = {},
): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "synartesis-session-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const policyText = `version: 1\nservers:\n  notes: { command: notes }\ntools:${options.rules ?? NOTES_RULES}`;
  const loading = loadManifestText(policyText, { directory: folder, env: "any" });
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  const real = await openJournal({ file: options.journalFile ?? join(folder, "journal.db"), mode: "create" });
  const journal = options.wrapJournal?.(real) ?? real;
  const server = fakeServer();
  const told: string[] = [];
  const logged: string[] = [];
  const log = { log: (_level: string, message: string) => void logged.push(message) };
  const runHandle = createRunHandle({
    joinKey: options.joinKey ?? null,
    clientProcess: null,
    policyText,
    openJournal: async () => journal,
    servers: [{ name: "notes", source: async () => ({ kind: "command" }) }],
    clock: options.clock ?? Date.now,
    ...(options.quiet === undefined ? {} : { quiet: options.quiet }),
  });
  const write = (bytes: Uint8Array) => void told.push(new TextDecoder().decode(bytes));
  const parts = {
    policy: loading.policy,
    scopes: [],
    log,
    clock: Date.now,
    readTimeout: 1000,
    maxMessage: 1 << 20,
    instructs: true,
    clientProcess: {},
  };
  const others = new OtherServers({ ...parts, hidden: [], runHandle });
  const commandLine = (words: readonly string[]) => words.join(" ");
  const session = new Session({ ...parts, server: "notes", upstream: server, runHandle, others, write, commandLine });
  cleanups.push(async () => {
    server.alive = false;
    session.serverEnded({ code: 0, signal: null, lastWords: "" });
    for (const own of server.own) own.give({ kind: "ended" });
    await session.settled();
    await runHandle.leave();
    await real.close();
  });
  const says = (text: string) => session.fromServer(parseMessage(new TextEncoder().encode(text)));
  const client = (text: string) => session.fromClient(parseMessage(new TextEncoder().encode(text)));
  return {
    session,
    server,
    journal,
    told,
    logged,
    client,
    says,
    ends: (exit = {}) => {
      server.alive = false;
      session.serverEnded({ code: 1, signal: null, lastWords: "", ...exit });
    },
    call: (id, name, args) => client(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } })),
    reply: (id, value) => says(JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(value) })),
    async answerTo(id) {
      const find = () => told.map((text) => JSON.parse(text)).find((message) => message.id === id && !("method" in message));
      await until(() => find() !== undefined);
      return find();
    },
    async actions() {
      await journal.flush();
      const [run] = await journal.runs();
      const actions = run === undefined ? [] : await journal.actions(run.id);
      return actions.map(({ tool, status, reason, postState }) => ({ tool, status, reason, postState }));
    },
  };
}

/** The client's word that it wants no answer to a request any more. */
export function cancel(id: number | string): string {
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
}

/** A tool result as servers send it. */
export function resultOf(value: unknown, isError = false): JsonObject {
  const structured = JSON.parse(JSON.stringify(value));
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: structured, ...(isError ? { isError } : {}) };
}

/** An answer to a read of ours. */
export function answerOf(value: unknown, isError = false): Answer {
  const result = resultOf(value, isError);
  const message = parseMessage(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))) as ResponseMessage; // it is one
  return { kind: "result", result, message };
}

/** Waits until a condition holds; the test's own time limit is the end of it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Makes a server in memory that says nothing by itself. */
export function fakeServer(): FakeServer {
  const got: string[] = [];
  const own: OwnCall[] = [];
  const server: FakeServer = {
    name: "notes",
    pid: null,
    takesBatches: true,
    alive: true,
    got,
    own,
    notes: { a: "first", b: "second" },
    forward: ({ bytes }) => void got.push(new TextDecoder().decode(bytes)),
    request: async () => ({ kind: "ended" }),
    notify: () => undefined,
    listTools: async () => ({ kind: "failed", reason: "not needed here" }),
    noteClientId: () => undefined,
    drained: async () => undefined,
    lastWords: () => "",
    close: async () => [],
  };
  registerDoor(server, {
    forward({ bytes }) {
      if (server.alive) got.push(new TextDecoder().decode(bytes));
      return server.alive;
    },
    request: (_method, params) =>
      new Promise((give) => {
        const args = params["arguments"] as JsonObject; // every read of ours has some
        own.push({ tool: String(params["name"]), args, params, give });
        const key = String(args["key"]);
        if (server.notes === undefined) return;
        const value = server.notes[key];
        give(value === undefined ? answerOf({ error: "no such note" }, true) : answerOf({ key, value }));
      }),
  });
  return server;
}
