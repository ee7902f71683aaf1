// What does recording a call need? The parts below, handed in once per session (proxy) or per server of an undo.
import type { Json } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Journal } from "../journal/journal.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { RequestMeta } from "../wire/era.ts";
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
  /** What our own requests say of themselves: the same as the request that made them necessary. Undefined on a legacy connection. */
  readonly meta: RequestMeta | undefined;
  /** What the client last answered to the server's roots/list; null where it never asked. */
  readonly roots: Json;
}
