// What would undo do, step by step? A pure function from a run's actions and what was read just now. The same judgement is
// made again for each step right before it is carried out. Never reads, never sends, never asks.

import { type Conflict, conflictsOf } from "./conflict.ts";
import type { Digest } from "./digest.ts";
import type { ResolvedCall } from "./resolved-call.ts";
import { areUnreadableAlike, isSameState, type State, showsNoTrace } from "./state.ts";
import type { Reference } from "./template.ts";
import type { ActionClass, ActionStatus, PlanKind, Reason } from "./vocabulary.ts";

/** What the plan has to know of one action. */
export interface PlanAction {
  readonly id: string;
  readonly seq: number;
  readonly server: string;
  readonly tool: string;
  readonly class: ActionClass;
  readonly status: ActionStatus;
  readonly reason: Reason | null;
  readonly detail: string | null;
  readonly resources: readonly string[];
  readonly ignore: readonly Reference[];
  /** The read that shows the state, and the digest by which two equal reads are known. */
  readonly read: { readonly key: Digest; readonly call: ResolvedCall } | undefined;
  /** Undefined where the rule takes no snapshot. */
  readonly before: State | undefined;
  /** Undefined where the state after the call wasn't captured; unreadable where the read of it was answered, but showed nothing. */
  readonly left: State | undefined;
  readonly inverse: ResolvedCall | undefined;
  /** An earlier undo claimed it and never said how that ended. */
  readonly interrupted: boolean;
  /** The process that got the call (or its interrupted inverse) may still be at work on it. */
  readonly mayStillRun: boolean;
  /** Who approved it, if somebody had to. */
  readonly approvedBy: string | null;
}

/** Why a step has its kind; the renderer has the words. */
export type StepReason =
  | Reason
  | "read"
  | "changed-nothing"
  | "failed-unverified"
  | "undone-before"
  | "below-the-limit"
  | "as-left"
  | "as-before"
  | "gone-already"
  | "no-trace"
  | "offset"
  | "unreadable-alike"
  | "state-unreadable"
  | "record-damaged"
  | "post-state-missing"
  | "changed-since"
  | "still-running"
  | "did-not-happen"
  | "was-put-back"
  | "not-put-back"
  | "undo-not-known";

export interface PlanStep {
  readonly action: PlanAction;
  readonly kind: PlanKind;
  readonly reason: StepReason;
  /** The call to send; only for restore, merge and compensate. */
  readonly inverse: ResolvedCall | undefined;
  /** False for an offset that nothing can show to have worked. */
  readonly verified: boolean;
  /** Judged as if newer steps of this plan had been carried out, where what they leave can't be foreseen. */
  readonly assumed: boolean;
  /** For a conflict: where the state now differs from what the agent left, with the prior value. */
  readonly conflicts: readonly Conflict[];
  readonly now: State | undefined;
}

export interface UndoPlan {
  /** Newest first. */
  readonly steps: readonly PlanStep[];
  /** Index of the step at which undo would halt; what is older would not be reached. */
  readonly halt: number | undefined;
}

const HALTING: ReadonlySet<PlanKind> = new Set(["conflict", "unknown"]);

/** Tells whether undo stops at this step. */
export function isHalting(step: PlanStep): boolean {
  return HALTING.has(step.kind);
}

/** Tells whether a step sends a call. */
export function isSending(step: PlanStep): boolean {
  return step.inverse !== undefined;
}

/**
 * Plans the undo of a run's actions (in order of seq), given the states read just now by read key. An older step is judged
 * against what newer steps of the plan will leave, so that many writes to one thing show no false conflict.
 */
export function planUndo(
  actions: readonly PlanAction[],
  now: ReadonlyMap<Digest, State>,
  options: { readonly to?: number | undefined } = {},
): UndoPlan {
  const foreseen = new Map<string, Foreseen>();
  const steps = actions.toReversed().map((action, index) => {
    if (options.to !== undefined && action.seq < options.to) return bare(action, "kept", "below-the-limit");
    const effect = latestEffect(foreseen, action);
    const assumed = effect !== undefined && (action.read === undefined || effect.key !== action.read.key);
    const state = effect === undefined ? action.read && now.get(action.read.key) : assumed ? assumedState(action) : effect.state;
    const step = { ...judgeStep(action, state), assumed };
    if (isSending(step)) foresee(foreseen, step, index);
    return step;
  });
  const halt = steps.findIndex(isHalting);
  return { steps, halt: halt < 0 ? undefined : halt };
}

/** What the newer steps are taken to leave: what the action left. If it left no trace, that is what was there before it. */
function assumedState({ left, before }: PlanAction): State | undefined {
  return left?.kind === "unreadable" && left.cause === "no-trace" ? (before ?? { kind: "absent" }) : left;
}

/** What a step of the plan will leave on a resource; `state` only where the read that shows it is the same. */
interface Foreseen {
  readonly index: number;
  readonly key: Digest | undefined;
  readonly state: State | undefined;
}

function latestEffect(foreseen: ReadonlyMap<string, Foreseen>, action: PlanAction): Foreseen | undefined {
  let latest: Foreseen | undefined;
  for (const resource of action.resources) {
    const effect = foreseen.get(resource);
    if (effect !== undefined && (latest === undefined || effect.index > latest.index)) latest = effect;
  }
  return latest;
}

