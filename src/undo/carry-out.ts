// How is a whole undo carried out? Newest first, one step at a time; what a halt stands in the way of isn't touched. Then the runs' states say
// how far it came.
import { type Blocks, createBlocks } from "../core/blocks.ts";
import type { ActionRef } from "../core/plan-step.ts";
import { isSettled, type RunState } from "../core/vocabulary.ts";
import type { Run } from "../journal/journal.ts";
import type { AgreedStates } from "./agreed-states.ts";
import type { UndoAction } from "./gather.ts";
import { outstandingOf } from "./outstanding.ts";
import type { PreparedUndo } from "./prepare-undo.ts";
import { createStepLine } from "./step-line.ts";
import { openUndoRun, type UndoRun } from "./undo-run.ts";
import { type StepReport, slim } from "./undo-step.ts";

export interface UndoReport {
  /** What becomes of the runs that were meant; of a redo: of the undo. `partial` if one of them is. */
  readonly state: RunState;
  /** The undo's own run; null if there was nothing to send. */
  readonly undoRun: string | null;
  /** Without states and arguments. */
  readonly reports: readonly StepReport[];
  /** Actions that weren't reached, because of which one. */
  readonly unreached: readonly { readonly action: ActionRef; readonly blockedBy: ActionRef }[];
  /** The actions that still stand (of a redo: that are still undone), whatever the reason. */
  readonly outstanding: readonly ActionRef[];
}

/** In whose name an undo is carried out. */
export interface Mandate {
  /** Who asked for it, recorded as claimed. */
  readonly by: string;
  /** The saved plan that it is. */
  readonly plan?: string | undefined;
  /** What a plan showed where it is put back over later changes; absent where none was shown. */
  readonly agreed?: AgreedStates | undefined;
}

/** Carries out a prepared undo; `onStep` is told of each step as it ends, with its states. */
export async function carryOutUndo(prepared: PreparedUndo, mandate: Mandate, onStep: (report: StepReport) => void): Promise<UndoReport> {
  const { journal, runs, request } = prepared;
  const { by, plan } = mandate;
  for (const run of runs) if (run.state === "open" && !request.live) await journal.closeRun(run.id);
  const undoRun = openUndoRun(prepared, by, plan);
  if (plan !== undefined) await undoRun.id(); // carried out once, even if there is nothing left to send
  let steps: Pick<UndoReport, "reports" | "unreached">;
  try {
    steps = await carryOutSteps(prepared, mandate, undoRun, onStep);
  } finally {
    await undoRun.leave();
  }
  const isDone = ({ step, end }: StepReport) => end.kind === "undone" || step.kind === "done";
  const cameToNothing = prepared.kind === "redo" && !steps.reports.some(isDone);
  const outstanding = (await Promise.all(runs.map((run) => settleRun(prepared, run, cameToNothing)))).flat();
  await journal.flush();
  return { state: outstanding.length === 0 ? "undone" : "partial", undoRun: await undoRun.opened(), outstanding, ...steps };
}

async function carryOutSteps(
  prepared: PreparedUndo,
  { by, agreed }: Mandate,
  undoRun: UndoRun,
  onStep: (report: StepReport) => void,
): Promise<Pick<UndoReport, "reports" | "unreached">> {
  const { options, journal } = prepared;
  let blocks: Blocks | undefined;
  const reports: StepReport[] = [];
  const unreached: { action: ActionRef; blockedBy: ActionRef }[] = [];
  const asked = prepared.actions.filter(({ id }) => options.selected?.has(id) !== false).toReversed();
  const isSkipped = ({ id }: UndoAction) => options.choices?.get(id) === "skip";
  const isComing = (action: UndoAction | undefined) => action !== undefined && !isSkipped(action) && blocks?.of(action) === undefined;
  const line = createStepLine({ ...prepared, by, agreed, undoRun: () => undoRun.id() });
  try {
    for (const [at, action] of asked.entries()) {
      if (isSkipped(action)) {
        if (prepared.chosen.has(action.id) && !isSettled(action.status)) await journal.recordChoice(action.id, "skip", by);
        continue;
      }
      const blockedBy = blocks?.of(action);
      if (blocks !== undefined && blockedBy !== undefined) {
        unreached.push({ action: { run: action.run, seq: action.seq, id: action.id }, blockedBy });
        blocks.carryOn(action);
        continue;
      }
      const next = asked[at + 1];
      const report = await line.perform(action, isComing(next) ? next : undefined);
      onStep(report);
      reports.push(slim(report));
      if (!report.halts) continue;
      blocks ??= createBlocks({ ...options, connections: await prepared.connections() });
      blocks.add(action, report.step.reason);
    }
  } finally {
    await line.close();
  }
  return { reports, unreached };
}

/** Says in the run how far it came, and gives what still stands of it. */
async function settleRun({ journal, kind }: PreparedUndo, run: Run, cameToNothing: boolean): Promise<readonly ActionRef[]> {
  const outstanding = await outstandingOf(journal, run);
  if (cameToNothing) return outstanding;
  const isHeld = (await journal.holders(run.id)).length > 0;
  if (!isHeld) await journal.setRunState(run.id, outstanding.length === 0 ? "undone" : "partial");
  if (kind === "redo") await settleRedone(journal, run);
  return outstanding;
}

/** What was undone and is applied again: its run isn't undone any more. */
async function settleRedone(journal: PreparedUndo["journal"], undo: Run): Promise<void> {
  const ids = new Set<string>();
  for (const { undoes } of await journal.actions(undo.id)) if (undoes !== null) ids.add((await journal.action(undoes)).run);
  for (const id of ids) {
    if ((await journal.holders(id)).length > 0) continue;
    const anyUndone = (await journal.actions(id)).some(({ status }) => status === "undone");
    await journal.setRunState(id, anyUndone ? "partial" : "ended");
  }
}
