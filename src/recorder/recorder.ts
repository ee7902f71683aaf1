// What does recording a call need? The parts below, handed in once per session (proxy) or per server of an undo.
import type { Json } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { ToolName } from "../core/policy.ts";
import type { Journal } from "../journal/journal.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { RequestMeta } from "../wire/era.ts";
import type { Locks } from "./locks.ts";

/** A connection to a server, and what a call of ours needs to know of it. */
export interface Sender {
  readonly upstream: Upstream;
  /** How long a read of ours may take, in milliseconds. */
  readonly readTimeout: number;
  /** What our own requests say of themselves: the same as the request that made them necessary. Undefined on a legacy connection. */
  readonly meta: RequestMeta | undefined;
  /** What the client last answered to the server's roots/list; null where it never asked. */
  readonly roots: Json;
}

/** The connection to a server; or why there is none. */
export type Reached = { readonly kind: "reached"; readonly sender: Sender } | { readonly kind: "failed"; readonly why: string };

/** The sender is the server of the call that is recorded. */
export interface Recorder extends Sender {
  readonly journal: Journal;
  readonly locks: Locks;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly log: Log;
  /** Connects to another server that a rule names; starts it where it doesn't run yet. */
  readonly other: (call: ToolName) => Promise<Reached>;
}

/** Gives the connection by which a call of ours leaves: the recorder's own, or the one to another server. */
export function reach(recorder: Recorder, call: ToolName): Reached | Promise<Reached> {
  return call.server === recorder.upstream.name ? { kind: "reached", sender: recorder } : recorder.other(call);
}
