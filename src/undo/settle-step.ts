// What does the record say of an action once a step of an undo has looked at it, and sent nothing, or is about to? Never says that more is put back
// than the look has shown.
import type { PlanStep } from "../core/plan-step.ts";
import { type State, storedState } from "../core/state.ts";
import type { Reason } from "../core/vocabulary.ts";
import type { Action, Journal, Original, Outcome } from "../journal/journal.ts";
import { standsText } from "../recorder/inverse-end.ts";
import { partsBefore } from "./earlier-calls.ts";
import type { UndoAction } from "./gather.ts";

/** Halted for good until somebody decides. A redo that comes to nothing leaves the undo as it was. */
export async function stick(journal: Journal, action: UndoAction): Promise<void> {
  if (action.redoes !== undefined) return;
  const { status } = action.stored;
  if (status === "applied" || (status === "undoing" && !action.cutOff)) await journal.move(action.id, status, "stuck", "drift");
  // It was taken for undone, and shows by now that it isn't.
  if (status === "undone") await journal.move(action.id, "undone", "applied", null);
}

/** It is as before by one read, and by another it isn't. */
export async function stickUnconfirmed(journal: Journal, action: UndoAction, step: PlanStep, said: string): Promise<void> {
  if (action.cutOff) await settleCutOff(journal, action, action.cutOff, "partly-undone", step.now);
  const { status } = action.stored;
  const from = action.cutOff ? "applied" : status;
  if (from === "applied" || from === "undoing") await journal.move(action.id, from, "stuck", "read-back-differs", said);
}

/** Already as the inverse would leave it: recorded as undone, without a call. */
export async function settleDone(journal: Journal, action: UndoAction, step: PlanStep): Promise<void> {
  if (action.stored.status === "undone") return;
  if (action.cutOff) return settleCutOff(journal, action, action.cutOff, "undone", step.now);
  await reopen(journal, action);
  if (action.status !== "applied" && action.status !== "stuck" && action.status !== "permanent") return;
  // Between two calls it is still claimed in the record.
  const from = action.stored.status === "undoing" ? "undoing" : action.status === "permanent" ? "applied" : action.status;
  await journal.move(action.id, from, "undone", reasonOf(step), undefined, ...(isGone(action, step) ? [] : await redone(journal, action)));
}

/** Nothing more of it can be put back than is: what still stands is in the record, and is looked at again whenever somebody undoes it anew. */
export async function settlePermanent(journal: Journal, { id, stored, redoes }: UndoAction, { reason, remains }: PlanStep): Promise<void> {
  if (redoes !== undefined || reason !== "not-restored" || remains === undefined || stored.status !== "applied") return;
  await journal.move(id, "applied", "permanent", reason, standsText(remains));
}

/** What was deleted may come back, and what wasn't seen may be seen; what is as before, or was to go, is settled. */
function reasonOf({ reason }: PlanStep): Reason {
  return reason === "deleted-since" || reason === "no-trace" ? reason : "already-so";
}

/** What was put back is gone, and with it what the agent had made of it: there is nothing to put back, and nothing is done again by that. */
function isGone({ rule }: UndoAction, { reason }: PlanStep): boolean {
  return reason === "deleted-since" || (reason === "gone-already" && rule.commutes === true);
}

/** What nothing could put back has a way back now, or what was deleted has come back: in the record it is applied from here on. */
export async function reopen(journal: Journal, action: UndoAction): Promise<void> {
  const { status } = action.stored;
  if (status === "permanent" || status === "undone") await journal.move(action.id, status, "applied", null);
}

/** The action that is applied again once the one that undid it is undone, and the other steps that had put it back with that one. */
async function redone(journal: Journal, action: UndoAction): Promise<readonly Original[]> {
  if (action.redoes === undefined) return [];
  const parts = (await idsOfParts(journal, action)).map((id): Original => ({ action: id, status: "undone", reason: "already-so" }));
  return [...parts, { action: action.redoes.id, status: "applied", reason: "redone" }];
}

/** The other steps that made calls of the inverse of which this step made the last. */
export async function idsOfParts(journal: Journal, { stored }: UndoAction): Promise<readonly string[]> {
  return (await partsBefore(journal, stored)).map(({ id }) => id);
}

/** An earlier undo was cut off: the world has shown whether its call took effect, and whether that was all there was to do. */
export async function settleCutOff(
  journal: Journal,
  action: UndoAction,
  cutOff: Action,
  became: "applied" | "partly-undone" | "undone",
  now?: State,
): Promise<void> {
  // What the look shows is what the cut-off step left, where it would have been read in the same way.
  const post = now !== undefined && cutOff.read === action.stored.read ? storedState(now) : undefined;
  const outcome: Outcome =
    became === "applied"
      ? { status: "failed", reason: "not-sent" }
      : { status: "applied", reason: null, ...(post === undefined ? {} : { postState: post.state, post: post.value }) };
  const status = became === "undone" ? "undone" : "applied";
  const also = became === "undone" ? await redone(journal, action) : [];
  await journal.settle(cutOff.id, outcome, { action: action.id, status, reason: became === "undone" ? "put-back" : null }, ...also);
}
