// Which later call changed the same thing, and still stands? The journal knows only of calls through proxies; of a person's own changes it knows
// nothing.
import type { Conflict } from "../core/conflict.ts";
import type { ActionRef, Covering, PlanStep, StepReason } from "../core/plan-step.ts";
import { callsOfRead } from "../core/resolved-read.ts";
import { ruleRecordFrom } from "../core/rule-record.ts";
import { changesBetween } from "../core/three-way.ts";
import { isSettled } from "../core/vocabulary.ts";
import type { Action, Journal } from "../journal/journal.ts";
import { readState } from "../recorder/read-state.ts";
import { readAt, type UndoAction } from "./gather.ts";
import { statesOf } from "./load-action.ts";
import type { UndoServers } from "./servers.ts";

/** What is said of a thing that isn't there. */
const GONE: ReadonlySet<StepReason> = new Set(["deleted-since", "gone-already"]);

/** Whether the journal is to be asked about a step: somebody changed the thing, or it is gone. */
export function isAskedAbout({ kind, reason }: Pick<PlanStep, "kind" | "reason">): boolean {
  return kind === "conflict" || GONE.has(reason);
}

/**
 * Finds the latest call of any run on the same resources that stands, but for those that this undo puts back itself before (`planned`). Where
 * the thing is gone, only one that may have taken it away counts; where that was meant, only one whose undo made it anew as something else.
 */
export async function coveringAction(
  { journal, servers }: { readonly journal: Journal; readonly servers: UndoServers },
  action: UndoAction,
  planned: ReadonlySet<string>,
  { reason, conflicts }: Pick<PlanStep, "reason" | "conflicts">,
): Promise<Covering | undefined> {
  if (action.resources.length === 0) return undefined;
  const later = await journal.laterOn(action.resources, action.id);
  for (const other of later.toReversed()) {
    // A step of an undo shows in the status of the action that it undid.
    if (other.class === "readonly" || other.undoes !== null) continue;
    if (GONE.has(reason) && (await wasMadeAnew(journal, other))) return { ...refTo(other), madeAnew: true };
    if (isSettled(other.status) || planned.has(other.id) || reason === "gone-already") continue;
    const isMeant =
      reason === "deleted-since" ? mayHaveTakenIt(journal, servers, other, action) : mayHaveChanged(journal, other, action, conflicts);
    if (await isMeant) return refTo(other);
  }
  return undefined;
}

function refTo({ run, seq, id }: Action): ActionRef {
  return { run, seq, id };
}

/** A call took the thing away and was undone, and yet the thing isn't there: its undo made it anew, as something else, with all that stood in it. */
async function wasMadeAnew(journal: Journal, other: Action): Promise<boolean> {
  if (other.class !== "compensable" || other.status !== "undone" || other.reason !== "compensated") return false;
  const { before, left } = await statesOf(journal, other);
  return before?.kind === "present" && left?.kind === "absent";
}

/** Where the same read showed what it changed, that has to be one of the places in question. */
async function mayHaveChanged(journal: Journal, other: Action, { stored }: UndoAction, conflicts: readonly Conflict[]): Promise<boolean> {
  const { before, left } = await statesOf(journal, other);
  if (other.read !== stored.read || before?.kind !== "present" || left?.kind !== "present") return true;
  const { ignore, sets = [], identity = [] } = ruleRecordFrom(other.rule);
  const changes = changesBetween(before.value, left.value, { ignore, sets, identity, relevant: undefined });
  return conflicts.some(({ path }) => changes.some((change) => path.startsWith(change.path) || change.path.startsWith(path)));
}

/**
 * It ended nobody knows how, or the same read showed the thing gone after it, or it touched other things too, and may have carried it to where
 * its own read still shows something.
 */
async function mayHaveTakenIt(journal: Journal, servers: UndoServers, other: Action, { stored }: UndoAction): Promise<boolean> {
  if (other.status === "unknown") return true;
  if (other.read === stored.read) return !(await leftItThere(journal, other));
  if (other.resources.length <= 1) return false;
  const read = await readAt(journal, other.read);
  if (read === undefined) return true;
  const server = await servers.get(await journal.findRun(other.run), callsOfRead(read)[0]?.server ?? other.server);
  if (server.kind === "failed") return true;
  return (await readState(server.recorder, read, ruleRecordFrom(other.rule))).kind !== "absent";
}

/** The read right after it showed the thing, or nothing else than right before it. */
async function leftItThere(journal: Journal, other: Action): Promise<boolean> {
  const { left } = await statesOf(journal, other);
  if (left?.kind === "unreadable" && left.cause === "no-trace") return other.snapshotState === "present";
  return left?.kind === "present";
}
