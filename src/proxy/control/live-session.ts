// What does an undo find of a session that is going on? Its server's connection, its policy and its runs.
import type { Json } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import type { Upstream } from "../../upstream/upstream.ts";
import type { RequestMeta } from "../../wire/era.ts";
import type { RunHandle } from "../run-handle.ts";

/** One server's session with the client, as an undo uses it. */
export interface LiveSession {
  readonly server: string;
  readonly upstream: Upstream;
  readonly policy: Policy;
  readonly runHandle: RunHandle;
  /** Milliseconds. */
  readonly readTimeout: number;
  /** The roots that the client gave the server last; null where it never asked. */
  readonly roots: () => Json;
  /** What our requests say of themselves, where that isn't what the client's say. */
  readonly meta?: RequestMeta | undefined;
}
