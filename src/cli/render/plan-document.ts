// What does `undo --json` print? The plan, and what carrying it out came to. The shape is documented in docs/json.md and stays as it is.
import type { PlanStep, UndoPlan } from "../../core/undo-plan.ts";
import type { Run } from "../../journal/journal.ts";
import type { UndoReport } from "../../undo/carry-out.ts";

/** Gives the document; `report` is undefined for a dry run. */
export function undoDocument(run: Run, plan: UndoPlan, report: UndoReport | undefined) {
  const planned = plan.halt === undefined ? undefined : plan.steps[plan.halt];
  const halting = report === undefined ? planned : report.reports.find(({ halts }) => halts)?.step;
  const ends = new Map(report?.reports.map(({ step, end }) => [step.action.id, end]));
  const judged = new Map(report?.reports.map(({ step }) => [step.action.id, step]));
  return {
    run: run.id,
    dryRun: report === undefined,
    undoRun: report?.undoRun ?? null,
    state: report?.state ?? null,
    outstanding: report?.outstanding ?? null,
    halt: halting?.action.seq ?? null,
    steps: plan.steps.map((step) => ({ ...stepDocument(judged.get(step.action.id) ?? step), end: ends.get(step.action.id)?.kind ?? null })),
  };
}

function stepDocument(step: PlanStep) {
  const { action } = step;
  return {
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
    conflicts: step.conflicts.map(({ path, before, left, now }) => ({
      path,
      before: before ?? null,
      left: left ?? null,
      now: now ?? null,
    })),
  };
}
