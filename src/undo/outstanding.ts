// What of a run still stands? Every change that isn't put back, whatever the reason; nothing disappears from this sum. Of an undo: every change
// that it put back and that isn't applied again.
import type { ActionRef } from "../core/plan-step.ts";
import { isSettled } from "../core/vocabulary.ts";
import type { Action, Journal, Run } from "../journal/journal.ts";

/** Gives the actions that still stand, in order. */
export async function outstandingOf(journal: Journal, run: Run): Promise<readonly ActionRef[]> {
  const actions = (await journal.actions(run.id)).filter(({ class: kind, status }) => kind !== "readonly" && !isSettled(status));
  return (run.kind === "agent" ? actions : await stillUndone(journal, actions)).map(({ id, seq }) => ({ run: run.id, seq, id }));
}

async function stillUndone(journal: Journal, steps: readonly Action[]): Promise<readonly Action[]> {
  const undone = await Promise.all(steps.map(async ({ undoes }) => undoes !== null && (await journal.action(undoes)).status === "undone"));
  return steps.filter((_, at) => undone[at]);
}
