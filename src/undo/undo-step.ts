// How is one step of an undo carried out? Alone on what it touches: look, judge, then send, or settle what needs no sending. Never acts on an
// old look: one that had to wait is made again.
import { judgeStep } from "../core/judge-step.ts";
import type { PlanAction, PlanStep } from "../core/plan-step.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { type State, stateMark, storedState } from "../core/state.ts";
import { circumstances, type PlanOptions } from "../core/undo-plan.ts";
import type { Reason } from "../core/vocabulary.ts";
import type { Action, Journal, Original, Outcome } from "../journal/journal.ts";
import type { Locks, Release } from "../recorder/locks.ts";
import { type InverseEnd, type InverseRequest, type Pace, recordInverse } from "../recorder/record-inverse.ts";
import type { AgreedStates } from "./agreed-states.ts";
import { coveringAction } from "./covered.ts";
import type { UndoAction } from "./gather.ts";
import { loadAction } from "./load-action.ts";
import { look } from "./look.ts";
import type { PolicyOf } from "./recorded-policy.ts";
import { serverFor, type UndoServers } from "./servers.ts";

/** How a step ended: what it was judged to be right before, and what sending came to. */
export interface StepReport {
  readonly step: PlanStep;
  readonly end: InverseEnd | { readonly kind: "not-sent" } | { readonly kind: "no-server"; readonly why: string };
  /** True if what is older, or connected to it, can't go on. */
  readonly halts: boolean;
}

export interface StepParts {
  readonly journal: Journal;
  readonly servers: UndoServers;
  readonly locks: Locks;
  readonly options: PlanOptions;
  readonly policyOf: PolicyOf;
  /** The states over which a person has agreed to put something back, by the action's id; absent where none was shown. */
  readonly agreed?: AgreedStates | undefined;
  /** Who asked for the undo, as claimed. */
  readonly by: string;
  /** The undo's own run, opened with the first thing that it does. */
  readonly undoRun: () => Promise<string>;
}

/** A step that is judged, and has what it touches to itself. */
export interface ReadyStep {
  readonly action: UndoAction;
  readonly judged: Judged;
  /** Its call, or another undo, is at work on it; then it has nothing to itself. */
  readonly isTaken: boolean;
  /** When it was judged, as `performance.now` tells. */
  readonly judgedAt: number;
  /** To be called by whoever doesn't carry it out. */
  readonly release: Release;
}

interface Judged {
  readonly loaded: PlanAction;
  readonly step: PlanStep;
}

/** For how long a look counts while the step waits for the one before it, in milliseconds. */
const FRESH = 20;

