// May the inverse of a change that stands be sent now, and with which state? Compares what was there before, what the agent left and what is
// there now (40-undo, "Three-way"). Never sends anything over somebody's newer change, unless a person chose that.
import { type Conflict, conflictsOf } from "./conflict.ts";
import type { Json } from "./json.ts";
import { deadlineOf, type PlanAction, type PlanStep, type StepReason } from "./plan-step.ts";
import { remainderOf } from "./remainder.ts";
import { areUnreadableAlike, presentValue, type State, showsNoTrace } from "./state.ts";
import { type MergeRules, sameButForOrder, sameOnRelevant, threeWay } from "./three-way.ts";
import { callsBeside, callsOver } from "./way-back.ts";

/** What a step is judged to be; the planner adds what it knows of the others. */
export type Judgement = Omit<PlanStep<PlanAction>, "assumed" | "blockedBy" | "changedBy">;

/** What judging depends on besides the action and the state. */
export interface Circumstances {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A person wants it put back over later changes. */
  readonly overwrite: boolean;
  /** Try also what is past its undo window. */
  readonly tryExpired: boolean;
}

/** Judges a change that stands, given the state that its read shows now (undefined: it has no read, or it wasn't made). */
export function judgeChange(action: PlanAction, now: State | undefined, circumstances: Circumstances): Judgement {
  if (action.inverse === undefined) return bare(action, "permanent", action.withheld ? "redacted" : "not-captured");
  if (action.inverse.length === 0) return bare(action, "done", "no-call");
  const over = circumstances.tryExpired ? undefined : whyOver(action, circumstances.at);
  if (over !== undefined) return bare(action, "expired", over);
  const judged = judgeState(action, now);
  if (judged.kind !== "conflict" || !circumstances.overwrite) return judged;
  const meant = isDamaged(action.before) ? undefined : action.before;
  return { ...judged, ...send(action, now, meant, "overwriting"), conflicts: judged.conflicts };
}

/** Tells whether, and why, a change isn't undone unless somebody says to try. */
function whyOver(action: PlanAction, at: number): StepReason | undefined {
  if (action.effect?.irreversible) return "said-irreversible";
  const deadline = deadlineOf(action);
  return deadline !== undefined && at > deadline.at ? "window-closed" : undefined;
}

function judgeState(action: PlanAction, now: State | undefined): Judgement {
  const { before, left, rules } = action;
  if (isDamaged(before) || isDamaged(left)) return bare(action, "conflict", "record-damaged", now);
  if (action.read === undefined) return send(action, now, undefined, action.sentAgain ? "sent-again" : "offset");
  if (now === undefined) return bare(action, "conflict", "state-unreadable", now);
  if (isSentUnseen(action, now)) return { ...send(action, now, undefined, "unreadable-alike"), verified: false };
  if (now.kind === "unreadable") return bare(action, "conflict", "state-unreadable", now);
  if (left?.kind === "unreadable" && left.cause === "no-trace" && showsNoTrace(now, before, rules.ignore))
    return bare(action, "done", "no-trace", now);
  if (action.commutes)
    return now.kind === "absent" ? bare(action, "done", "gone-already", now) : send(action, now, undefined, "whatever-since");
  if (before !== undefined && isSame(rules, now, before)) return asBefore(action, "as-before", now);
  if (now.kind === "absent" && action.coveredBy?.madeAnew) return bare(action, "conflict", "made-anew", now);
  // What was carried somewhere and is gone from there isn't back where it was.
  if (before === undefined && now.kind === "absent" && action.class !== "reversible") return bare(action, "done", "gone-already", now);
  if (left === undefined || left.kind === "unreadable") return conflict(action, "post-state-missing", now);
  if (isSame(rules, now, left)) return send(action, now, before, action.sentAgain ? "sent-again" : "as-left");
  if (now.kind === "absent" && action.coveredBy === undefined) return bare(action, "done", "deleted-since", now);
  if (before?.kind === "present" && left.kind === "present" && now.kind === "present")
    return judgeValues(action, before.value, left.value, now);
  return conflict(action, "changed-since", now);
}

