// What of a run still stands? Every change that isn't put back, whatever the reason; nothing disappears from this sum.
import { type ActionStatus, SETTLED_STATUSES } from "../core/vocabulary.ts";
import type { Journal } from "../journal/journal.ts";

const SETTLED: ReadonlySet<ActionStatus> = new Set(SETTLED_STATUSES);

/** Gives the seq numbers of the actions that still stand, in order. */
export async function outstandingOf(journal: Journal, run: string): Promise<readonly number[]> {
  const actions = await journal.actions(run);
  return actions.filter(({ class: kind, status }) => kind !== "readonly" && !SETTLED.has(status)).map(({ seq }) => seq);
}
