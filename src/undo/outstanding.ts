// What of a run still stands? Every change that isn't put back, whatever the reason; nothing disappears from this sum.
import type { ActionStatus } from "../core/vocabulary.ts";
import type { Journal } from "../journal/journal.ts";

const SETTLED: ReadonlySet<ActionStatus> = new Set(["held", "approved", "denied", "expired", "failed", "undone"]);

/** Gives the seq numbers of the actions that still stand, in order. */
export async function outstandingOf(journal: Journal, run: string): Promise<readonly number[]> {
  const actions = await journal.actions(run);
  return actions.filter(({ class: kind, status }) => kind !== "readonly" && !SETTLED.has(status)).map(({ seq }) => seq);
}
