// Which servers does an undo talk to? Those of the run, started as they were recorded, and only when a step needs one.
// Refuses a server that isn't the one that the run used.
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { ServerSource } from "../core/policy.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, Run, ServerIdentity } from "../journal/journal.ts";
import { identityOf } from "../journal/process-identity.ts";
import { commandText, expandSource, expandUrl, urlText, variablesOf } from "../manifest/expand-source.ts";
import { createLocks } from "../recorder/locks.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { serverEnvironment } from "../upstream/environment.ts";
import type { Login } from "../upstream/http/http-client.ts";
import { clientlessEvents, openSession } from "../upstream/open-session.ts";
import { openUpstream, type UpstreamStart } from "../upstream/open-upstream.ts";
import { SILENT } from "../upstream/stdio.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { Witness } from "../upstream/witness.ts";

export interface ServerParts {
  readonly journal: Journal;
  readonly log: Log;
  readonly clock: () => number;
  readonly readTimeout: number;
  /** Our own environment: what `${VAR}` stands for, and what servers are started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What somebody's login to a server at a URL gives. */
  readonly login: (name: string, url: URL) => Login;
  /** The command of a server that was wrapped in place, as a person gave it after `--`. */
  readonly wrappedCommand: readonly string[] | undefined;
  /** Writes a command of ours as a person can run it here. */
  readonly command: (...words: string[]) => string;
  /** Today's source of a server, taken instead of the recorded one (`--replan`). */
  readonly today: ((name: string) => ServerSource | undefined) | undefined;
}

export type ServerResult = { readonly kind: "ready"; readonly recorder: Recorder } | { readonly kind: "failed"; readonly why: string };

export interface UndoServers {
  /** Starts it if it isn't running. A server that can't be had blocks only its own steps. */
  get(name: string): Promise<ServerResult>;
  /** Stops where what starts it isn't at hand: a variable, or the command of one that was wrapped. @throws manifest-invalid, usage */
  checkStart(name: string): Promise<void>;
  /** Tells the undo's run about the servers that were started. */
  identities(): readonly ServerIdentity[];
  /** What a server that was started printed last on stderr; nothing of it is shown otherwise. */
  lastWords(name: string): string;
  close(): Promise<void>;
}

/** Makes the set of a run's servers; none is started yet. */
export function createUndoServers(run: Run, parts: ServerParts): UndoServers {
  const started = new Map<string, Promise<ServerResult>>();
  const identities = new Map<string, ServerIdentity>();
  const upstreams = new Map<string, Upstream>();
  const start = async (name: string): Promise<ServerResult> => {
    const recorded = run.servers.find((server) => server.name === name);
    if (recorded === undefined) return { kind: "failed", why: `the run has no server "${name}"` };
    try {
      const recorder = await startRecorded(run, recorded, parts);
      identities.set(name, recorder.identity);
      upstreams.set(name, recorder.recorder.upstream);
      return { kind: "ready", recorder: recorder.recorder };
    } catch (error) {
      if (!(error instanceof SynartesisError)) throw error;
      return { kind: "failed", why: error.hint ? `${error.message}; ${error.hint}` : error.message };
    }
  };
  return {
    get(name) {
      const running = started.get(name) ?? start(name);
      started.set(name, running);
      return running;
    },
    async checkStart(name) {
      const recorded = run.servers.find((server) => server.name === name);
      if (recorded === undefined) return;
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
    },
  };
}