/** Takes what the action touches, and judges it by a look that isn't made before `mayLook` resolves. */
export async function readyStep(parts: StepParts, action: UndoAction, mayLook: Promise<unknown>): Promise<ReadyStep> {
  // Who is at work on it holds what it touches: waiting might take for ever, and would only tell later.
  const isTaken = action.mayStillRun || (action.status === "undoing" && !action.interrupted);
  const release = isTaken ? () => undefined : await parts.locks.acquire(action.resources);
  try {
    const loaded = await loadAction(parts.journal, action);
    await mayLook;
    return { action, judged: await judgeNow(parts, action, loaded), isTaken, judgedAt: performance.now(), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Carries out the undo of one action, and gives back what it took. */
export async function carryOutStep(parts: StepParts, ready: ReadyStep, pace: Pace): Promise<StepReport> {
  const { action, judged } = ready;
  try {
    const isFresh = performance.now() - ready.judgedAt < FRESH;
    const { loaded, step } = isFresh ? judged : await judgeNow(parts, action, judged.loaded);
    if (ready.isTaken) return notSent(step, true);
    switch (step.kind) {
      case "restore":
      case "merge":
      case "compensate":
        return await send(parts, action, loaded, step, pace);
      case "done":
        await settleDone(parts, action, step);
        return notSent(step);
      case "skip":
        if (step.reason === "did-not-happen") await parts.journal.settle(action.id, { status: "failed", reason: "not-sent" });
        return notSent(step);
      case "conflict":
        await stick(parts.journal, action);
        return notSent(step, true);
      case "unknown":
        return notSent(step, true);
      default:
        return notSent(step);
    }
  } finally {
    ready.release();
  }
}

/** Looks and judges. Where somebody changed the thing since, the journal is asked whether that was a later call. */
async function judgeNow({ journal, servers, options, agreed }: StepParts, action: UndoAction, loaded: PlanAction): Promise<Judged> {
  const now = await look(action, loaded, servers);
  const isOther = agreed?.has(action.id) === true && agreed.get(action.id) !== stateMark(now);
  const judge = (as: PlanAction): PlanStep => ({
    ...judgeStep(as, now, { ...circumstances(options, action), ...(isOther ? { overwrite: false } : {}) }),
    action,
    assumed: false,
    blockedBy: undefined,
    changedBy: undefined,
  });
  const step = judge(loaded);
  if (step.reason !== "deleted-since" && step.kind !== "conflict") return { loaded, step };
  const changedBy = await coveringAction({ journal, servers }, action, new Set(), step);
  return { loaded, step: changedBy === undefined ? step : { ...judge({ ...loaded, coveredBy: changedBy }), changedBy } };
}

function notSent(step: PlanStep, halts = false): StepReport {
  return { step, end: { kind: "not-sent" }, halts };
}

async function send(parts: StepParts, action: UndoAction, loaded: PlanAction, step: PlanStep, pace: Pace): Promise<StepReport> {
  const { journal } = parts;
  const [inverse] = step.inverse as readonly [ResolvedCall]; // a step of these kinds always has one
  const server = await serverFor(parts.servers, action.owner, inverse.server, inverse.tool);
  if (server.kind === "failed")
    return { step: { ...step, reason: "server-unavailable" }, end: { kind: "no-server", why: server.why }, halts: true };
  if (action.cutOff) await settleCutOff(journal, action, action.cutOff, "applied");
  await reopen(journal, action);
  if (step.reason === "overwriting") await journal.recordChoice(action.id, "overwrite", parts.by);
  const run = await parts.undoRun();
  const request: InverseRequest = {
    run,
    original: action,
    rules: loaded.rules,
    inverse,
    governing: await parts.policyOf(action.redoes === undefined ? action.owner : await journal.findRun(action.redoes.run), inverse),
    read: loaded.read?.call,
    now: step.now,
    meant: step.meant,
    undoneAs: UNDONE_AS[step.reason] ?? "put-back",
    redoes: action.redoes && { id: action.redoes.id, sentAgain: loaded.sentAgain },
  };
  const end = await recordInverse(server.recorder, request, pace);
  const lostToAnEqual = end.kind === "claim-lost" && end.status === "undone";
  const shown = end.kind === "undone" ? { ...step, verified: end.verified } : step;
  return { step: shown, end, halts: end.kind !== "undone" && !lostToAnEqual };
}

const UNDONE_AS: Readonly<Partial<Record<PlanStep["reason"], Reason>>> = { overwriting: "overwritten", "beside-others": "merged" };

/** Gives a report without the values: they are for whoever looks at once, and would fill the memory. */
export function slim(report: StepReport): StepReport {
  const { inverse } = report.step;
  const step = { ...report.step, now: undefined, meant: undefined, kept: [], inverse: inverse?.map((call) => ({ ...call, args: null })) };
  return { ...report, step };
}

/** Halted for good until somebody decides. A redo that comes to nothing leaves the undo as it was. */
async function stick(journal: Journal, action: UndoAction): Promise<void> {
  if (action.redoes !== undefined) return;
  if (action.stored.status === "applied") await journal.move(action.id, "applied", "stuck", "drift");
  // It was taken for undone, and shows by now that it isn't.
  if (action.stored.status === "undone") await journal.move(action.id, "undone", "applied", null);
}

/** Already as the inverse would leave it: recorded as undone, without a call. */
async function settleDone({ journal }: StepParts, action: UndoAction, step: PlanStep): Promise<void> {
  if (action.stored.status === "undone") return;
  if (action.cutOff) return settleCutOff(journal, action, action.cutOff, "undone", step.now);
  await reopen(journal, action);
  if (action.status === "applied" || action.status === "stuck")
    await journal.move(action.id, action.status, "undone", reasonOf(step), undefined, isGone(action, step) ? undefined : redone(action));
}

/** What was deleted may come back, and what wasn't seen may be seen; what is as before, or was to go, is settled. */
function reasonOf({ reason }: PlanStep): Reason {
  return reason === "deleted-since" || reason === "no-trace" ? reason : "already-so";
}

/** What was put back is gone, and with it what the agent had made of it: there is nothing to put back, and nothing is done again by that. */
function isGone({ rule }: UndoAction, { reason }: PlanStep): boolean {
  return reason === "deleted-since" || (reason === "gone-already" && rule.commutes === true);
}

/** What nothing could put back has a way back now, or what was deleted has come back: in the record it is applied from here on. */
async function reopen(journal: Journal, action: UndoAction): Promise<void> {
  const { status } = action.stored;
  if (status === "permanent" || status === "undone") await journal.move(action.id, status, "applied", null);
}

/** The action that is applied again once the one that undid it is undone. */
function redone({ redoes }: UndoAction): Original | undefined {
  return redoes && { action: redoes.id, status: "applied", reason: "redone" };
}

/** An earlier undo was cut off: the world has shown whether its inverse took effect. */
async function settleCutOff(
  journal: Journal,
  action: UndoAction,
  cutOff: Action,
  became: "applied" | "undone",
  now?: State,
): Promise<void> {
  // What the look shows is what the cut-off step left, where it would have been read in the same way.
  const post = now !== undefined && cutOff.read === action.stored.read ? storedState(now) : undefined;
  const outcome: Outcome =
    became === "undone"
      ? { status: "applied", reason: null, ...(post === undefined ? {} : { postState: post.state, post: post.value }) }
      : { status: "failed", reason: "not-sent" };
  const reason = became === "undone" ? "put-back" : null;
  const also = became === "undone" ? redone(action) : undefined;
  await journal.settle(cutOff.id, outcome, { action: action.id, status: became, reason }, ...(also === undefined ? [] : [also]));
}
