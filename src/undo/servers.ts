// Which servers does an undo talk to? Those of its runs, started as they were recorded, and only when a step needs one.
// Refuses a server that isn't the one that the run used.
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { schemaMark } from "../core/schema-mark.ts";
import { SynartesisError } from "../errors.ts";
import type { Run, ServerIdentity } from "../journal/journal.ts";
import { identityOf } from "../journal/process-identity.ts";
import type { Locks } from "../recorder/locks.ts";
import type { Reached, Recorder, Sender } from "../recorder/recorder.ts";
import { openClientless } from "../upstream/open-clientless.ts";
import { helloOf } from "../upstream/open-session.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { LiveRuns } from "./live-runs.ts";
import { type ReachParts, reachOf } from "./reach-server.ts";

export interface ServerParts extends ReachParts {
  readonly log: Log;
  readonly clock: () => number;
  readonly readTimeout: number;
  /** Shared by all servers of the undo. */
  readonly locks: Locks;
  /** The servers of sessions that go on. */
  readonly live: LiveRuns;
}

export type ServerResult = Ready<Recorder> | { readonly kind: "failed"; readonly why: string };

interface Ready<R> {
  readonly kind: "ready";
  readonly recorder: R;
  /** Tools that take other arguments than when the run met them. */
  readonly changedTools: ReadonlySet<string>;
}

/** A server that may serve several runs; where a call goes to another server, that is another one for each of them. */
type Shared = Ready<Omit<Recorder, "other">> | (ServerResult & { readonly kind: "failed" });

export interface UndoServers {
  /** Finds a server of a run in the session that goes on, or starts it if it isn't running. One that can't be had blocks only its own steps. */
  get(run: Run, name: string): Promise<ServerResult>;
  /** Stops where what starts it isn't at hand: a variable, or the command of one that was wrapped. @throws manifest-invalid, usage */
  checkStart(run: Run, name: string): Promise<void>;
  /** Tells the undo's run about the servers that were started. */
  identities(): readonly ServerIdentity[];
  /** What a server that was started printed last on stderr; nothing of it is shown otherwise. */
  lastWords(name: string): string;
  close(): Promise<void>;
}

/** Makes the set of servers; none is started yet. Runs that used a server in the same way share its process. */
export function createUndoServers(parts: ServerParts): UndoServers {
  const started = new Map<string | Upstream, Promise<Shared>>();
  const identities = new Map<string, ServerIdentity>();
  const upstreams = new Map<string, Upstream>();
  const start = async (run: Run, recorded: ServerIdentity, live: Upstream | undefined): Promise<Shared> => {
    try {
      const { recorder, identity } = live ? asFound(live, recorded, parts) : await startRecorded(run, recorded, parts);
      identities.set(recorded.name, identity);
      upstreams.set(recorded.name, recorder.upstream);
      return { kind: "ready", recorder, changedTools: parts.today ? new Set() : await changedTools(recorder, recorded) };
    } catch (error) {
      if (!(error instanceof SynartesisError)) throw error;
      return { kind: "failed", why: error.hint ? `${error.message}; ${error.hint}` : error.message };
    }
  };
  const servers: UndoServers = {
    async get(run, name) {
      const recorded = recordedServer(run, name, parts);
      if (recorded === undefined) return { kind: "failed", why: `the run has no server "${name}"` };
      const live = parts.live.find(run.id, name);
      const key = live ?? likenessOf(run, recorded);
      const running = started.get(key) ?? start(run, recorded, live);
      started.set(key, running);
      const found = await running;
      if (found.kind === "failed") return found;
      return { ...found, recorder: { ...found.recorder, other: ({ server, tool }) => otherFor(servers, run, server, tool) } };
    },
    async checkStart(run, name) {
      const recorded = recordedServer(run, name, parts);
      if (recorded === undefined || parts.live.find(run.id, name) !== undefined) return;
      await reachOf(run, recorded, parts).catch((error: unknown) => {
        // Any other trouble blocks only the steps of this server, and is told there.
        if (!(error instanceof SynartesisError) || error.code === "usage" || error.code === "manifest-invalid") throw error;
      });
    },
    identities: () => [...identities.values()],
    lastWords: (name) => upstreams.get(name)?.lastWords().trim() ?? "",
    async close() {
      const results = await Promise.all(started.values());
      await Promise.all(results.map((result) => (result.kind === "ready" ? result.recorder.upstream.close() : undefined)));
      parts.live.close();
    },
  };
  return servers;
}

