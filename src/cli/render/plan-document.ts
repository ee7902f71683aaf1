// What does `undo --json` print? The plan, and what carrying it out came to. The shape is documented in docs/json.md and stays as it is.
import type { ActionRef, PlanStep, UndoPlan } from "../../core/plan-step.ts";
import type { UndoReport } from "../../undo/carry-out.ts";
import type { PreparedUndo } from "../../undo/prepare-undo.ts";

/** Gives the document; `report` is undefined for a dry run. */
export function undoDocument({ runs, kind }: Pick<PreparedUndo, "runs" | "kind">, plan: UndoPlan, report: UndoReport | undefined) {
  const planned = plan.halt === undefined ? undefined : plan.steps[plan.halt];
  const halting = report === undefined ? planned : report.reports.find(({ halts }) => halts)?.step;
  const ends = new Map(report?.reports.map(({ step, end }) => [step.action.id, end]));
  const judged = new Map(report?.reports.map(({ step }) => [step.action.id, step]));
  const unreached = new Map(report?.unreached.map(({ action, blockedBy }) => [action.id, blockedBy]));
  return {
    run: runs.length === 1 ? (runs[0]?.id ?? null) : null,
    runs: runs.map(({ id }) => id),
    kind,
    dryRun: report === undefined,
    undoRun: report?.undoRun ?? null,
    state: report?.state ?? null,
    outstanding: report === undefined ? null : report.outstanding.map(({ seq }) => seq),
    halt: halting?.action.seq ?? null,
    steps: plan.steps.map((step) => {
      const final = judged.get(step.action.id) ?? step;
      const blockedBy = report === undefined ? step.blockedBy : unreached.get(step.action.id);
      return { ...stepDocument(final), blockedBy: refDocument(blockedBy), end: ends.get(step.action.id)?.kind ?? null };
    }),
  };
}

function refDocument(ref: ActionRef | undefined) {
  return ref === undefined ? null : { run: ref.run, seq: ref.seq, action: ref.id };
}

function stepDocument(step: PlanStep) {
  const { action } = step;
  return {
    run: action.run,
    seq: action.seq,
    action: action.id,
    server: action.server,
    tool: action.tool,
    class: action.class,
    kind: step.kind,
    reason: step.reason,
    verified: step.verified,
    assumed: step.assumed,
    inverse: step.inverse ?? null,
    approvedBy: action.approvedBy,
    changedBy: refDocument(step.changedBy),
    terms: action.terms ?? null,
    conflicts: step.conflicts.map(({ path, before, left, now }) => ({
      path,
      before: before ?? null,
      left: left ?? null,
      now: now ?? null,
    })),
  };
}
