// What is to be done with one action, given the state that its read shows now? Pure, and made twice: for the plan, and again right before the
// step is carried out. Never acts, and never takes an unknown outcome for a known one.
import { conflictsOf } from "./conflict.ts";
import { asBefore, bare, type Circumstances, isDamaged, isSame, type Judgement, judgeChange, send } from "./judge-change.ts";
import { isHalting, isSending, type PlanAction } from "./plan-step.ts";
import { readsOf } from "./resolve-calls.ts";
import type { State } from "./state.ts";
import type { PathStep } from "./template.ts";
import { type MergeRules, threeWay } from "./three-way.ts";
import { isToldByState, repeats } from "./way-back.ts";

/** Judges one action (undefined `now`: it has no read, or it wasn't made). */
export function judgeStep(action: PlanAction, now: State | undefined, circumstances: Circumstances): Judgement {
  const judged = judge(action, now, circumstances);
  const isDead = now?.kind === "unreadable" && now.cause === "no-server";
  return isDead && (isHalting(judged) || isSending(judged)) ? bare(action, "unknown", "server-unavailable", now) : judged;
}

function judge(action: PlanAction, now: State | undefined, circumstances: Circumstances): Judgement {
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
      return action.reason === "deleted-since" || action.reason === "no-trace"
        ? judgeUnseen(action, action.reason, now, circumstances)
        : bare(action, "done", "undone-before");
    case "permanent":
      // Somebody may have put that back by now.
      if (action.reason === "not-restored") return judgeChange({ ...action, status: "applied" }, now, circumstances);
      return bare(action, "permanent", action.reason ?? "irreversible");
    case "intended":
    case "unknown":
      return judgeUnknown(action, now);
    case "undoing":
      return bare(action, "unknown", "still-running");
    case "applied":
    case "stuck":
      return action.class === "readonly" ? bare(action, "skip", "read") : judgeChange(action, now, circumstances);
  }
}

/**
 * Nothing was put back, because there was nothing to see. What showed no trace may show one by now. What was deleted and is there again is
 * somebody's, even if it is just as the agent left it: only a person can say that it isn't.
 */
function judgeUnseen(
  action: PlanAction,
  reason: "deleted-since" | "no-trace",
  now: State | undefined,
  circumstances: Circumstances,
): Judgement {
  if (reason === "deleted-since" && !circumstances.overwrite) return bare(action, "done", reason, now);
  const judged = judgeChange(action, now, circumstances);
  return judged.kind === "done" || now?.kind === "unreadable" ? bare(action, "done", reason, now) : judged;
}

/** Tells whether judging the action takes a look at the world: unseen, it would be a conflict or unknown. */
export function dependsOnState(action: PlanAction): boolean {
  if (action.status === "undone" && action.reason === "deleted-since") return action.read !== undefined;
  return action.read !== undefined && isHalting(judgeStep(action, undefined, { at: 0, overwrite: false, tryExpired: true }));
}

/** An action whose reply was lost: with a snapshot, the world tells; without one, only a person can. */
function judgeUnknown(action: PlanAction, now: State | undefined): Judgement {
  if (action.class === "readonly") return bare(action, "skip", "read");
  if (action.mayStillRun) return bare(action, "unknown", "still-running", now);
  const { before } = action;
  const reason = action.reason ?? "reply-lost";
  if (before === undefined || now === undefined) return bare(action, "unknown", reason, now);
  // Everything counts that the call could have changed, not only what the inverse would put back.
  if (isSame({ ...action.rules, relevant: undefined }, now, before)) return bare(action, "skip", "did-not-happen", now);
  return bare(action, "unknown", reason, now, now.kind === "unreadable" ? [] : conflictsOf(before, undefined, now, action.rules.ignore));
}

/** An undo was cut off between claim and outcome: look, and never send twice on a guess. */
function judgeInterrupted(action: PlanAction, now: State | undefined): Judgement {
  if (action.mayStillRun) return bare(action, "unknown", "still-running", now);
  if (now === undefined || isDamaged(action.before) || isDamaged(action.left)) return bare(action, "unknown", "undo-not-known", now);
  const { before, left, commutes, rules } = action;
  if (before !== undefined && isSame(rules, now, before)) return asBefore(action, "was-put-back", now);
  // What others may have changed, too, doesn't show who did; nor does the old thing show whether a new one was made.
  if (action.sentAgain || commutes) return bare(action, "unknown", "undo-not-known", now);
  if (action.inverse !== undefined && action.inverse.length > 1) return judgePart(action, now, action.inverse.length);
  if (left !== undefined && isSame(rules, now, left)) return send(action, now, before, "not-put-back");
  if (before === undefined && left !== undefined && now.kind === "absent") return bare(action, "done", "was-put-back", now);
  if (before?.kind !== "present" || left?.kind !== "present" || now.kind !== "present")
    return bare(action, "unknown", "undo-not-known", now);
  const compared = threeWay(before.value, left.value, now.value, action.rules);
  if (compared.kind === "as-before") return bare(action, "done", "was-put-back", now);
  if (compared.kind !== "merged" || compared.already > 0) return bare(action, "unknown", "undo-not-known", now);
  const judged = judgeChange({ ...action, interrupted: false }, now, { at: 0, overwrite: false, tryExpired: true });
  return judged.kind === "merge" ? { ...judged, action } : bare(action, "unknown", "undo-not-known", now);
}

/**
 * One of several calls was cut off. What it writes back tells whether it took effect; one that writes nothing back that is compared leaves that
 * open, but for the last one where the thing is gone. A call that took effect is done: the rest goes on after it.
 */
function judgePart(action: PlanAction, now: State, calls: number): Judgement {
  const { before, left, rules, done } = action;
  if (before === undefined && now.kind === "absent" && done === calls - 1) return bare(action, "done", "was-put-back", now);
  const paths = pathsOf(action);
  if (before === undefined || left === undefined || paths.length === 0) return bare(action, "unknown", "undo-not-known", now);
  const own = { ...rules, relevant: paths };
  if (isSame(own, now, before)) return goOn(action, now, done + 1, calls);
  if (isSame(own, now, left)) return goOn(action, now, done, calls);
  if (isToldByState(action.wayBack) && isOnlyPutBack(before, left, now, rules)) return goOn(action, now, done + 1, calls);
  return bare(action, "unknown", "undo-not-known", now);
}

/** Nothing has changed but that some of it is as it was before. */
function isOnlyPutBack(before: State, left: State, now: State, rules: MergeRules): boolean {
  if (before.kind !== "present" || left.kind !== "present" || now.kind !== "present") return false;
  const compared = threeWay(before.value, left.value, now.value, rules);
  return compared.kind === "merged" && compared.kept.length === 0;
}

/** What the call writes back that was cut off; of one that may be one of a repeated call, what they all write back. */
function pathsOf({ wayBack, done, rules }: PlanAction): readonly (readonly PathStep[])[] {
  if (repeats(wayBack)) return rules.relevant ?? [];
  const template = wayBack?.templates[done];
  return template === undefined ? [] : readsOf([template], "snapshot");
}

function goOn(action: PlanAction, now: State, done: number, calls: number): Judgement {
  if (done === calls) return bare(action, "done", "was-put-back", now);
  const judged = judgeChange({ ...action, interrupted: false, done }, now, { at: 0, overwrite: false, tryExpired: true });
  return isSending(judged) ? { ...judged, action } : bare(action, "unknown", "undo-not-known", now);
}
