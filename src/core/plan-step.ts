// What is a step of an undo? The vocabulary that the planner, the undo and the renderer share: an action as it is judged, and the judgement.
import type { Conflict } from "./conflict.ts";
import type { Digest } from "./digest.ts";
import { type EffectHints, undoByOf } from "./hints.ts";
import type { Json } from "./json.ts";
import type { UndoTerms } from "./policy.ts";
import type { ResolvedCall } from "./resolved-call.ts";
import type { ResolvedRead } from "./resolved-read.ts";
import type { InverseTemplate } from "./rule-record.ts";
import type { State } from "./state.ts";
import type { Change, MergeRules } from "./three-way.ts";
import type { ActionClass, ActionStatus, PlanKind, Reason, Verification } from "./vocabulary.ts";

/** What can be said of an action without the values that it has to do with. */
export interface ActionHead {
  readonly id: string;
  readonly run: string;
  readonly seq: number;
  readonly server: string;
  readonly tool: string;
  readonly class: ActionClass;
  readonly status: ActionStatus;
  readonly reason: Reason | null;
  readonly detail: string | null;
  readonly resources: readonly string[];
  /** What the checks after it came to; null where there are none. */
  readonly verification: Verification | null;
  /** Who approved it, if somebody had to. */
  readonly approvedBy: string | null;
  /** When that was, in milliseconds since the epoch. */
  readonly approvedAt: number | null;
  /** What undoing it costs, as its rule says. */
  readonly terms: UndoTerms | undefined;
  /** What the server said of its effect; undefined where it said nothing. */
  readonly effect: EffectHints | undefined;
  /** When it ended, in milliseconds since the epoch. */
  readonly settledAt: number;
  /** The id of the call of which it may not be known whether it happened: its own, or that of its undo which was cut off. */
  readonly lostCall: string;
}

/** What an inverse is made of; only where it is known can another state than the captured one go into it. */
export interface WayBack {
  readonly templates: readonly InverseTemplate[];
  readonly args: Json;
  /** The result's value; undefined where the templates don't need it. */
  readonly result: Json | undefined;
}

/** An action as it is judged. */
export interface PlanAction extends ActionHead {
  /** How its states compare, and which parts of them the inverse puts back. */
  readonly rules: MergeRules;
  /** The offset is right whatever happened in between. */
  readonly commutes: boolean;
  /** The read that shows the state, and the digest by which two equal reads are known. */
  readonly read: { readonly key: Digest; readonly call: ResolvedRead } | undefined;
  /** Undefined where the rule takes no snapshot. */
  readonly before: State | undefined;
  /** Undefined where the state after the call wasn't captured; unreadable where the read of it was answered, but showed nothing. */
  readonly left: State | undefined;
  /** The calls that put it back, in order, as they were resolved for the captured state. */
  readonly inverse: readonly ResolvedCall[] | undefined;
  readonly wayBack: WayBack | undefined;
  /** How many of these calls earlier undos carried out, which came no further: `left` is what they left, and they aren't sent again. */
  readonly done: number;
  /** For redo: the inverse is the original call once more, since the undo of it has no inverse of its own. */
  readonly sentAgain: boolean;
  /** What it would send was kept out of the record. */
  readonly withheld?: true;
  /** An earlier undo claimed it and never said how that ended. */
  readonly interrupted: boolean;
  /** The process that got the call (or its interrupted inverse) may still be at work on it. */
  readonly mayStillRun: boolean;
  /** A later call on the same thing stands and isn't put back here: what is there now needn't be a person's doing. */
  readonly coveredBy: Covering | undefined;
}

/** A later call on the same thing. `madeAnew`: it took the thing away, and its undo made it anew, as something else. */
export interface Covering extends ActionRef {
  readonly madeAnew?: true;
}

/** An action as a person names it. */
export interface ActionRef {
  readonly run: string;
  readonly seq: number;
  readonly id: string;
}

