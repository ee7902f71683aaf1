// How is one step of an undo carried out? Look again, judge again, then send, or settle what needs no sending. Never acts on an old look.
import { judgeStep, type PlanStep } from "../core/undo-plan.ts";
import type { Action, Journal } from "../journal/journal.ts";
import { type InverseEnd, recordInverse } from "../recorder/record-inverse.ts";
import type { UndoAction } from "./gather.ts";
import { dependsOnState, readNow } from "./prepare-undo.ts";
import type { UndoServers } from "./servers.ts";

/** How a step ended: what it was judged to be right before, and what sending came to. */
export interface StepReport {
  readonly step: PlanStep;
  readonly end: InverseEnd | { readonly kind: "not-sent" } | { readonly kind: "no-server"; readonly why: string };
  /** True if what is older can't go on. */
  readonly halts: boolean;
}

export interface StepParts {
  readonly journal: Journal;
  readonly servers: UndoServers;
  /** The undo's own run, opened with the first thing that it does. */
  readonly undoRun: () => Promise<string>;
}

/** Carries out the undo of one action. */
export async function undoStep(parts: StepParts, action: UndoAction): Promise<StepReport> {
  const now = dependsOnState(action) ? await readNow(action, parts.servers) : undefined;
  const step = judgeStep(action, now);
  switch (step.kind) {
    case "restore":
    case "compensate":
      return send(parts, action, step);
    case "done":
      await settleDone(parts, action, step);
      return { step, end: { kind: "not-sent" }, halts: false };
    case "skip":
      if (step.reason === "did-not-happen") await parts.journal.settle(action.id, { status: "failed", reason: "not-sent" });
      return { step, end: { kind: "not-sent" }, halts: false };
    case "conflict":
      if (action.status === "applied") await parts.journal.move(action.id, "applied", "stuck", "drift");
      return { step, end: { kind: "not-sent" }, halts: true };
    case "unknown":
      return { step, end: { kind: "not-sent" }, halts: true };
    default:
      return { step, end: { kind: "not-sent" }, halts: false };
  }
}

async function send(parts: StepParts, action: UndoAction, step: PlanStep): Promise<StepReport> {
  const inverse = step.inverse as NonNullable<PlanStep["inverse"]>; // a step of these kinds always has one
  const server = await parts.servers.get(inverse.server);
  if (server.kind === "failed") return { step, end: { kind: "no-server", why: server.why }, halts: true };
  if (action.cutOff) await settleCutOff(parts.journal, action, action.cutOff, "applied");
  await reopen(parts.journal, action);
  const run = await parts.undoRun();
  const end = await recordInverse(server.recorder, {
    run,
    original: action,
    inverse,
    read: action.read?.call,
    now: step.now,
    meant: action.before,
  });
  const lostToAnEqual = end.kind === "claim-lost" && end.status === "undone";
  const shown = end.kind === "undone" ? { ...step, verified: end.verified } : step;
  return { step: shown, end, halts: end.kind !== "undone" && !lostToAnEqual };
}

/** Already as the inverse would leave it: recorded as undone, without a call. */
async function settleDone({ journal }: StepParts, action: UndoAction, step: PlanStep): Promise<void> {
  if (step.reason === "undone-before") return;
  if (action.cutOff) return settleCutOff(journal, action, action.cutOff, "undone");
  await reopen(journal, action);
  if (action.status === "applied" || action.status === "stuck") await journal.move(action.id, action.status, "undone", "already-so");
}

/** What nothing could put back has a way back by today's policy: in the record it is applied from here on. */
async function reopen(journal: Journal, action: UndoAction): Promise<void> {
  if (action.stored.status === "permanent") await journal.move(action.id, "permanent", "applied", null);
}

/** An earlier undo was cut off: the world has shown whether its inverse took effect. */
async function settleCutOff(journal: Journal, action: UndoAction, cutOff: Action, became: "applied" | "undone"): Promise<void> {
  const outcome =
    became === "undone" ? ({ status: "applied", reason: null } as const) : ({ status: "failed", reason: "not-sent" } as const);
  const reason = became === "undone" ? "put-back" : null;
  if (action.stored.status === "undoing") {
    await journal.settle(cutOff.id, outcome, { action: action.id, status: became, reason });
    return;
  }
  await journal.settle(cutOff.id, outcome, { action: action.id, status: "applied", reason: null });
  if (became === "undone") await journal.move(action.id, "applied", "undone", reason);
}
