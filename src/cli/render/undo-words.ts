// What is said before and after the steps of an undo? Whose run it is, what came of it, what still stands and why; pure.
import type { ActionRef, PlanStep } from "../../core/plan-step.ts";
import type { Run } from "../../journal/journal.ts";
import type { UndoReport } from "../../undo/carry-out.ts";
import type { PreparedUndo } from "../../undo/prepare-undo.ts";
import type { OpenedJournal } from "../open-journal.ts";
import { countText, moreText } from "./counts.ts";
import { wrap, wrapWords } from "./layout.ts";
import { choiceLines } from "./plan-sum.ts";
import type { PlanView } from "./plan-view.ts";
import { actorText, serversText } from "./runs.ts";
import { noteLines } from "./step-notes.ts";
import { visible, visibleLines } from "./visible.ts";

/** So many of the runs that are undone together are named. */
const MOST_RUNS = 20;

/** Gives the line above a plan; where several runs are undone, a line for each below it. */
export function headText(
  { runs, actions, request, kind }: PreparedUndo,
  { file, isElsewhere }: OpenedJournal,
  { columns }: Pick<PlanView, "columns">,
): string {
  const calls = countText(actions.length, "call");
  const [run] = runs;
  const isOne = runs.length === 1 && run !== undefined;
  const what = isOne ? `${oneText(run)}, ${calls})` : `${runs.length} runs (${calls})`;
  const live = request.live ? ", while its agent is connected" : "";
  const head = `${kind === "redo" ? "Redo" : "Undo"} of ${what}${live}${isElsewhere ? `, in the journal ${visible(file)}` : ""}`;
  if (isOne) return wrapWords(head, columns);
  const named = runs.slice(0, MOST_RUNS).map((each) => `  run ${each.id} (${actorText(each)})`);
  const more = runs.length > MOST_RUNS ? [`  ${moreText(runs.length - MOST_RUNS, "run")}`] : [];
  return [wrapWords(head, columns), ...[...named, ...more].map((line) => wrap(line, columns))].join("\n");
}

function oneText(run: Run): string {
  if (run.kind === "agent") return `run ${run.id} (${actorText(run)}`;
  return `undo ${run.id} (of ${run.undoes === null ? "several runs" : `run ${run.undoes}`}`;
}

/** Names an action: its number, and where several runs are undone the beginning of its run's id before it. */
export function refText({ runs }: Pick<PreparedUndo, "runs">, { run, seq }: Pick<ActionRef, "run" | "seq">): string {
  return runs.some(({ id }) => id === run) && runs.length === 1 ? String(seq) : `${run.slice(0, 8)}:${seq}`;
}

/** Gives what is said at the end. */
export function endText(prepared: PreparedUndo, report: UndoReport, view: PlanView): string {
  return [...wrapAll(sumLines(prepared, report), view.columns), ...haltedLines(view, report)].join("\n");
}

function sumLines(prepared: PreparedUndo, report: UndoReport): readonly string[] {
  const { kind, runs, options } = prepared;
  const undone = report.reports.filter(({ end }) => end.kind === "undone");
  const unverified = undone.filter(({ end }) => end.kind === "undone" && !end.verified).length;
  const again = kind === "redo" ? "done again" : "put back";
  const before = report.reports.filter(({ step }) => step.reason === "undone-before").length;
  const earlier = before === 0 ? "" : `, ${before.toLocaleString("en")} ${again} before`;
  const done = `${undone.length} ${again}${unverified > 0 ? ` (${unverified} of them unverified)` : ""}${earlier}`;
  const unseen = report.reports.filter(({ step }) => step.reason === "failed-unverified").map(({ step }) => step.action);
  const isIdle = kind === "undo" && undone.length + before + report.unreached.length === 0 && haltedOf(report.reports).length === 0;
  const failed = unseen.length === 0 ? [] : [`Failed by the tool's own word, which nothing verifies: ${refsText(prepared, unseen)}.`];
  const names = runs.length === 1 ? `run ${runs[0]?.id}` : `${runs.length} runs`;
  const what = runs.length === 1 ? `${kind === "redo" ? "The undo" : "Run"} ${runs[0]?.id} is` : `${runs.length} runs are`;
  if (report.state === "undone" && isIdle && !report.reports.some(({ step }) => step.kind === "done"))
    return [`There is nothing to put back in ${names}.`, ...failed];
  if (report.state === "undone") return [`${what} undone: ${done}.`, ...failed];
  const left = report.outstanding.filter(({ id }) => options.selected?.has(id) === false || options.choices?.get(id) === "skip");
  const kept = left.length > 0 ? ` (${left.length} kept as asked)` : "";
  const standing = `${kind === "redo" ? "still undone" : "still standing"}: ${refsText(prepared, report.outstanding)}${kept}`;
  if (isIdle && left.length === 0) return [`Nothing in ${names} can be put back; ${standing}.`, ...failed];
  return [`${what} partly undone: ${done}; ${standing}.`, ...failed, ...unreachedLines(prepared, report)];
}