/** Why a step has its kind; the renderer has the words. */
export type StepReason =
  | Reason
  | "read"
  | "changed-nothing"
  | "failed-unverified"
  | "undone-before"
  | "not-asked"
  | "skipped"
  | "as-left"
  | "as-before"
  | "beside-others"
  | "overwriting"
  | "gone-already"
  | "offset"
  | "no-call"
  | "whatever-since"
  | "sent-again"
  | "redacted"
  | "unreadable-alike"
  | "window-closed"
  | "said-irreversible"
  | "state-unreadable"
  | "server-unavailable"
  | "record-damaged"
  | "post-state-missing"
  | "changed-since"
  | "made-anew"
  | "not-mergeable"
  | "still-running"
  | "did-not-happen"
  | "was-put-back"
  | "not-put-back"
  | "undo-not-known";

/** One action of a plan, judged. */
export interface PlanStep<A extends ActionHead = ActionHead> {
  readonly action: A;
  readonly kind: PlanKind;
  readonly reason: StepReason;
  /** The calls to send, in order, without those that are done; only for restore, merge and compensate. */
  readonly inverse: readonly ResolvedCall[] | undefined;
  /** How many calls of the inverse are done already, as far as the record and the look tell. */
  readonly done: number;
  /** False for an offset that nothing can show to have worked. */
  readonly verified: boolean;
  /** Judged as if newer steps of this plan had been carried out, where what they leave can't be foreseen. */
  readonly assumed: boolean;
  /** For a conflict: where the state now differs from what the agent left, with the prior value. */
  readonly conflicts: readonly Conflict[];
  /** For a merge: what others changed since, which stays. */
  readonly kept: readonly Change[];
  /** What the agent changed, the inverse doesn't put back, and nobody has put back since; absent where that isn't known before. */
  readonly remains?: readonly Change[];
  readonly now: State | undefined;
  /** How its states compare. */
  readonly rules: MergeRules;
  /** The state that the inverse is to give; undefined for an offset, which is only expected to change what is there. */
  readonly meant: State | undefined;
  /** The halted step because of which this one isn't reached. */
  readonly blockedBy: ActionRef | undefined;
  /** For a conflict: the later call that changed the same thing and stands, if the journal knows of one. */
  readonly changedBy: ActionRef | undefined;
}

/** The plan of an undo. */
export interface UndoPlan<S extends PlanStep = PlanStep> {
  /** Newest first. */
  readonly steps: readonly S[];
  /** Index of the first step at which undo halts. */
  readonly halt: number | undefined;
}

const HALTING: ReadonlySet<PlanKind> = new Set(["conflict", "unknown"]);
const SENDING: ReadonlySet<PlanKind> = new Set(["restore", "merge", "compensate"]);

/** Tells whether undo stops at this step. */
export function isHalting({ kind }: Pick<PlanStep, "kind">): boolean {
  return HALTING.has(kind);
}

/** Tells whether a step sends a call. */
export function isSending({ kind }: Pick<PlanStep, "kind">): boolean {
  return SENDING.has(kind);
}

/** What says how long a call can be undone, and at which cost. */
export type Terms = Pick<ActionHead, "terms" | "effect" | "settledAt">;

/**
 * Gives the moment after which a call can't be undone any more, in milliseconds since the epoch, and whose word that is; undefined where there is
 * none. Of the policy's and the server's the earlier one counts.
 */
export function deadlineOf({ terms, effect, settledAt }: Terms): { readonly at: number; readonly by: "policy" | "server" } | undefined {
  const own = terms?.within === undefined ? undefined : settledAt + terms.within;
  const said = undoByOf(effect);
  if (said !== undefined && (own === undefined || said < own)) return { at: said, by: "server" };
  return own === undefined ? undefined : { at: own, by: "policy" };
}

/** Tells whether something comes with it that a person should agree to first, as the policy or the server says. */
export function hasSideEffects({ terms, effect }: Pick<Terms, "terms" | "effect">): boolean {
  return terms?.sideEffects !== undefined || effect?.sideEffects !== undefined;
}
