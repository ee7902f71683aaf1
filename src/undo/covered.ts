// Which later call changed the same thing, and still stands? The journal knows only of calls through proxies; of a person's own changes it knows nothing.
import type { ActionRef, PlanStep } from "../core/plan-step.ts";
import { isSettled } from "../core/vocabulary.ts";
import type { Action, Journal } from "../journal/journal.ts";
import type { UndoAction } from "./gather.ts";

/**
 * Finds the latest call of any run on the same resources that stands, but for those that this undo puts back itself before (`planned`). Where
 * the thing is gone, only one that may have taken it away counts.
 */
export async function coveringAction(
  journal: Journal,
  action: UndoAction,
  planned: ReadonlySet<string>,
  { reason }: Pick<PlanStep, "reason">,
): Promise<ActionRef | undefined> {
  if (action.resources.length === 0) return undefined;
  const later = await journal.laterOn(action.resources, action.id);
  // A step of an undo shows in the status of the action that it undid.
  const last = later.findLast(
    (other) =>
      other.class !== "readonly" &&
      !isSettled(other.status) &&
      other.undoes === null &&
      !planned.has(other.id) &&
      (reason !== "deleted-since" || mayHaveTakenIt(other, action)),
  );
  return last && { run: last.run, seq: last.seq, id: last.id };
}

/** It ended nobody knows how, or the same read showed the thing gone after it, or it touched other things too, and may have carried it there. */
function mayHaveTakenIt(other: Action, { stored }: UndoAction): boolean {
  if (other.status === "unknown") return true;
  return other.read === stored.read ? other.postState !== "present" : other.resources.length > 1;
}