function judgeValues(action: PlanAction, before: Json, left: Json, now: State & { kind: "present" }): Judgement {
  const compared = threeWay(before, left, now.value, action.rules);
  switch (compared.kind) {
    case "as-left":
      return send(action, now, action.before, "as-left");
    case "as-before":
      return compared.gone ? bare(action, "done", "deleted-since", now) : asBefore(action, "as-before", now);
    case "conflict":
      return bare(action, "conflict", "changed-since", now, compared.conflicts);
    case "merged": {
      // Where the inverse takes nothing from the snapshot, nothing of somebody's change could be kept.
      if (action.wayBack === undefined || action.rules.relevant === undefined) return conflict(action, "changed-since", now);
      const inverse = callsBeside(action, compared, now);
      if (inverse === undefined) return conflict(action, "not-mergeable", now);
      if (inverse.length === 0) return bare(action, "done", "no-call", now);
      const meant: State = { kind: "present", value: compared.value };
      const facts = {
        action,
        inverse,
        verified: true,
        conflicts: [],
        kept: compared.kept,
        now,
        rules: action.rules,
        meant,
        done: action.done,
      };
      return { kind: "merge", reason: "beside-others", ...facts };
    }
  }
}

/**
 * A reversible call without a snapshot, like a move, carries along what it finds: where its observation shows nothing (a folder, a binary
 * file), now just as then, the inverse is sent as if there were none. An offset may destroy what it doesn't see, and is not.
 */
function isSentUnseen(action: PlanAction, now: State): boolean {
  return action.class === "reversible" && action.before === undefined && action.left !== undefined && areUnreadableAlike(action.left, now);
}

/** Judges an action of which all that its inverse puts back is as it was before: something else may stand. */
export function asBefore(action: PlanAction, reason: "as-before" | "was-put-back", now: State): Judgement {
  const remains = remainderOf(action, now);
  if (remains.length === 0) return bare(action, "done", reason, now);
  return { ...(reason === "as-before" ? bare(action, "permanent", "not-restored", now) : bare(action, "done", reason, now)), remains };
}

/** Tells whether two states are the same on what the inverse puts back. */
export function isSame(rules: MergeRules, a: State, b: State): boolean {
  if (a.kind === "present" && b.kind === "present") return sameOnRelevant(a.value, b.value, rules);
  return a.kind === "absent" && b.kind === "absent";
}

/** Tells whether a state is as meant, by a server that keeps the order of records its own way: where more than the order was to change. */
export function isAsMeant(rules: MergeRules, now: State, meant: State, before: State | undefined): boolean {
  if (isSame(rules, now, meant)) return true;
  if (now.kind !== "present" || meant.kind !== "present") return false;
  const onlyOrderWasMeant = before?.kind === "present" && sameButForOrder(before.value, meant.value, rules);
  return !onlyOrderWasMeant && sameButForOrder(now.value, meant.value, rules);
}

export function isDamaged(state: State | undefined): boolean {
  return state?.kind === "unreadable" && state.cause === "damaged";
}

/** Judges an action to be put back to `meant`, or offset where that isn't known. */
export function send(action: PlanAction, now: State | undefined, meant: State | undefined, reason: StepReason): Judgement {
  const kind = action.before === undefined || action.commutes ? "compensate" : "restore";
  const inverse = callsOver(action, presentValue(meant), now, now);
  if (inverse === undefined) return conflict(action, "not-mergeable", now);
  const { rules, done } = action;
  return { action, kind, reason, inverse, verified: action.read !== undefined, conflicts: [], kept: [], now, rules, meant, done };
}

/** Judges an action to need no call, or to get none. */
export function bare(
  action: PlanAction,
  kind: PlanStep["kind"],
  reason: StepReason,
  now?: State,
  conflicts: readonly Conflict[] = [],
): Judgement {
  const { rules, done } = action;
  return { action, kind, reason, inverse: undefined, verified: true, conflicts, kept: [], now, rules, meant: undefined, done };
}

function conflict(action: PlanAction, reason: StepReason, now: State | undefined): Judgement {
  if (now === undefined) return bare(action, "conflict", reason);
  const left = action.left?.kind === "unreadable" ? undefined : action.left;
  return bare(action, "conflict", reason, now, conflictsOf(action.before, left, now, action.rules.ignore));
}
