// What can come of trying a rule out? Proven, failed or unproven, and why. Codes and what others said; the words are found where they are shown.
import type { Json } from "../core/json.ts";
import type { Reason } from "../core/vocabulary.ts";

/**
 * Why nothing was proven, or the contrary. `no-sample`: no call leads there; `sample`: a sample can't be filled in; `held`: it waits for a person by more than a
 * gate; `call-failed`; `lost`: no answer came; `nothing-changed`, by all that is looked at; `nothing-shows`: no read shows whether it was undone; `offset`: what the call made is still there, in
 * another state; `foreign`: what the observation showed may be another's;
 * `undo`: undo took another way, or stopped; `differs`: it isn't as it was; `no-server`: it can't be started; `not-scratch`: it
 * would change another server, whose data is to stay.
 */
export type Cause =
  | "no-sample"
  | "sample"
  | "held"
  | "call-failed"
  | "lost"
  | "nothing-changed"
  | "nothing-shows"
  | "offset"
  | "foreign"
  | "undo"
  | "differs"
  | "no-server"
  | "not-scratch";

export interface Why {
  readonly cause: Cause;
  /** A code of the record, or of a plan. */
  readonly reason?: string | Reason | null;
  /** What a server, or undo, said. */
  readonly said?: string | null;
  /** What a call that should prepare it said instead. */
  readonly prepared?: string | null;
}

/** One place that isn't as it was before the call. */
export interface Difference {
  /** In what the rule's read shows ("" for all of it), below a companion's folder, or the name of another read and, if it isn't all of it, the place there. */
  readonly path: string;
  /** Undefined: nothing was there. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * By what it was seen that all is as it was: the rule's own read; its observation, of what the call made; every byte of the companions' folders; a sample's
 * checks; and what the server lists, which is never enough alone. */
export type Witness = "read" | "observe" | "bytes" | "check" | "listings";

export type Outcome =
  | { readonly kind: "proven"; readonly by: readonly Witness[] }
  | { readonly kind: "failed"; readonly why: Why; readonly differences: readonly Difference[] }
  | { readonly kind: "unproven"; readonly why: Why }
  /** The server refused, or changed nothing, as the sample says. */
  | { readonly kind: "refused" };

/** Says that nothing was proven. */
export function unproven(cause: Cause, more: Omit<Why, "cause"> = {}): Outcome & { kind: "unproven" } {
  return { kind: "unproven", why: { cause, ...more } };
}
