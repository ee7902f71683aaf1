// How is one step of an undo carried out? Alone on what it touches: look, judge, then send, or settle what needs no sending. Never acts on an
// old look: one that had to wait is made again.
import { judgeStep } from "../core/judge-step.ts";
import type { PlanAction, PlanStep } from "../core/plan-step.ts";
import { remainderOf } from "../core/remainder.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { stateMark } from "../core/state.ts";
import { circumstances, type PlanOptions } from "../core/undo-plan.ts";
import type { Reason } from "../core/vocabulary.ts";
import { callsAgain, readsCurrent } from "../core/way-back.ts";
import type { Journal } from "../journal/journal.ts";
import type { InverseEnd } from "../recorder/inverse-end.ts";
import type { Locks, Release } from "../recorder/locks.ts";
import { type InverseRequest, type Pace, recordInverse } from "../recorder/record-inverse.ts";
import type { AgreedStates } from "./agreed-states.ts";
import { confirmationOf, confirmUnsent } from "./confirmation.ts";
import { coveringAction, isAskedAbout } from "./covered.ts";
import type { UndoAction } from "./gather.ts";
import { type LoadedAction, loadAction } from "./load-action.ts";
import { look } from "./look.ts";
import type { PolicyOf } from "./recorded-policy.ts";
import { type ServerResult, serverFor, type UndoServers } from "./servers.ts";
import { idsOfParts, reopen, settleCutOff, settleDone, settlePermanent, stick } from "./settle-step.ts";

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
  readonly loaded: LoadedAction;
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
      case "done": {
        const stuck = await confirmUnsent(parts, action, step);
        if (stuck !== undefined) return { step, end: stuck, halts: true };
        await settleDone(parts.journal, action, step);
        return notSent(step);
      }
      case "skip":
        if (step.reason === "did-not-happen") await parts.journal.settle(action.id, { status: "failed", reason: "not-sent" });
        return notSent(step);
      case "conflict":
        await stick(parts.journal, action);
        return notSent(step, true);
      case "unknown":
        return notSent(step, true);
      case "permanent":
        await settlePermanent(parts.journal, action, step);
        return notSent(step);
      default:
        return notSent(step);
    }
  } finally {
    ready.release();
  }
}

/** Looks and judges. Where somebody changed the thing since, the journal is asked whether that was a later call. */
async function judgeNow({ journal, servers, options, agreed }: StepParts, action: UndoAction, loaded: LoadedAction): Promise<Judged> {
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
  if (!isAskedAbout(step)) return { loaded, step };
  const changedBy = await coveringAction({ journal, servers }, action, new Set(), step);
  return { loaded, step: changedBy === undefined ? step : { ...judge({ ...loaded, coveredBy: changedBy }), changedBy } };
}

function notSent(step: PlanStep, halts = false): StepReport {
  return { step, end: { kind: "not-sent" }, halts };
}

async function send(parts: StepParts, action: UndoAction, loaded: LoadedAction, step: PlanStep, pace: Pace): Promise<StepReport> {
  const { journal } = parts;
  const calls = step.inverse ?? []; // a step of these kinds always has some
  const server = await reachAll(parts, action, calls);
  if (server.kind === "failed")
    return { step: { ...step, reason: "server-unavailable" }, end: { kind: "no-server", why: server.why }, halts: true };
  if (action.cutOff) await settleCutOff(journal, action, action.cutOff, tookEffect(loaded, step) ? "partly-undone" : "applied", step.now);
  await reopen(journal, action);
  if (step.reason === "overwriting") await journal.recordChoice(action.id, "overwrite", parts.by);
  const run = await parts.undoRun();
  const owner = action.redoes === undefined ? action.owner : await journal.findRun(action.redoes.run);
  const request: InverseRequest = {
    run,
    original: action,
    rules: loaded.rules,
    calls: await Promise.all(calls.map(async (call) => ({ call, governing: await parts.policyOf(owner, call) }))),
    done: step.done,
    renew: readsCurrent(loaded) ? (now) => callsAgain(loaded, step, now) : undefined,
    after: loaded.latestStep,
    read: loaded.read?.call,
    now: step.now,
    meant: step.meant,
    remainder: (now) => (action.redoes === undefined ? remainderOf(loaded, now) : []),
    confirmation: loaded.sentAgain ? undefined : await confirmationOf(journal, action),
    undoneAs: UNDONE_AS[step.reason] ?? "put-back",
    redoes: action.redoes && { id: action.redoes.id, sentAgain: loaded.sentAgain, parts: await idsOfParts(journal, action) },
  };
  const end = await recordInverse(server.recorder, request, pace);
  const lostToAnEqual = end.kind === "claim-lost" && end.status === "undone";
  const shown = end.kind === "undone" ? { ...step, verified: end.verified } : step;
  return { step: shown, end, halts: end.kind !== "undone" && !lostToAnEqual };
}

/** Gets at the servers of all calls before the first one is sent. */
async function reachAll({ servers }: StepParts, { owner }: UndoAction, calls: readonly ResolvedCall[]): Promise<ServerResult> {
  const found: ServerResult[] = [];
  for (const { server, tool } of calls) {
    const reached = await serverFor(servers, owner, server, tool);
    if (reached.kind === "failed") return reached;
    found.push(reached);
  }
  return found[0] ?? { kind: "failed", why: "there is nothing to send" };
}

/** Of several calls the one that was cut off: the look has shown that it needs no second time. */
function tookEffect(loaded: PlanAction, step: PlanStep): boolean {
  return step.done > loaded.done;
}

const UNDONE_AS: Readonly<Partial<Record<PlanStep["reason"], Reason>>> = { overwriting: "overwritten", "beside-others": "merged" };

/** Gives a report without the values: they are for whoever looks at once, and would fill the memory. */
export function slim(report: StepReport): StepReport {
  const { inverse } = report.step;
  const step = { ...report.step, now: undefined, meant: undefined, kept: [], inverse: inverse?.map((call) => ({ ...call, args: null })) };
  return { ...report, step };
}
