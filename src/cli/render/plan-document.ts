// What does `undo --json` print? The plan, and what carrying it out came to. The shape is documented in docs/json.md and stays as it is.
import type { Connections } from "../../core/connections.ts";
import { deadlineOf, type PlanStep, type UndoPlan } from "../../core/plan-step.ts";
import type { Change } from "../../core/three-way.ts";
import type { UndoReport } from "../../undo/carry-out.ts";
import type { PreparedUndo } from "../../undo/prepare-undo.ts";
import type { StepReport } from "../../undo/undo-step.ts";
import { fieldChanges } from "./differences.ts";
import { isoTime, refDocument } from "./documents.ts";
import { closesFirst } from "./step-notes.ts";

/** A step as it is printed, but for what only the whole plan knows. */
export type StepDocument = ReturnType<typeof stepDocument>;

/** What the document says besides the plan. */
interface Parts {
  readonly connections: Connections;
  /** Undefined for a dry run. */
  readonly report?: UndoReport;
  /** The steps as they were judged when they were carried out, by their action's id. */
  readonly ended?: ReadonlyMap<string, StepDocument>;
}

/** Gives the document. */
export function undoDocument({ runs, kind }: Pick<PreparedUndo, "runs" | "kind">, plan: UndoPlan, parts: Parts) {
  const { report } = parts;
  const planned = plan.halt === undefined ? undefined : plan.steps[plan.halt];
  const halting = report === undefined ? planned : report.reports.find(({ halts }) => halts)?.step;
  const first = report === undefined ? closesFirst(plan) : undefined;
  return {
    run: runs.length === 1 ? (runs[0]?.id ?? null) : null,
    runs: runs.map(({ id }) => id),
    kind,
    dryRun: report === undefined,
    undoRun: report?.undoRun ?? null,
    state: report?.state ?? null,
    outstanding: report === undefined ? null : report.outstanding.map(({ seq }) => seq),
    halt: halting?.action.seq ?? null,
    closesFirst: first === undefined ? null : { ...refDocument(first.step.action), until: isoTime(first.until) },
    steps: stepDocuments(plan, parts),
  };
}

function stepDocuments(plan: UndoPlan, { connections, report, ended }: Parts) {
  const refs = new Map(plan.steps.map(({ action }) => [action.id, refDocument(action)]));
  const ends = new Map(report?.reports.map(({ step, end }) => [step.action.id, end]));
  const unreached = new Map(report?.unreached.map(({ action, blockedBy }) => [action.id, blockedBy]));
  return plan.steps.map((step) => {
    const { id } = step.action;
    const blockedBy = report === undefined ? step.blockedBy : unreached.get(id);
    const uses = connections.usesOf(id).flatMap(({ older, value, resource }) => {
      const ref = refs.get(older);
      return ref === undefined ? [] : [{ ...ref, value: value ?? null, resource: resource ?? null }];
    });
    const own = ended?.get(id) ?? stepDocument(step);
    return { ...own, uses, blockedBy: refDocument(blockedBy), ...endDocument(ends.get(id)) };
  });
}

/** Gives a step, but for what only the whole plan knows and how it ended. */
export function stepDocument(step: PlanStep) {
  const { action, now, meant } = step;
  return {
    run: action.run,
    seq: action.seq,
    action: action.id,
    server: action.server,
    tool: action.tool,
    class: action.class,
    resources: action.resources,
    kind: step.kind,
    reason: step.reason,
    detail: action.detail,
    unreadable: now?.kind === "unreadable" ? now.why : null,
    verification: action.verification,
    verified: step.verified,
    assumed: step.assumed,
    inverse: step.inverse?.[0] ?? null,
    inverses: step.inverse ?? [],
    done: step.done,
    approvedBy: action.approvedBy,
    approvedAt: isoTime(action.approvedAt),
    changedBy: refDocument(step.changedBy),
    terms: action.terms ?? null,
    effect: action.effect ?? null,
    until: isoTime(deadlineOf(action)?.at ?? null),
    changes: now === undefined || meant === undefined ? [] : fieldChanges(now, meant, step.rules).map(changeDocument),
    kept: step.kept.map(changeDocument),
    remains: (step.remains ?? []).map(changeDocument),
    conflicts: step.conflicts.map((conflict) => ({
      path: conflict.path,
      before: conflict.before ?? null,
      left: conflict.left ?? null,
      now: conflict.now ?? null,
    })),
  };
}

function changeDocument({ path, from, to }: Change) {
  return { path, from: from ?? null, to: to ?? null };
}

function endDocument(end: StepReport["end"] | undefined) {
  return {
    end: end?.kind ?? null,
    endReason: end !== undefined && "reason" in end ? end.reason : null,
    endDetail: end === undefined ? null : "said" in end ? end.said : "why" in end ? end.why : null,
    ...(end?.kind === "undone" && end.remains ? { remains: end.remains.map(changeDocument) } : {}),
    endShownBy: end?.kind === "undone" ? (end.shownBy ?? []) : [],
    endNow: end?.kind === "stuck" && end.now?.kind === "present" ? end.now.value : null,
  };
}
