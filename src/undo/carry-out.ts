// How is a whole undo carried out? Newest first, one step at a time, until the end or the first halt; then the run's state says how far it came.
import type { RunState } from "../core/vocabulary.ts";
import { outstandingOf } from "./outstanding.ts";
import type { PreparedUndo } from "./prepare-undo.ts";
import { type StepReport, undoStep } from "./undo-step.ts";

export interface UndoReport {
  readonly state: RunState;
  /** The undo's own run; null if there was nothing to send. */
  readonly undoRun: string | null;
  readonly reports: readonly StepReport[];
  /** Seq numbers of the actions that still stand, whatever the reason. */
  readonly outstanding: readonly number[];
}

/** Carries out a prepared undo; `onStep` is told of each step as it ends. `by` is who asked for it, recorded as claimed. */
export async function carryOutUndo(prepared: PreparedUndo, by: string, onStep: (report: StepReport) => void): Promise<UndoReport> {
  const { journal, run, request, servers } = prepared;
  if (run.state === "open" && !request.live) await journal.closeRun(run.id);
  const policyText = await journal.value(run.policyDigest);
  let opened: Promise<string> | undefined;
  let described = 0;
  const undoRun = async () => {
    const known = servers.identities();
    opened ??= journal
      .openRun({
        kind: "undo",
        joinKey: null,
        client: null,
        clientProcess: null,
        clientHello: null,
        identity: by,
        policyText: typeof policyText === "string" ? policyText : "",
        servers: known,
        undoes: run.id,
      })
      .then(({ id }) => id);
    const id = await opened;
    // A server that was started since: its process tells a later undo whether it may still be at work.
    if (described > 0 && known.length > described) await journal.describeRun(id, { servers: known });
    described = known.length;
    return id;
  };
  const reports: StepReport[] = [];
  try {
    for (const action of prepared.actions.toReversed()) {
      if (action.seq < (request.to ?? 0)) break;
      const report = await undoStep({ journal, servers, undoRun }, action);
      reports.push(report);
      onStep(report);
      if (report.halts) break;
    }
  } finally {
    if (opened) await opened.then((id) => journal.leaveRun(id));
  }
  const outstanding = await outstandingOf(journal, run.id);
  const state = outstanding.length === 0 ? "undone" : "partial";
  if ((await journal.holders(run.id)).length === 0) await journal.setRunState(run.id, state);
  await journal.flush();
  return { state, undoRun: opened ? await opened : null, reports, outstanding };
}
