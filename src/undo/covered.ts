// Which later call changed the same thing, and still stands? The journal knows only of calls through proxies; of a person's own changes it knows nothing.
import type { ActionRef } from "../core/plan-step.ts";
import { isSettled } from "../core/vocabulary.ts";
import type { Journal } from "../journal/journal.ts";
import type { UndoAction } from "./gather.ts";

/** Finds the latest call of any run on the same resources that stands, but for those that this undo puts back itself before. */
export async function coveringAction(journal: Journal, action: UndoAction, planned: ReadonlySet<string>): Promise<ActionRef | undefined> {
  if (action.resources.length === 0) return undefined;
  const later = await journal.laterOn(action.resources, action.id);
  // A step of an undo shows in the status of the action that it undid.
  const standing = later.filter(
    ({ id, class: kind, status, undoes }) => kind !== "readonly" && !isSettled(status) && undoes === null && !planned.has(id),
  );
  const last = standing.at(-1);
  return last && { run: last.run, seq: last.seq, id: last.id };
}
