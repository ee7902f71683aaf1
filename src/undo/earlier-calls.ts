// How far did earlier undos come with an inverse of several calls? By what the record has of their steps; never by the look of the world.
import { isSame } from "../core/judge-change.ts";
import type { PlanAction } from "../core/plan-step.ts";
import { isEarlierPart, partFrom } from "../core/rule-record.ts";
import type { State } from "../core/state.ts";
import { isToldByState } from "../core/way-back.ts";
import type { Action, Journal } from "../journal/journal.ts";
import { stateAt } from "./load-action.ts";

/** What earlier undos did of an inverse. */
export interface EarlierCalls {
  /** How many of its calls are done, from the first; 0 where all of them were made and it still had to be tried again, or where they were others. */
  readonly done: number;
  /** What the last of them left, where they began at what the agent had left and that is known: the state to go on from. */
  readonly left: State | undefined;
  /** Of all steps that were at the action, the latest. */
  readonly latest: string | null;
}

/** Finds out. `left`: what the agent left; `calls`: how many there are. */
export async function earlierCalls(
  journal: Journal,
  action: string,
  { left, rules, wayBack, calls }: Pick<PlanAction, "left" | "rules" | "wayBack"> & { readonly calls: number },
): Promise<EarlierCalls> {
  const steps = await journal.undosOf(action);
  const parts = unfinishedParts(steps);
  const first = parts[0];
  const last = parts.at(-1);
  const latest = steps.at(-1)?.id ?? null;
  const part = last && partFrom(last.rule);
  if (first === undefined || last === undefined || part === undefined) return { done: 0, left: undefined, latest };
  // A merge makes other calls where a call is repeated: which of these they were can't be told by their number, only by the look of the world.
  if (part.of !== calls && !isToldByState(wayBack)) return { done: 0, left: undefined, latest };
  const start = await stateAt(journal, first.snapshotState, first.snapshot);
  // A merge began at what others had changed besides: what is to be kept of that shows only against what the agent left.
  const isPlain = start !== undefined && left !== undefined && isSame({ ...rules, relevant: undefined }, start, left);
  const seen = isPlain ? await stateAt(journal, last.postState, last.post) : undefined;
  return { done: part.at, left: seen?.kind === "unreadable" ? undefined : seen, latest };
}

/** Tells whether some calls of an inverse are done, and not all. */
export async function isPartlyDone(journal: Journal, action: string): Promise<boolean> {
  return unfinishedParts(await journal.undosOf(action)).length > 0;
}

/** Gives the other steps that made calls of the same inverse, up to this one that made the last. */
export async function partsBefore(journal: Journal, { id, undoes }: Action): Promise<readonly Action[]> {
  const steps = undoes === null ? [] : await journal.undosOf(undoes);
  return unfinishedParts(
    steps.slice(
      0,
      steps.findIndex((step) => step.id === id),
    ),
  );
}

/** The calls that were made since the last time that all of them were. */
function unfinishedParts(steps: readonly Action[]): readonly Action[] {
  const complete = steps.findLastIndex((step) => (step.status === "applied" || step.status === "undone") && !isEarlierPart(step));
  return steps.slice(complete + 1).filter(({ status }) => status === "applied");
}
