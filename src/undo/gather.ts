// What does undo have to know of a run? Its actions without their values, which are read when one is judged: a run may hold more than fits
// into memory. Reads nothing of the world.
import { type Patterns, resultFor } from "../core/extract.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import type { ActionHead } from "../core/plan-step.ts";
import { type ResolvedCall, readCalls } from "../core/resolved-call.ts";
import { type ResolvedRead, readRead } from "../core/resolved-read.ts";
import { isEarlierPart, type RuleRecord, ruleRecordFrom } from "../core/rule-record.ts";
import type { ActionStatus } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Action, Journal, Run } from "../journal/journal.ts";
import { isAlive } from "../journal/process-identity.ts";
import type { LiveRuns } from "./live-runs.ts";

/** An action of a run to be undone, as far as it is known without its values. */
export interface UndoAction extends ActionHead {
  readonly stored: Action;
  /** The run it belongs to. */
  readonly owner: Run;
  /** How its states are read and compare. */
  readonly rule: RuleRecord;
  /** The step of an earlier undo that was cut off. */
  readonly cutOff: Action | undefined;
  readonly interrupted: boolean;
  readonly mayStillRun: boolean;
  /** Where the run is itself an undo: the action that this one put back, and that is applied again once this one is undone. */
  readonly redoes: Action | undefined;
  /** What today's policy has for it, taken instead of the recorded inverse (`--replan`). */
  readonly replanned: readonly ResolvedCall[] | undefined;
}

/** Gathers a run's actions, in order of seq. Of an undo's own run only those that put something back that is still so. */
export async function gatherActions(journal: Journal, run: Run, live: LiveRuns): Promise<readonly UndoAction[]> {
  const isHeld = (await journal.holders(run.id)).length > 0;
  const gathered: UndoAction[] = [];
  const rules = new Map<Json, RuleRecord>();
  const ruleOf = ({ rule }: Action) => {
    const record = rules.get(rule) ?? ruleRecordFrom(rule);
    rules.set(rule, record);
    return record;
  };
  for (const stored of await journal.actions(run.id)) {
    const redoes = run.kind === "agent" || stored.undoes === null ? undefined : await journal.action(stored.undoes);
    if (run.kind !== "agent" && !isRedoable(stored, redoes)) continue;
    gathered.push(await gather({ journal, run, isHeld, live }, stored, ruleOf(stored), redoes));
  }
  return gathered;
}

const TRIED: ReadonlySet<ActionStatus> = new Set(["applied", "undoing", "unknown", "stuck"]);

/** A step of a redo is undone by undoing the action that it applied again; only steps of an undo can be redone, of several calls by the last. */
function isRedoable(step: Action, undone: Action | undefined): boolean {
  return undone?.status === "undone" && TRIED.has(step.status) && !isEarlierPart(step);
}

/** A run that is gathered. */
interface Gathered {
  readonly journal: Journal;
  readonly run: Run;
  readonly isHeld: boolean;
  readonly live: LiveRuns;
}

async function gather(gathered: Gathered, stored: Action, rule: RuleRecord, redoes: Action | undefined): Promise<UndoAction> {
  const { journal, run } = gathered;
  const steps = stored.status === "undoing" || stored.status === "unknown" ? await journal.undosOf(stored.id) : [];
  const cutOff = steps.findLast(({ status }) => status === "intended" || status === "unknown");
  const last = cutOff ?? steps.at(-1);
  const undoRun = last && (await journal.findRun(last.run));
  const undoIsHeld = undoRun !== undefined && (await journal.holders(undoRun.id)).length > 0;
  const interrupted = cutOff !== undefined && !undoIsHeld;
  // Between two calls of an inverse nothing is open: whoever comes next goes on from there.
  const isBetween = stored.status === "undoing" && cutOff === undefined && !undoIsHeld;
  return {
    ...head(stored, rule),
    ...(isBetween ? { status: "stuck" } : {}),
    ...(await approval(journal, stored)),
    stored,
    owner: run,
    // What has no way back of its own is the original call again: that one's reads show its state, so its rule says what they mean.
    rule: redoes !== undefined && stored.inverse === null ? ruleRecordFrom(redoes.rule) : rule,
    lostCall: cutOff?.id ?? stored.id,
    cutOff,
    interrupted,
    mayStillRun: cutOff ? await stepMayRun(gathered, undoRun ?? run, cutOff) : mayBeAtWork(stored, run, gathered.isHeld),
    redoes,
    replanned: undefined,
  };
}

function head(stored: Action, rule: RuleRecord): Omit<ActionHead, "approvedBy" | "approvedAt" | "lostCall"> {
  const { id, run, seq, server, tool, class: kind, status, reason, detail, resources, verification } = stored;
  const effect = stored.effect ?? undefined;
  const settledAt = stored.settledAt ?? stored.receivedAt;
  return { id, run, seq, server, tool, class: kind, status, reason, detail, resources, verification, terms: rule.undo, effect, settledAt };
}

function mayBeAtWork(stored: Action, run: Run, runIsHeld: boolean): boolean {
  if (stored.status !== "intended" && stored.status !== "unknown") return false;
  return runIsHeld || serverLives(run, stored.server);
}

/** A server that lives may still be at work on an undo's step, unless the proxy that would have sent it says that nothing is under way. */
async function stepMayRun({ run, live }: Gathered, undo: Run, { server }: Action): Promise<boolean> {
  if (!serverLives(undo, server)) return false;
  const found = live.find(run.id, server);
  const isThere = found !== undefined && undo.servers.some(({ name, process }) => name === server && process?.pid === found.pid);
  return !isThere || !(await found.isAtRest());
}

function serverLives(run: Run, server: string): boolean {
  const process = run.servers.find(({ name }) => name === server)?.process;
  return process ? isAlive(process) : false;
}

async function approval(journal: Journal, { approval: id }: Action): Promise<Pick<ActionHead, "approvedBy" | "approvedAt">> {
  const spent = id === null ? undefined : await journal.decision(id);
  return { approvedBy: spent?.by ?? null, approvedAt: spent?.madeAt ?? null };
}

/** Reads how the state of an action was read; undefined where it wasn't, or where that is damaged (the plan shows it as not captured). */
export async function readAt(journal: Journal, digest: string | null): Promise<ResolvedRead | undefined> {
  const stored = await undamaged(journal, digest);
  return stored === undefined ? undefined : readRead(stored);
}

/** Reads the calls of an inverse; undefined as for a read. */
export async function callsAt(journal: Journal, digest: string | null): Promise<readonly ResolvedCall[] | undefined> {
  const stored = await undamaged(journal, digest);
  return stored === undefined ? undefined : readCalls(stored);
}

/** Reads the value of an action's result, as references find it. `fields`: what its rule takes out of the result's text. */
export async function resultAt(journal: Journal, { result }: Action, fields?: Patterns): Promise<Json | undefined> {
  const stored = await undamaged(journal, result);
  return stored !== undefined && isJsonObject(stored) ? resultFor(stored, fields) : undefined;
}

/** Reads a value; undefined where there is none, or where it is damaged. */
export async function undamaged(journal: Journal, digest: string | null): Promise<Json | undefined> {
  if (digest === null) return undefined;
  try {
    return await journal.value(digest);
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "journal-damaged") return undefined;
    throw error;
  }
}
