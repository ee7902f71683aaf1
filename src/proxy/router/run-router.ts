// How does a proxy of several servers live? Starts them all, and joins those that run with the client through the router; one run for
// all. One that doesn't start, doesn't read or ends takes nothing of the others with it.
import { SynartesisError } from "../../errors.ts";
import type { Upstream } from "../../upstream/upstream.ts";
import { within } from "../../upstream/within.ts";
import { settle, untilClientGone } from "../client-stream.ts";
import { type GuardedServer, isGuarded, type MissingServer } from "../guarded-server.ts";
import { begin, type CommonParts, endAll, type JoinedServer, joinServer, type SessionSetting } from "../run-proxy.ts";
import { Router } from "./router.ts";

/** Below 10 s, the shortest time that clients give a server to start, and above the 8 s that slow servers take. */
const HELLO_PATIENCE = 9_000;
/** How long a server that doesn't read may keep the client's other messages waiting, in milliseconds. */
const PACE = 1_000;

export interface RouterProxyParts extends CommonParts {
  /** In the order of the manifest; at least one isn't missing. */
  readonly servers: readonly (GuardedServer | MissingServer)[];
  /** Our own version. */
  readonly version: string;
}

/**
 * Runs until the client has gone; gives whether it has read all that was written to it.
 * @throws SynartesisError server-unavailable if none of the servers can be started
 */
export async function runRouter(parts: RouterProxyParts): Promise<boolean> {
  const { log, streams, servers } = parts;
  const ofClient = begin(parts, servers.filter(isGuarded));
  const router = new Router({
    ...parts,
    servers: servers.map(({ name }) => name),
    write: (bytes) => void streams.output.write(bytes),
    helloPatience: HELLO_PATIENCE,
    listPatience: parts.readTimeout,
  });
  const shared = { ...ofClient, instructs: false };
  const joined = await joinAll(parts, router, (name) => ({
    ...shared,
    write: (bytes) => router.fromServer(name, bytes),
    listens: {
      onExit: (why, upstream) => router.serverEnded(name, upstream.alive ? undefined : why),
      onRestart: () => router.serverRestarted(name),
    },
  }));
  const pace = createPace(joined.map(({ upstream }) => upstream));
  await untilClientGone({
    ...parts,
    input: streams.input,
    onMessage: (message) => {
      router.fromClient(message);
      return pace();
    },
    onTooLong: (known) => router.tooLongFromClient(known),
  });
  await settle(
    joined.map(({ session }) => session),
    log,
  );
  return endAll(
    parts,
    joined.map(({ upstream }) => upstream),
    ofClient,
  );
}

async function joinAll(
  parts: RouterProxyParts,
  router: Router,
  settingOf: (name: string) => SessionSetting,
): Promise<readonly JoinedServer[]> {
  const failures: SynartesisError[] = [];
  for (const server of parts.servers) if (!isGuarded(server)) router.serverEnded(server.name, server.missing.message);
  const starting = parts.servers.filter(isGuarded).map(async (server) => {
    try {
      const joined = await joinServer(parts, server, settingOf(server.name));
      router.join(server.name, (message) => joined.session.fromClient(message));
      return [joined];
    } catch (error) {
      if (!(error instanceof SynartesisError)) throw error;
      failures.push(error);
      router.serverEnded(server.name, error.message);
      parts.log.log("error", `left out: ${error.message}`, { server: server.name, hint: error.hint });
      return [];
    }
  });
  const joined = (await Promise.all(starting)).flat();
  if (joined.length === 0 && failures[0] !== undefined) throw failures[0];
  return joined;
}

/** Makes what waits until the servers have taken what was sent, each at most once for long: a stuck one isn't waited for again before it reads. */
function createPace(upstreams: readonly Upstream[]): () => Promise<void> {
  const stuck = new Set<Upstream>();
  const keepUp = async (upstream: Upstream) => {
    const drained = upstream.drained();
    if (await within(PACE, drained)) return;
    stuck.add(upstream);
    void drained.then(() => stuck.delete(upstream));
  };
  return async () => {
    await Promise.all(upstreams.filter((upstream) => !stuck.has(upstream)).map(keepUp));
  };
}