async function startRecorded(
  run: Run,
  recorded: ServerIdentity,
  parts: ServerParts,
): Promise<{ recorder: Recorder; identity: ServerIdentity }> {
  const witness = new Witness();
  const upstream = await openUpstream({
    name: recorded.name,
    ...(await reachOf(run, recorded, parts)),
    readTimeout: parts.readTimeout,
    log: parts.log,
    events: clientlessEvents(Array.isArray(recorded.roots) ? recorded.roots : [], witness),
  });
  const opened = await openSession(upstream, helloOf(run), { witness });
  if (opened.kind === "failed") {
    await upstream.close();
    throw new SynartesisError("server-unavailable", `the server ${recorded.name} could not be started: ${opened.reason}`);
  }
  const { info } = opened;
  if (parts.today === undefined && recorded.info !== null && !isSameServer(info, recorded.info)) {
    await upstream.close();
    throw new SynartesisError("server-mismatch", `${recorded.name} is now ${nameOf(info)}, but the run used ${nameOf(recorded.info)}`, {
      hint: "start the version that the run used, or accept today's server and policy with --replan",
    });
  }
  const recorder = {
    journal: parts.journal,
    upstream,
    locks: createLocks(),
    clock: parts.clock,
    log: parts.log,
    readTimeout: parts.readTimeout,
    meta: opened.meta,
    roots: recorded.roots,
  };
  const process = upstream.pid === null ? null : (identityOf(upstream.pid) ?? null);
  return { recorder, identity: { ...recorded, info, process } };
}

/** As the proxy writes it. A run of an older version has no mark of what its variables stood for. */
type RecordedSource = (ServerSource & { mark?: string }) | { kind: "wrapped"; mark: string; cwd: string };

/** With other values in its variables a server may show another world: there, nothing of the run would be found, and that be taken for undone. */
async function checkSame(
  name: string,
  source: ServerSource & { kind: "command" | "url"; mark?: string },
  expanded: string,
  { journal, today }: ServerParts,
): Promise<void> {
  if (today !== undefined || source.mark === undefined || (await journal.mark(expanded)) === source.mark) return;
  const variables = variablesOf(source).join(", ");
  throw new SynartesisError("server-mismatch", `the variables of ${name} (${variables}) have other values than when the run started it`, {
    hint: "set them as they were then, or accept today's values and policy with --replan",
  });
}

/** How the server is reached; whoever listens to it is added. */
type Reach =
  | Pick<Extract<UpstreamStart, { command: string }>, "command" | "args" | "env" | "cwd" | "stderr">
  | Pick<Extract<UpstreamStart, { place: object }>, "place">;

async function reachOf(run: Run, recorded: ServerIdentity, parts: ServerParts): Promise<Reach> {
  const today = parts.today?.(recorded.name);
  const source = (today ?? recorded.source) as unknown as RecordedSource;
  switch (source.kind) {
    case "command": {
      const expanded = expandSource(recorded.name, source, parts.env);
      await checkSame(recorded.name, source, commandText(expanded), parts);
      const { env, ...command } = expanded;
      return { ...command, env: serverEnvironment(parts.env, env), stderr: SILENT };
    }
    case "url": {
      const place = expandUrl(recorded.name, source, parts.env);
      await checkSame(recorded.name, source, urlText(place), parts);
      return { place: { ...place, login: parts.login(recorded.name, place.url) } };
    }
    case "wrapped": {
      const [command, ...args] = parts.wrappedCommand ?? [];
      if (command === undefined)
        throw new SynartesisError(
          "usage",
          `the server ${recorded.name} was wrapped in place: its command is only in the client's own file`,
          {
            hint: `give it after --, as it stands there: ${parts.command("undo", run.id)} -- COMMAND ARGS...`,
          },
        );
      if ((await parts.journal.mark(JSON.stringify([command, ...args]))) !== source.mark)
        throw new SynartesisError("server-mismatch", `the command after -- is not the one with which the run started ${recorded.name}`);
      return { command, args, env: serverEnvironment(parts.env, {}), cwd: source.cwd, stderr: SILENT };
    }
    case "via":
      throw new SynartesisError("server-unavailable", `the server ${recorded.name} has no command that could be started here`);
  }
}

/** Says what the client said, in its era: tool lists and guards of real servers depend on it. */
function helloOf(run: Run): JsonObject {
  if (isJsonObject(run.clientHello)) return run.clientHello;
  return { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "synartesis", version: "1" } };
}

function isSameServer(now: Json, recorded: Json): boolean {
  return nameOf(now) === nameOf(recorded);
}

function nameOf(info: Json): string {
  return isJsonObject(info) ? `${String(info["name"])} ${String(info["version"])}` : "a server that doesn't say its name";
}
