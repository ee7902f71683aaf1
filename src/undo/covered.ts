// Which later call changed the same thing, and still stands? The journal knows only of calls through proxies; of a person's own changes it knows
// nothing.
import type { Conflict } from "../core/conflict.ts";
import type { ActionRef, PlanStep } from "../core/plan-step.ts";
import { callsOfRead } from "../core/resolved-read.ts";
import { ruleRecordFrom } from "../core/rule-record.ts";
import { changesBetween } from "../core/three-way.ts";
import { isSettled } from "../core/vocabulary.ts";
import type { Action, Journal } from "../journal/journal.ts";
import { readState } from "../recorder/read-state.ts";
import { readAt, type UndoAction } from "./gather.ts";
import { statesOf } from "./load-action.ts";
import type { UndoServers } from "./servers.ts";

/**
 * Finds the latest call of any run on the same resources that stands, but for those that this undo puts back itself before (`planned`). Where
 * the thing is gone, only one that may have taken it away counts.
 */
export async function coveringAction(
  { journal, servers }: { readonly journal: Journal; readonly servers: UndoServers },
  action: UndoAction,
  planned: ReadonlySet<string>,
  { reason, conflicts }: Pick<PlanStep, "reason" | "conflicts">,
): Promise<ActionRef | undefined> {
  if (action.resources.length === 0) return undefined;
  const later = await journal.laterOn(action.resources, action.id);
  for (const other of later.toReversed()) {
    // A step of an undo shows in the status of the action that it undid.
    const stands = other.class !== "readonly" && !isSettled(other.status) && other.undoes === null && !planned.has(other.id);
    if (!stands) continue;
    const isMeant =
      reason === "deleted-since" ? mayHaveTakenIt(journal, servers, other, action) : mayHaveChanged(journal, other, action, conflicts);
    if (await isMeant) return { run: other.run, seq: other.seq, id: other.id };
  }
  return undefined;
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