/** What the run knows of a server; where today's policy is taken, a server that it has added since is one as well. */
function recordedServer(run: Run, name: string, { today }: ServerParts): ServerIdentity | undefined {
  const source = today?.(name);
  const added = source && { name, source: { ...source } as unknown as JsonObject, info: null, process: null, roots: null };
  return run.servers.find((server) => server.name === name) ?? added;
}

async function otherFor(servers: UndoServers, run: Run, server: string, tool: string): Promise<Reached> {
  const found = await serverFor(servers, run, server, tool);
  return found.kind === "ready" ? { kind: "reached", sender: found.recorder } : found;
}

/** Finds a server, unless it can't be had for this tool: what a tool takes by now may mean something else than it did. */
export async function serverFor(servers: UndoServers, run: Run, server: string, tool: string): Promise<ServerResult> {
  const found = await servers.get(run, server);
  if (found.kind === "failed" || !found.changedTools.has(tool)) return found;
  return {
    kind: "failed",
    why: `${server}.${tool} takes other arguments than when the run used it; look at them, then accept today's server and policy with --replan`,
  };
}

/** A server that lists nothing now is taken as it is: its calls will tell. */
async function changedTools({ upstream, meta, readTimeout }: Sender, { schemas }: ServerIdentity): Promise<ReadonlySet<string>> {
  if (schemas === undefined || Object.keys(schemas).length === 0) return new Set();
  const listed = await upstream.listTools({ timeout: readTimeout, meta });
  if (listed.kind === "failed") return new Set();
  return new Set(
    listed.tools
      .filter(({ name, inputSchema }) => Object.hasOwn(schemas, name) && schemas[name] !== schemaMark(inputSchema))
      .map(({ name }) => name),
  );
}

/** Equal where two runs started a server alike and told it the same of their client, so that one process serves both. */
function likenessOf(run: Run, { name, source, info, roots }: ServerIdentity): string {
  return canonicalJson([name, source, info, roots, helloOf(run.clientHello)]);
}

interface StartedServer {
  readonly recorder: Omit<Recorder, "other">;
  readonly identity: ServerIdentity;
}

/** A server as it is in its session. The proxy says to it what the session's client would say. */
function asFound(upstream: Upstream, recorded: ServerIdentity, parts: ServerParts): StartedServer {
  return { recorder: { ...parts, upstream, meta: undefined, roots: null }, identity: { ...recorded, process: processOf(upstream) } };
}

function processOf({ pid }: Upstream): ServerIdentity["process"] {
  return pid === null ? null : (identityOf(pid) ?? null);
}

async function startRecorded(run: Run, recorded: ServerIdentity, parts: ServerParts): Promise<StartedServer> {
  const { name, roots } = recorded;
  const start = { name, ...(await reachOf(run, recorded, parts)), readTimeout: parts.readTimeout, log: parts.log };
  const { upstream, info, meta } = await openClientless(start, helloOf(run.clientHello), Array.isArray(roots) ? roots : []);
  if (parts.today === undefined && recorded.info !== null && !isSameServer(info, recorded.info)) {
    await upstream.close();
    throw new SynartesisError("server-mismatch", `${recorded.name} is now ${nameOf(info)}, but the run used ${nameOf(recorded.info)}`, {
      hint: "start the version that the run used, or accept today's server and policy with --replan",
    });
  }
  const recorder = { ...parts, upstream, meta, roots };
  return { recorder, identity: { ...recorded, info, process: processOf(upstream) } };
}

function isSameServer(now: Json, recorded: Json): boolean {
  return nameOf(now) === nameOf(recorded);
}

function nameOf(info: Json): string {
  return isJsonObject(info) ? `${String(info["name"])} ${String(info["version"])}` : "a server that doesn't say its name";
}
