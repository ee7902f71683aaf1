// What do the commands tell of runs and actions? Gathered from the journal once, as plain data for render and for --json. Never writes.
import type { Digest } from "../core/digest.ts";
import type { Json } from "../core/json.ts";
import type { ActionStatus } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Tally } from "../journal/glances.ts";
import type { Action, Journal, Run } from "../journal/journal.ts";
import { type ActionStory, actionStory } from "./action-story.ts";

/** A run with its sums. */
export interface RunFacts {
  readonly run: Run;
  readonly calls: number;
  /** Every call but the reads that did, or may have done, something. */
  readonly changes: number;
  readonly held: number;
  /** Calls that said success, of which a check shows otherwise. */
  readonly refuted: number;
  /** For an undo or a redo: the runs that it undoes; several where it undid what all agents did. */
  readonly undoesRuns: readonly string[];
  /** The processes that hold it and are alive. */
  readonly pids: readonly number[];
}

/** An action with its values; `undefined` where it has none, a note where one can't be read. */
export interface ActionFacts {
  readonly action: Action;
  readonly args: StoredValue;
  readonly inverse: StoredValue | undefined;
  /** The checks that were made of it. */
  readonly checks: StoredValue | undefined;
  readonly story: ActionStory;
}
export type StoredValue = { readonly kind: "value"; readonly value: Json } | { readonly kind: "unreadable"; readonly why: string };

const DID_NOTHING: readonly ActionStatus[] = ["held", "approved", "denied", "expired", "failed"];

/** Gathers what is told of one run. */
export async function runFacts(journal: Journal, run: Run): Promise<RunFacts> {
  const tallies = await journal.tally(run.id);
  const count = (isMeant: (tally: Tally) => boolean) => tallies.filter(isMeant).reduce((sum, { calls }) => sum + calls, 0);
  const holders = run.state === "open" ? await journal.holders(run.id) : [];
  return {
    run,
    calls: count(() => true),
    changes: count(({ class: kind, status }) => kind !== "readonly" && !DID_NOTHING.includes(status)),
    refuted: count(({ verification }) => verification === "failed"),
    held: count(({ status }) => status === "held"),
    undoesRuns: await undoneBy(journal, run),
    pids: holders.map(({ pid }) => pid),
  };
}

async function undoneBy(journal: Journal, run: Run): Promise<readonly string[]> {
  if (run.kind === "agent") return [];
  if (run.undoes !== null) return [run.undoes];
  const runs = new Set<string>();
  for (const { undoes } of await journal.actions(run.id)) if (undoes !== null) runs.add((await journal.action(undoes)).run);
  return [...runs];
}

/** Reads an action's arguments, its inverse and what has become of it; `runs` keeps what was read of other runs. */
export async function actionFacts(journal: Journal, action: Action, runs = new Map<string, Run>()): Promise<ActionFacts> {
  return {
    action,
    args: await storedValue(journal, action.args),
    inverse: action.inverse === null ? undefined : await storedValue(journal, action.inverse),
    checks: action.checks === null ? undefined : await storedValue(journal, action.checks),
    story: await actionStory(journal, action, runs),
  };
}

/** Reads a value; a note where the record of it is damaged. */
export async function storedValue(journal: Journal, digest: Digest): Promise<StoredValue> {
  try {
    return { kind: "value", value: await journal.value(digest) };
  } catch (error) {
    // A damaged value makes one action unreadable, not the journal.
    if (error instanceof SynartesisError && error.code === "journal-damaged") return { kind: "unreadable", why: error.message };
    throw error;
  }
}
