// What are the values by which an action is judged? Read from the journal when it is judged, one action at a time. A damaged value makes its own
// action unreadable and no other.
import type { Json } from "../core/json.ts";
import type { ActionRef, PlanAction, WayBack } from "../core/plan-step.ts";
import { readsOf } from "../core/resolve-calls.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { type RuleRecord, ruleRecordFrom } from "../core/rule-record.ts";
import { type State, unreadableFrom } from "../core/state.ts";
import type { MergeRules } from "../core/three-way.ts";
import type { SnapshotState } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Action, Journal } from "../journal/journal.ts";
import { callAt, callsAt, resultAt, type UndoAction, undamaged } from "./gather.ts";

/** Loads an action; `coveredBy` names a later call on the same thing that stands. */
export async function loadAction(journal: Journal, action: UndoAction, coveredBy?: ActionRef): Promise<PlanAction> {
  const { stored } = action;
  const inverse = action.replanned ?? (await callsAt(journal, stored.inverse));
  if (inverse === undefined && action.redoes !== undefined) return sentAgain(journal, action, action.redoes);
  const facts = { rules: rulesOf(action), commutes: action.rule.commutes ?? false, inverse, sentAgain: false, coveredBy };
  return { ...action, ...facts, ...(await statesOf(journal, stored)), wayBack: await wayBackOf(journal, action) };
}

/** The mirror of the call that was undone: sent once more as it was, where the state is as it was before it. */
async function sentAgain(journal: Journal, action: UndoAction, first: Action): Promise<PlanAction> {
  const args = await undamaged(journal, first.args);
  const { read, before, left } = await statesOf(journal, first);
  // What only the result named has another name once it is made again.
  const shown = before === undefined ? { read: undefined, before: undefined, left: undefined } : { read, before: left, left: before };
  return {
    ...action,
    rules: { ...comparing(ruleRecordFrom(first.rule)), relevant: undefined },
    commutes: false,
    inverse: args === undefined ? undefined : [{ server: first.server, tool: first.tool, args }],
    wayBack: undefined,
    sentAgain: true,
    coveredBy: undefined,
    ...shown,
  };
}

/** How states of an action compare; only what the inverse takes from the snapshot matters, or all where it takes nothing. */
function rulesOf({ rule }: UndoAction): MergeRules {
  const paths = readsOf(rule.inverse, "snapshot");
  return { ...comparing(rule), relevant: paths.length === 0 ? undefined : paths };
}

function comparing({ ignore, sets = [], identity = [] }: RuleRecord): Omit<MergeRules, "relevant"> {
  return { ignore, sets, identity };
}

async function wayBackOf(journal: Journal, { stored, rule }: UndoAction): Promise<WayBack | undefined> {
  const templates = rule.inverse;
  const args = templates && (await undamaged(journal, stored.args));
  if (templates === undefined || args === undefined) return undefined;
  const needsResult = readsOf(templates, "result").length > 0;
  return { templates, args, result: needsResult ? await resultAt(journal, stored) : undefined };
}

/** Reads the states of a call that the journal keeps, and the read that showed them. */
export async function statesOf(journal: Journal, stored: Action): Promise<Pick<PlanAction, "read" | "before" | "left">> {
  const call: ResolvedCall | undefined = await callAt(journal, stored.read);
  return {
    read: call && stored.read !== null ? { key: stored.read, call } : undefined,
    before: await stateAt(journal, stored.snapshotState, stored.snapshot),
    left: await stateAt(journal, stored.postState, stored.post),
  };
}

async function stateAt(journal: Journal, state: SnapshotState, digest: string | null): Promise<State | undefined> {
  if (state === "absent") return { kind: "absent" };
  if (digest === null) return undefined;
  let value: Json;
  try {
    value = await journal.value(digest);
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "journal-damaged")
      return { kind: "unreadable", cause: "damaged", why: error.message };
    throw error;
  }
  return state === "none" ? unreadableFrom(value) : { kind: "present", value };
}
