// What are the values by which an action is judged? Read from the journal when it is judged, one action at a time. A damaged value makes its own
// action unreadable and no other.
import type { Json } from "../core/json.ts";
import { isSame } from "../core/judge-change.ts";
import type { Covering, PlanAction, WayBack } from "../core/plan-step.ts";
import { hiddenIn, hiddenPaths, showsHidden } from "../core/redaction.ts";
import { readsOf } from "../core/resolve-calls.ts";
import { writeCalls } from "../core/resolved-call.ts";
import { saysAbsent } from "../core/result-value.ts";
import { type RuleRecord, ruleRecordFrom } from "../core/rule-record.ts";
import { presentValue, type State, unreadableFrom } from "../core/state.ts";
import type { MergeRules } from "../core/three-way.ts";
import type { SnapshotState } from "../core/vocabulary.ts";
import { inverseFor } from "../core/way-back.ts";
import { SynartesisError } from "../errors.ts";
import type { Action, Journal } from "../journal/journal.ts";
import { earlierCalls, partsBefore } from "./earlier-calls.ts";
import { callsAt, readAt, resultAt, type UndoAction, undamaged } from "./gather.ts";

/** An action with its values. */
export interface LoadedAction extends PlanAction {
  /** Where several calls put it back: the latest step that was at it, null for none. */
  readonly latestStep: string | null | undefined;
}

/** Loads an action; `coveredBy` names a later call on the same thing that stands. */
export async function loadAction(journal: Journal, action: UndoAction, coveredBy?: Covering): Promise<LoadedAction> {
  const { stored } = action;
  const inverse = action.replanned ?? (await callsAt(journal, stored.inverse));
  if (inverse === undefined && action.redoes !== undefined) return doneAgain(journal, action, action.redoes);
  const facts = { rules: rulesOf(action), commutes: action.rule.commutes ?? false, inverse, sentAgain: false, coveredBy };
  const states = await statesOf(journal, stored);
  const loaded = { ...action, ...facts, ...states, left: leftInWords(action.rule, states), wayBack: await wayBackOf(journal, action) };
  if (inverse === undefined || inverse.length < 2) return { ...loaded, done: 0, latestStep: undefined };
  const { done, left, latest } = await earlierCalls(journal, stored.id, { ...loaded, calls: inverse.length });
  return { ...loaded, done, left: left ?? loaded.left, latestStep: latest };
}

/**
 * The mirror of the call that was undone. Where the undo replaced something else than the agent had left, what it replaced is put back as the agent's
 * rule puts a state back: the agent's call would write over what others had changed.
 */
async function doneAgain(journal: Journal, action: UndoAction, first: Action): Promise<LoadedAction> {
  const own = await statesOf(journal, first);
  const seen = await statesOfSteps(journal, action.stored, first);
  const isOther = seen.left?.kind === "present" && own.left?.kind === "present" && !isSame(comparing(action.rule), seen.left, own.left);
  const replaced = isOther ? presentValue(seen.left) : undefined;
  const back = replaced === undefined ? undefined : await replacedAgain(journal, action, first, replaced);
  return back === undefined
    ? sentAgain(journal, action, first, { ...own, ...seen })
    : { ...back, read: own.read, before: seen.left, left: seen.before };
}

/** Undefined where the rule can't put any state back but the one that it captured. */
async function replacedAgain(
  journal: Journal,
  action: UndoAction,
  first: Action,
  snapshot: Json,
): Promise<Omit<LoadedAction, "read" | "before" | "left"> | undefined> {
  const rules = rulesOf(action);
  const wayBack = rules.relevant && (await wayBackOf(journal, { stored: first, rule: action.rule }));
  const calls = wayBack && inverseFor({ wayBack }, snapshot, "not-yet");
  if (calls === undefined || showsHidden(writeCalls(calls))) return undefined;
  const facts = { commutes: false, done: 0, latestStep: undefined, sentAgain: false, coveredBy: undefined };
  return { ...action, ...facts, rules, inverse: calls, wayBack };
}

