// What do the commands tell of runs and actions? Gathered from the journal once, as plain data for render and for --json. Never writes.
import type { Digest } from "../core/digest.ts";
import type { Json } from "../core/json.ts";
import type { ActionStatus } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Action, Journal, Run } from "../journal/journal.ts";

/** A run with its sums. */
export interface RunFacts {
  readonly run: Run;
  readonly actions: readonly Action[];
  /** Every call but the reads that did, or may have done, something. */
  readonly changes: number;
  readonly held: number;
  /** The processes that hold it and are alive. */
  readonly pids: readonly number[];
}

/** An action with its values; `undefined` where it has none, a note where one can't be read. */
export interface ActionFacts {
  readonly action: Action;
  readonly args: StoredValue;
  readonly inverse: StoredValue | undefined;
  /** For a step of an undo: the number of the action that it undid. */
  readonly undid: number | undefined;
}
export type StoredValue = { readonly kind: "value"; readonly value: Json } | { readonly kind: "unreadable"; readonly why: string };

const DID_NOTHING: readonly ActionStatus[] = ["held", "approved", "denied", "expired", "failed"];

/** Gathers what is told of one run. */
export async function runFacts(journal: Journal, run: Run): Promise<RunFacts> {
  const actions = await journal.actions(run.id);
  const holders = run.state === "open" ? await journal.holders(run.id) : [];
  return {
    run,
    actions,
    changes: actions.filter(({ class: kind, status }) => kind !== "readonly" && !DID_NOTHING.includes(status)).length,
    held: actions.filter(({ status }) => status === "held").length,
    pids: holders.map(({ pid }) => pid),
  };
}

/** Reads an action's arguments and inverse. */
export async function actionFacts(journal: Journal, action: Action): Promise<ActionFacts> {
  return {
    action,
    args: await storedValue(journal, action.args),
    inverse: action.inverse === null ? undefined : await storedValue(journal, action.inverse),
    undid: action.undoes === null ? undefined : (await journal.action(action.undoes)).seq,
  };
}

async function storedValue(journal: Journal, digest: Digest): Promise<StoredValue> {
  try {
    return { kind: "value", value: await journal.value(digest) };
  } catch (error) {
    // A damaged value makes one action unreadable, not the journal.
    if (error instanceof SynartesisError && error.code === "journal-damaged") return { kind: "unreadable", why: error.message };
    throw error;
  }
}
