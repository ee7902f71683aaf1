// What does recording a call need? The parts below, handed in once per session (proxy) or per server of an undo.
import type { Log } from "../core/log.ts";
import type { Journal } from "../journal/journal.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Locks } from "./locks.ts";

export interface Recorder {
  readonly journal: Journal;
  readonly upstream: Upstream;
  readonly locks: Locks;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly log: Log;
  /** How long a read of ours may take, in milliseconds. */
  readonly readTimeout: number;
}
