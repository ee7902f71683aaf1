// How does a proxy live? Starts the server, joins client and server in a session, and when the client goes lets the calls in
// flight settle before everything ends. stdout is the protocol's alone.
import type { Log } from "../core/log.ts";
import type { Policy } from "../core/policy.ts";
import { startWithRestart } from "../upstream/restart.ts";
import type { ServerStart } from "../upstream/stdio.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { within } from "../upstream/within.ts";
import { readMessages } from "../wire/peer.ts";
import type { StandardStreams } from "../wire/stdio.ts";
import { identify } from "../wire/too-long.ts";
import { createRunHandle, type RunParts } from "./run-handle.ts";
import { Session } from "./session.ts";

/** How long calls in flight may take to settle once the client has gone, in milliseconds. */
const SETTLE_GRACE = 10_000;
/** How long a client that has gone may take to read what was written to it, in milliseconds. */
const OUTPUT_GRACE = 2_000;
/** The same for calls that the client had cancelled. */
const CANCELLED_GRACE = 1_000;

export interface ProxyParts extends RunParts {
  readonly policy: Policy;
  readonly start: Omit<ServerStart, "events" | "log">;
  readonly streams: StandardStreams;
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
}

/**
 * Runs until the client has gone; gives whether it has read all that was written to it (what is left would keep the process alive).
 * @throws SynartesisError server-unavailable if the server can't be started at all
 */
export async function runProxy(parts: ProxyParts): Promise<boolean> {
  const { log, streams, start } = parts;
  const runHandle = createRunHandle(parts);
  // The server may speak before the session stands: it is made right after, in the same turn as the first message can be read.
  const { promise: ready, resolve } = Promise.withResolvers<Session>();
  const upstream = await startWithRestart({
    ...start,
    log,
    events: {
      onMessage: async (message) => {
        (await ready).fromServer(message);
        await streams.output.drained();
      },
      onTooLong: (known) => void ready.then((session) => session.tooLongFromServer(known)),
      onExit: (exit) => void ready.then((session) => session.serverEnded(exit)),
      onRestart: async () => (await ready).serverRestarted(),
    },
  });
  const session = new Session({ ...parts, server: start.name, upstream, runHandle, write: (bytes) => void streams.output.write(bytes) });
  resolve(session);
  await clientGone(parts, session, upstream);
  const settled = await within(SETTLE_GRACE, session.settled("wanted"));
  // A cancelled call may never be answered; one that is just being answered is worth a moment.
  const all = settled && (await within(CANCELLED_GRACE, session.settled("all")));
  if (!all) log.log("warn", "calls were still in flight when the client had gone; they are recorded as unknown");
  const left = await upstream.close();
  if (left.length > 0) log.log("error", "processes of the server could not be ended", { pids: [...left] });
  // The run is over whether or not the client ever reads the rest.
  await runHandle.leave().catch((error: unknown) => log.log("error", "the run could not be ended in the journal", { why: String(error) }));
  const isRead = await within(OUTPUT_GRACE, streams.output.end());
  if (!isRead) log.log("warn", "the client didn't read all that was written to it");
  return isRead;
}

/** Reads what the client sends; resolves at its end, or when the process is asked to end. */
function clientGone({ streams, signal, maxMessage, log }: ProxyParts, session: Session, upstream: Upstream): Promise<void> {
  return new Promise((resolve) => {
    const reading = readMessages(streams.input, {
      maxMessage,
      onMessage: (message) => {
        session.fromClient(message);
        return upstream.drained();
      },
      onTooLong: (line) => session.tooLongFromClient(identify(line)),
      onEnd: (error) => {
        if (error !== undefined) log.log("warn", "reading from the client failed", { why: String(error) });
        resolve();
      },
    });
    const stop = () => {
      reading.stop();
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
