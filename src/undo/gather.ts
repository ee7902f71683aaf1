// What does undo have to know of a run? Its actions as the plan sees them, read from the journal. Reads nothing of the world.
import type { Json } from "../core/json.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { type RuleRecord, ruleRecordFrom } from "../core/rule-record.ts";
import { type State, unreadableFrom } from "../core/state.ts";
import type { PlanAction } from "../core/undo-plan.ts";
import type { SnapshotState } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Action, Journal, Run } from "../journal/journal.ts";
import { isAlive } from "../journal/process-identity.ts";

/** An action as the plan sees it, with what carrying it out needs besides. */
export interface UndoAction extends PlanAction {
  readonly stored: Action;
  readonly rule: RuleRecord;
  /** The step of an earlier undo that was cut off. */
  readonly cutOff: Action | undefined;
}

/** Gathers a run's actions, in order of seq. A damaged value makes its own action unreadable and no other. */
export async function gatherActions(journal: Journal, run: Run): Promise<UndoAction[]> {
  const holders = await journal.holders(run.id);
  const gathered: UndoAction[] = [];
  for (const stored of await journal.actions(run.id)) gathered.push(await gather(journal, run, stored, holders.length > 0));
  return gathered;
}

async function gather(journal: Journal, run: Run, stored: Action, runIsHeld: boolean): Promise<UndoAction> {
  const rule = ruleRecordFrom(stored.rule);
  const cutOff = stored.status === "undoing" || stored.status === "unknown" ? await lastUndo(journal, stored) : undefined;
  const undoRun = cutOff && (await journal.findRun(cutOff.run));
  const undoIsHeld = undoRun !== undefined && (await journal.holders(undoRun.id)).length > 0;
  const read = await callAt(journal, stored.read);
  return {
    ...stored,
    stored,
    rule,
    cutOff,
    ignore: rule.ignore,
    read: read && stored.read !== null ? { key: stored.read, call: read } : undefined,
    before: await stateAt(journal, stored.snapshotState, stored.snapshot),
    left: await stateAt(journal, stored.postState, stored.post),
    inverse: await callAt(journal, stored.inverse),
    interrupted: cutOff !== undefined && !undoIsHeld,
    mayStillRun: cutOff ? serverLives(undoRun ?? run, cutOff.server) : mayBeAtWork(stored, run, runIsHeld),
    approvedBy: await approver(journal, stored),
  };
}

async function lastUndo(journal: Journal, stored: Action): Promise<Action | undefined> {
  return (await journal.undosOf(stored.id)).findLast((undo) => undo.status === "intended" || undo.status === "unknown");
}

function mayBeAtWork(stored: Action, run: Run, runIsHeld: boolean): boolean {
  if (stored.status !== "intended" && stored.status !== "unknown") return false;
  return runIsHeld || serverLives(run, stored.server);
}

function serverLives(run: Run, server: string): boolean {
  const process = run.servers.find(({ name }) => name === server)?.process;
  return process ? isAlive(process) : false;
}

async function approver(journal: Journal, stored: Action): Promise<string | null> {
  if (stored.approval === null) return null;
  return (await journal.decision(stored.approval))?.by ?? null;
}

async function stateAt(journal: Journal, state: SnapshotState, digest: string | null): Promise<State | undefined> {
  if (state === "absent") return { kind: "absent" };
  if (digest === null) return undefined;
  try {
    const value = await journal.value(digest);
    return state === "none" ? unreadableFrom(value) : { kind: "present", value };
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "journal-damaged")
      return { kind: "unreadable", cause: "damaged", why: error.message };
    throw error;
  }
}

async function callAt(journal: Journal, digest: string | null): Promise<ResolvedCall | undefined> {
  if (digest === null) return undefined;
  let value: Json;
  try {
    value = await journal.value(digest);
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "journal-damaged") return undefined; // the plan shows it as not captured
    throw error;
  }
  // Written by the recorder as `{ server, tool, args }` and verified by its digest.
  return value as unknown as ResolvedCall;
}