function foresee(foreseen: Map<string, Foreseen>, { action, kind }: PlanStep, index: number): void {
  const effect = kind === "restore" ? { index, key: action.read?.key, state: action.before } : { index, key: undefined, state: undefined };
  for (const resource of action.resources) foreseen.set(resource, effect);
}

/** Judges one action, given the state that its read shows now (undefined: it has no read, or it wasn't made). */
export function judgeStep(action: PlanAction, now: State | undefined): PlanStep {
  if (action.interrupted) return judgeInterrupted(action, now);
  switch (action.status) {
    case "held":
    case "approved":
    case "denied":
    case "expired":
      return bare(action, "skip", "changed-nothing");
    case "failed":
      return bare(action, "skip", action.reason === "tool-error-unverified" ? "failed-unverified" : "changed-nothing");
    case "undone":
      return bare(action, "done", "undone-before");
    case "permanent":
      return bare(action, "permanent", action.reason ?? "irreversible");
    case "intended":
    case "unknown":
      return judgeUnknown(action, now);
    case "undoing":
      return bare(action, "unknown", "still-running");
    case "applied":
    case "stuck":
      return action.class === "readonly" ? bare(action, "skip", "read") : judgeChange(action, now);
  }
}

/** An action whose reply was lost: with a snapshot, the world tells; without one, only a person can. */
function judgeUnknown(action: PlanAction, now: State | undefined): PlanStep {
  if (action.class === "readonly") return bare(action, "skip", "read");
  if (action.mayStillRun) return bare(action, "unknown", "still-running", now);
  if (action.before === undefined || now === undefined) return bare(action, "unknown", action.reason ?? "reply-lost", now);
  if (isSameState(now, action.before, action.ignore)) return bare(action, "skip", "did-not-happen", now);
  return bare(
    action,
    "unknown",
    action.reason ?? "reply-lost",
    now,
    now.kind === "unreadable" ? [] : conflictsOf(action.before, undefined, now, action.ignore),
  );
}

/** An undo was cut off between claim and outcome: look, and never send twice on a guess. */
function judgeInterrupted(action: PlanAction, now: State | undefined): PlanStep {
  if (action.mayStillRun) return bare(action, "unknown", "still-running", now);
  if (action.before !== undefined && now !== undefined && isSameState(now, action.before, action.ignore))
    return bare(action, "done", "was-put-back", now);
  if (action.left !== undefined && now !== undefined && isSameState(now, action.left, action.ignore))
    return sending(action, action.before ? "restore" : "compensate", "not-put-back", now);
  if (action.before === undefined && action.left !== undefined && now?.kind === "absent") return bare(action, "done", "was-put-back", now);
  return bare(action, "unknown", "undo-not-known", now);
}

function judgeChange(action: PlanAction, now: State | undefined): PlanStep {
  const { before, ignore } = action;
  if (action.inverse === undefined) return bare(action, "permanent", "not-captured");
  if (isDamaged(before) || isDamaged(action.left)) return bare(action, "conflict", "record-damaged", now);
  if (action.read === undefined) return sending(action, "compensate", "offset", now);
  if (now === undefined) return bare(action, "conflict", "state-unreadable", now);
  if (isSentUnseen(action, now)) return { ...sending(action, "compensate", "unreadable-alike", now), verified: false };
  if (now.kind === "unreadable") return bare(action, "conflict", "state-unreadable", now);
  if (action.left?.kind === "unreadable" && action.left.cause === "no-trace" && showsNoTrace(now, before, ignore))
    return bare(action, "done", "no-trace", now);
  if (before !== undefined && isSameState(now, before, ignore)) return bare(action, "done", "as-before", now);
  if (before === undefined && now.kind === "absent") return bare(action, "done", "gone-already", now);
  const left = action.left?.kind === "unreadable" ? undefined : action.left;
  if (left === undefined) return bare(action, "conflict", "post-state-missing", now, conflictsOf(before, undefined, now, ignore));
  if (isSameState(now, left, ignore)) return sending(action, before ? "restore" : "compensate", "as-left", now);
  return bare(action, "conflict", "changed-since", now, conflictsOf(before, left, now, ignore));
}

/**
 * A reversible call without a snapshot, like a move, carries along what it finds: where its observation shows nothing (a folder, a binary
 * file), now just as then, the inverse is sent as if there were none. An offset may destroy what it doesn't see, and is not.
 */
function isSentUnseen(action: PlanAction, now: State): boolean {
  return action.class === "reversible" && action.before === undefined && action.left !== undefined && areUnreadableAlike(action.left, now);
}

function isDamaged(state: State | undefined): boolean {
  return state?.kind === "unreadable" && state.cause === "damaged";
}

function bare(action: PlanAction, kind: PlanKind, reason: StepReason, now?: State, found: readonly Conflict[] = []): PlanStep {
  return { action, kind, reason, inverse: undefined, verified: true, assumed: false, conflicts: found, now };
}

function sending(action: PlanAction, kind: "restore" | "compensate", reason: StepReason, now: State | undefined): PlanStep {
  return { action, kind, reason, inverse: action.inverse, verified: action.read !== undefined, assumed: false, conflicts: [], now };
}