/** Sent once more as it was, where the state is as it was before it. */
async function sentAgain(
  journal: Journal,
  action: UndoAction,
  first: Action,
  { read, before, left }: Pick<PlanAction, "read" | "before" | "left">,
): Promise<LoadedAction> {
  const args = await undamaged(journal, first.args);
  const rule = ruleRecordFrom(first.rule);
  const isWithheld = args !== undefined && (showsHidden(args) || hiddenIn(args, hiddenPaths(rule.redact ?? [], "args")).length > 0);
  // What only the result named has another name once it is made again.
  const shown = before === undefined ? { read: undefined, before: undefined, left: undefined } : { read, before: left, left: before };
  return {
    ...action,
    rules: comparing(rule),
    commutes: false,
    ...(isWithheld ? { withheld: true } : {}),
    inverse: args === undefined || isWithheld ? undefined : [{ server: first.server, tool: first.tool, args }],
    wayBack: undefined,
    done: 0,
    latestStep: undefined,
    sentAgain: true,
    coveredBy: undefined,
    ...shown,
  };
}

/**
 * What there was before the first and after the last of the calls that put something back, as for the call that they put back: what is left was
 * replaced. Only where the same read showed it.
 */
async function statesOfSteps(journal: Journal, last: Action, original: Action): Promise<Partial<Pick<PlanAction, "before" | "left">>> {
  const [first = last] = await partsBefore(journal, last);
  if (last.read !== original.read || first.read !== original.read || original.snapshotState === "none") return {};
  const before = await stateAt(journal, last.postState, last.post);
  const left = await stateAt(journal, first.snapshotState, first.snapshot);
  return before === undefined || before.kind === "unreadable" || left === undefined ? {} : { before, left };
}

/** How states of an action compare; only what the inverse takes from the snapshot matters, or all where one of its calls takes nothing. */
function rulesOf({ rule }: UndoAction): MergeRules {
  const reads = (rule.inverse ?? []).map((call) => readsOf([call], "snapshot"));
  const isWhole = reads.length === 0 || reads.some((paths) => paths.length === 0);
  return { ...comparing(rule), relevant: isWhole ? undefined : reads.flat() };
}

function comparing({ ignore, sets = [], identity = [] }: RuleRecord): MergeRules {
  return { ignore, sets, identity, relevant: undefined };
}

async function wayBackOf(journal: Journal, { stored, rule }: Pick<UndoAction, "stored" | "rule">): Promise<WayBack | undefined> {
  const templates = rule.inverse;
  const args = templates && (await undamaged(journal, stored.args));
  if (templates === undefined || args === undefined) return undefined;
  const needsResult = readsOf(templates, "result").length > 0;
  return { templates, args, result: needsResult ? await resultAt(journal, stored, rule.resultFields) : undefined };
}

/** An error right after the call says that the thing was gone, where the rule as it is gone by now has words for that and the recorded one had none. */
function leftInWords({ absentWhen }: RuleRecord, { read, left }: Pick<PlanAction, "read" | "left">): State | undefined {
  if (left?.kind !== "unreadable" || left.cause !== "tool-error" || read === undefined || "reads" in read.call) return left;
  const { server, tool, args } = read.call;
  const start = `${server}.${tool} answered: `;
  const says = left.why.slice(start.length);
  return left.why.startsWith(start) && saysAbsent(absentWhen, says, args) === true ? { kind: "absent", says } : left;
}

/** Reads the states of a call that the journal keeps, and the read that showed them. */
export async function statesOf(journal: Journal, stored: Action): Promise<Pick<PlanAction, "read" | "before" | "left">> {
  const call = await readAt(journal, stored.read);
  return {
    read: call && stored.read !== null ? { key: stored.read, call } : undefined,
    before: await stateAt(journal, stored.snapshotState, stored.snapshot),
    left: await stateAt(journal, stored.postState, stored.post),
  };
}

/** Reads a state that the journal keeps; undefined where it has none. */
export async function stateAt(journal: Journal, state: SnapshotState, digest: string | null): Promise<State | undefined> {
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
