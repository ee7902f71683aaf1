// How long does a client stay, and what is still owed to the journal when it has gone? Reads until the end of its stream, or until the
// process is asked to end; then calls in flight get some time to settle.
import type { Log } from "../core/log.ts";
import { within } from "../upstream/within.ts";
import type { WireMessage } from "../wire/message.ts";
import type { ClientStreams } from "../wire/stdio.ts";
import { type Identified, identify } from "../wire/too-long.ts";
import type { Session } from "./session.ts";

/** How long calls in flight may take to settle once the client has gone, in milliseconds. */
const SETTLE_GRACE = 10_000;
/** The same for calls that the client had cancelled. */
const CANCELLED_GRACE = 1_000;

export interface ClientParts {
  readonly input: ClientStreams["input"];
  /** Aborted when the process is asked to end, or the client reads no more. */
  readonly signal: AbortSignal;
  /** Bytes. */
  readonly maxMessage: number;
  readonly log: Log;
  /** A promise pauses reading until it settles. */
  onMessage(message: WireMessage): void | Promise<void>;
  onTooLong(known: Identified): void;
}

/** Reads what the client sends; resolves at its end, or when the process is asked to end. */
export function untilClientGone({ input, signal, maxMessage, log, onMessage, onTooLong }: ClientParts): Promise<void> {
  return new Promise((resolve) => {
    const reading = input.read({
      maxMessage,
      onMessage,
      onTooLong: (line) => onTooLong(identify(line)),
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

/** Calls in flight get some time to settle; what doesn't becomes unknown when the run ends. */
export async function settle(sessions: readonly Session[], log: Log): Promise<void> {
  const settled = await within(SETTLE_GRACE, Promise.all(sessions.map((session) => session.settled("wanted"))));
  // A cancelled call may never be answered; one that is just being answered is worth a moment.
  const all = settled && (await within(CANCELLED_GRACE, Promise.all(sessions.map((session) => session.settled("all")))));
  if (!all) log.log("warn", "calls were still in flight when the client had gone; they are recorded as unknown");
}
