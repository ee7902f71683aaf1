// How does a proxy of one server live? Starts the server, joins client and server in a session, and when the client goes lets the calls
// in flight settle before everything ends. stdout is the protocol's alone.
import type { Log } from "../core/log.ts";
import type { Policy } from "../core/policy.ts";
import { startWithRestart } from "../upstream/restart.ts";
import type { Upstream, UpstreamEvents } from "../upstream/upstream.ts";
import { within } from "../upstream/within.ts";
import type { ClientStreams } from "../wire/stdio.ts";
import { settle, untilClientGone } from "./client-stream.ts";
import type { ControlSocket } from "./control/control-socket.ts";
import { type GuardedServer, isGuarded, type MissingServer } from "./guarded-server.ts";
import { OtherServers } from "./other-servers.ts";
import { createRunHandle, type RunHandle, type RunParts } from "./run-handle.ts";
import { exitWords } from "./server-words.ts";
import { Session } from "./session.ts";

/** How long a client that has gone may take to read what was written to it, in milliseconds. */
const OUTPUT_GRACE = 2_000;

/** What every proxy needs, whatever stands behind it. */
export interface CommonParts extends Omit<RunParts, "servers"> {
  readonly policy: Policy;
  /** What the client's identity is allowed. */
  readonly scopes: readonly string[];
  readonly streams: ClientStreams;
  /** Aborted when the process is asked to end, or the client reads no more. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly clock: () => number;
  /** Milliseconds. */
  readonly readTimeout: number;
  /** Bytes. */
  readonly maxMessage: number;
  /** Writes a command of ours as a person can run it here. */
  readonly commandLine: (words: readonly string[]) => string;
  /** By which an undo reaches the sessions; undefined where none is to. */
  readonly control?: ControlSocket;
  /** The servers that only rules use. */
  readonly hidden: readonly (GuardedServer | MissingServer)[];
}

export interface ProxyParts extends CommonParts {
  readonly server: GuardedServer;
}

/**
 * Runs until the client has gone; gives whether it has read all that was written to it (what is left would keep the process alive).
 * @throws SynartesisError server-unavailable if the server can't be started at all
 */
export async function runProxy(parts: ProxyParts): Promise<boolean> {
  const { log, streams, server } = parts;
  const { output } = streams;
  const { runHandle, others } = begin(parts, [server]);
  const write = (bytes: Uint8Array) => void output.write(bytes);
  const listens = streams.onPaused === undefined ? {} : { onPaused: streams.onPaused };
  const { session, upstream } = await joinServer(parts, server, { runHandle, others, instructs: true, write, listens });
  await untilClientGone({
    ...parts,
    input: streams.input,
    onMessage: (message) => {
      session.fromClient(message);
      return upstream.drained();
    },
    onTooLong: (known) => session.tooLongFromClient(known),
  });
  await settle([session], log);
  return endAll(parts, [upstream], { runHandle, others });
}

/** What the sessions of one client share. */
export interface Shared {
  readonly runHandle: RunHandle;
  readonly others: OtherServers;
}

/** Prepares what the sessions of one client share; nothing is started or written yet. */
export function begin(parts: CommonParts, servers: readonly GuardedServer[]): Shared {
  const runHandle = createRunHandle({ ...parts, servers: [...servers, ...parts.hidden.filter(isGuarded)] });
  return { runHandle, others: new OtherServers({ ...parts, runHandle }) };
}

/** A server that runs, and the client's session with it. */
export interface JoinedServer {
  readonly session: Session;
  readonly upstream: Upstream;
}

/** What a session shares with others, or is told by whoever made it. */
export interface SessionSetting extends Shared {
  readonly instructs: boolean;
  readonly write: (bytes: Uint8Array) => void;
  /** Hears, after the session has, that the server's process ended or runs again; and of answers that are to be asked for later. */
  readonly listens: { onExit?(why: string, upstream: Upstream): void; onRestart?(): void } & Pick<UpstreamEvents, "onPaused">;
}

/** Starts a server and makes the client's session with it. @throws SynartesisError server-unavailable if it can't be started at all */
export async function joinServer(parts: CommonParts, server: GuardedServer, setting: SessionSetting): Promise<JoinedServer> {
  // The server may speak before the session stands: it is made right after, in the same turn as the first message can be read.
  const { promise: ready, resolve } = Promise.withResolvers<JoinedServer>();
  const events: UpstreamEvents = {
    onMessage: async (message) => {
      (await ready).session.fromServer(message);
      await parts.streams.output.drained();
    },
    onTooLong: (known) => void ready.then(({ session }) => session.tooLongFromServer(known)),
    onLost: (id, loss) => void ready.then(({ session }) => session.lostFromServer(id, loss)),
    onPaused: (id, retry) => setting.listens.onPaused?.(id, retry),
    onExit: (exit) =>
      void ready.then(({ session, upstream }) => {
        session.serverEnded(exit);
        setting.listens.onExit?.(exitWords(exit), upstream);
      }),
    onRestart: async () => {
      await (await ready).session.serverRestarted();
      setting.listens.onRestart?.();
    },
  };
  const upstream = await startWithRestart({ ...server.start, log: parts.log, events });
  const session = new Session({ ...parts, ...setting, server: server.name, upstream });
  const joined = { session, upstream };
  const { policy, readTimeout } = parts;
  const { runHandle, others } = setting;
  parts.control?.add({ server: server.name, upstream, policy, runHandle, readTimeout, roots: () => session.roots });
  others.join(server.name, () => ({ upstream, readTimeout, roots: session.roots }));
  resolve(joined);
  return joined;
}

/** Ends every server, then the run, then the way to the client; gives whether the client has read all that was written to it. */
export async function endAll(
  { log, streams, control }: CommonParts,
  upstreams: readonly Upstream[],
  { runHandle, others }: Shared,
): Promise<boolean> {
  control?.remove(runHandle);
  const end = async (upstream: Upstream) => {
    const left = await upstream.close();
    if (left.length > 0) log.log("error", "processes of the server could not be ended", { server: upstream.name, pids: [...left] });
  };
  await Promise.all([...upstreams, ...(await others.started())].map(end));
  // The run is over whether or not the client ever reads the rest.
  await runHandle.leave().catch((error: unknown) => log.log("error", "the run could not be ended in the journal", { why: String(error) }));
  const isRead = await within(OUTPUT_GRACE, streams.output.end());
  if (!isRead) log.log("warn", "the client didn't read all that was written to it");
  return isRead;
}
