// What does a person's answer about an unknown call change? That call's record, and where it was a step of an undo, that of the action it was to put
// back. Never taken while the call may still be under way.

import { readsOf } from "../core/resolve-calls.ts";
import { isEarlierPart, ruleRecordFrom } from "../core/rule-record.ts";
import { SynartesisError } from "../errors.ts";
import type { Action, Journal, Original } from "../journal/journal.ts";
import { isAlive } from "../journal/process-identity.ts";

/** Records the answer. @throws SynartesisError not-found, ambiguous; refused where it isn't unknown, or not this call is, or it may be under way */
export async function resolveAction(journal: Journal, prefix: string, happened: boolean, by: string): Promise<Action> {
  const found = await journal.findAction(prefix);
  await refuseForItsUndo(journal, found);
  if (found.status === "intended") await endItsRun(journal, found);
  const became = happened ? "applied" : "failed";
  if (found.status === "unknown" || found.status === "intended") await refuseAtWork(journal, found);
  await journal.resolve(found.id, became, by, ...(await originalsOf(journal, found, happened)));
  return found;
}

/** An action whose undo was cut off is known to have happened: what isn't known is its undo. */
async function refuseForItsUndo(journal: Journal, { id, status }: Action): Promise<void> {
  if (status !== "undoing" && status !== "unknown") return;
  const cutOff = (await journal.undosOf(id)).findLast((undo) => undo.status === "intended" || undo.status === "unknown");
  if (cutOff === undefined) return;
  throw new SynartesisError("refused", `of ${id} it is its undo that isn't known`, {
    hint: `say what became of that: synartesis resolve ${cutOff.id} with --applied (it is put back) or --not-applied`,
  });
}

async function endItsRun(journal: Journal, { run }: Action): Promise<void> {
  const closed = await journal.closeRun(run);
  if (closed.kind === "alive")
    throw new SynartesisError("refused", `its run is still going on (process ${closed.process.pid})`, {
      hint: "wait for it, or end it first",
    });
}

async function refuseAtWork(journal: Journal, { run, server }: Action): Promise<void> {
  const process = (await journal.findRun(run)).servers.find(({ name }) => name === server)?.process;
  if (process && isAlive(process))
    throw new SynartesisError("refused", `the server that got the call may still be at work on it (process ${process.pid})`, {
      hint: "wait for it, or end it first",
    });
}

async function originalsOf(journal: Journal, step: Action, happened: boolean): Promise<readonly Original[]> {
  if (step.undoes === null) return [];
  const original = await journal.action(step.undoes);
  if (original.status !== "undoing" && original.status !== "unknown") return [];
  // After one of several calls the rest is still to be made.
  const isAll = happened && !isEarlierPart(step);
  const undone: Original = { action: original.id, status: isAll ? "undone" : "applied", reason: "resolved-by-person" };
  if (!isAll || original.undoes === null) return [undone];
  return [undone, ...doneAgain(step, await journal.action(original.undoes))];
}

/** What a redo did again. Where it sent the call once more and the way back is in the answer, which nobody has, there is none. */
function doneAgain(step: Action, first: Action): readonly Original[] {
  const again: Original = { action: first.id, status: "applied", reason: "redone" };
  const wasSentAgain = step.server === first.server && step.tool === first.tool && step.args === first.args;
  const needsResult = readsOf(ruleRecordFrom(first.rule).inverse, "result").length > 0;
  return wasSentAgain && needsResult ? [again, { action: first.id, status: "permanent", reason: "not-captured" }] : [again];
}
