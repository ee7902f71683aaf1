// What does the record hold? Runs, actions and decisions as they are read back. Values are not in them: rows name those by digest.
import type { Digest } from "../core/digest.ts";
import type { EffectHints } from "../core/hints.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type {
  ActionClass,
  ActionStatus,
  DecisionKind,
  Reason,
  RunKind,
  RunState,
  SnapshotState,
  Verification,
} from "../core/vocabulary.ts";

/** A process by pid, start time in clock ticks and boot id: unlike a pid alone, never reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
  readonly bootId: string;
}

/** What a run remembers of a server: where it came from (variables unexpanded) and who it said it was. */
export interface ServerIdentity {
  readonly name: string;
  /**
   * A `ServerSource`, with `mark`, the keyed digest of the command, or of the address with its headers, with variables expanded; for a
   * command wrapped in place only the digest, as `{ kind: "wrapped", mark }`.
   */
  readonly source: JsonObject;
  /** `serverInfo` of its initialize result; null until known. */
  readonly info: Json;
  /** The server's process, so that undo can tell whether it may still be at work on a call; null until started. */
  readonly process: ProcessIdentity | null;
  /** What the client last answered to this server's roots/list (the `roots` list); null where it never asked. */
  readonly roots: Json;
  /** The `schemaMark` of each tool that the policy itself calls, as the server listed it last; absent until it did, and in older records. */
  readonly schemas?: Readonly<Record<string, string>>;
  /** Only rules use it. */
  readonly hidden?: true;
}

export interface Run {
  readonly id: string;
  readonly kind: RunKind;
  readonly state: RunState;
  readonly client: { readonly name: string; readonly version: string } | null;
  /** The process that started the proxy; approvers may not descend from it. */
  readonly clientProcess: ProcessIdentity | null;
  /** What the client said in initialize (params), for undo to say again. */
  readonly clientHello: Json;
  readonly identity: string | null;
  readonly policyDigest: Digest;
  readonly servers: readonly ServerIdentity[];
  /** For an undo or a redo: the run that it undoes or redoes. */
  readonly undoes: string | null;
  /** The id of the saved plan that it carried out; no two runs have the same. */
  readonly plan: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Columns that can't be read any more; their members hold null, an empty list or the most careful word. Absent where all is well. */
  readonly damaged?: readonly string[];
}

/** One tool call. Digests name values; see Journal.value. */
export interface Action {
  readonly id: string;
  readonly run: string;
  /** 1, 2, 3... within the run. */
  readonly seq: number;
  /** The number of the event that made it: the order across runs. */
  readonly order: number;
  readonly server: string;
  readonly tool: string;
  readonly class: ActionClass;
  readonly status: ActionStatus;
  readonly reason: Reason | null;
  /** Words that belong to the reason: a server's error, a person's reason for denying, what a held call says besides its arguments (as JSON). Never decided by. */
  readonly detail: string | null;
  /** The rule that governed it, `{ match, line, digest, class, gate, ... }`; null where none matched. */
  readonly rule: Json;
  /** Digest over server, tool, exact arguments, what else the call says, and rule: what an approval is bound to. */
  readonly callKey: Digest;
  readonly resources: readonly string[];
  readonly args: Digest;
  /** The resolved read that showed the state: `{ tool, args }`; null where the rule has none. */
  readonly read: Digest | null;
  readonly snapshotState: SnapshotState;
  readonly snapshot: Digest | null;
  /** The state after the call: `none` until it was read (or where it couldn't be). */
  readonly postState: SnapshotState;
  readonly post: Digest | null;
  readonly result: Digest | null;
  /** The call that would undo it, resolved as far as known: `{ server, tool, args }`; null where there is none. */
  readonly inverse: Digest | null;
  /** What its rule's `verify` came to; null where there is none, or where it wasn't carried that far. */
  readonly verification: Verification | null;
  /** The checks that were made of it, `CheckFact`s: those of `require`, then those of `verify`. */
  readonly checks: Digest | null;
  /** What the result says of the effect itself. */
  readonly effect: EffectHints | null;
  /** For a step of an undo: the action it undoes. */
  readonly undoes: string | null;
  /** The approval it spent. */
  readonly approval: string | null;
  readonly receivedAt: number;
  readonly sentAt: number | null;
  readonly settledAt: number | null;
  /** As of a run: an action with damage must not be acted on. */
  readonly damaged?: readonly string[];
}

export interface Decision {
  readonly id: string;
  readonly action: string;
  readonly kind: DecisionKind;
  /** `policy`, or the name a person gave (recorded as claimed). */
  readonly by: string;
  readonly reasons: readonly string[];
  readonly madeAt: number;
  /** After this moment an approval counts no more; null where it doesn't apply. */
  readonly expiresAt: number | null;
  readonly spentBy: string | null;
  /** As of a run. */
  readonly damaged?: readonly string[];
}