/** Gives the steps at which it halted. */
export function haltedOf(reports: UndoReport["reports"]): readonly PlanStep[] {
  return reports.filter(({ halts }) => halts).map(({ step }) => step);
}

/** What to type where it halted, each command whole on a line of its own. */
function haltedLines(view: PlanView, { state, reports, unreached }: UndoReport): readonly string[] {
  const halted = haltedOf(reports);
  if (state === "undone" || halted.length === 0) return [];
  const where = refsText(
    view,
    halted.map(({ action }) => action),
  );
  return [
    ...noteLines({ words: `Halted at ${where}. When that is settled, go on with:`, command: view.again() }, view.columns, ""),
    ...choiceLines(view, halted, unreached.length > 0),
  ];
}

function wrapAll(lines: readonly string[], columns: number): readonly string[] {
  return lines.map((line) => wrapWords(line, columns));
}

/** Says which of what still stands wasn't reached, for each step that stood in the way. */
function unreachedLines(names: Pick<PreparedUndo, "runs">, { unreached, outstanding }: UndoReport): readonly string[] {
  const standing = new Set(outstanding.map(({ id }) => id));
  const blocked = Map.groupBy(
    unreached.filter(({ action }) => standing.has(action.id)),
    ({ blockedBy }) => refText(names, blockedBy),
  );
  return [...blocked].map(
    ([by, those]) =>
      `Not reached because of ${by}: ${refsText(
        names,
        those.map(({ action }) => action),
      )}.`,
  );
}

/** Says that a run of the same client, of other servers, still stands. */
export function standingText(run: Run, view: Pick<PlanView, "columns" | "command">): string {
  const words = `Another run of the same client still stands, ${run.id} (${serversText(run)}); to undo it:`;
  return noteLines({ words, command: view.command("undo", run.id) }, view.columns, "").join("\n");
}

/** What a server says on stderr matters only where one of its steps came to nothing. */
export function lastWordsText({ servers }: PreparedUndo, { reports }: UndoReport): readonly string[] {
  const failed = reports.filter(({ end }) => end.kind === "stuck" || end.kind === "unknown" || end.kind === "refused");
  const names = failed.flatMap(({ step }) => step.inverse?.map(({ server }) => server) ?? [step.action.server]);
  return [...new Set(names)].flatMap((name) => {
    const words = servers.lastWords(name);
    return words === "" ? [] : [`${visible(name)} printed last:\n${visibleLines(words)}`];
  });
}

/** Names actions: `1-4, 7`, or one by one where several runs are undone. */
export function refsText(names: Pick<PreparedUndo, "runs">, actions: readonly Pick<ActionRef, "run" | "seq">[]): string {
  if (names.runs.length !== 1) return actions.map((action) => refText(names, action)).join(", ");
  return rangesText(actions.map(({ seq }) => seq).toSorted((a, b) => a - b));
}

/** Gives ascending numbers as ranges. */
function rangesText(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(", ");
}
