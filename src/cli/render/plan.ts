// How is an undo plan shown, and what its steps came to? A step's head, why it is so, what changes, what else is to be known, and at the end the
// sum; pure. Never leaves out a step that can't be put back.
import type { Connections } from "../../core/connections.ts";
import type { PlanStep, UndoPlan } from "../../core/plan-step.ts";
import type { StepReport } from "../../undo/undo-step.ts";
import { changeLines, conflictLines, fieldLines } from "./differences.ts";
import { cells, shorten, wrap, wrapWords } from "./layout.ts";
import { sumLines } from "./plan-sum.ts";
import { isIdle, isUnreached, type PlanView } from "./plan-view.ts";
import { type NoteParts, noteLines, stepNotes } from "./step-notes.ts";
import { endText, LEFT_BY, SYMBOLS, whyText } from "./step-words.ts";
import { refText } from "./undo-words.ts";
import { visible } from "./visible.ts";

/** Where a step's lines begin, and those of its fields. */
const INDENT = " ".repeat(5);
const INNER = " ".repeat(7);
/** Cells of a call's resources on a line of their own. */
const LONGEST_RESOURCES = 300;

/** Gives the whole plan: each step that matters, its fields, and the sum. Reads, refusals, what was put back before and what wasn't asked for are only counted. */
export function planText(view: PlanView, plan: UndoPlan, connections: Connections): string {
  const names = new Map(plan.steps.map(({ action }) => [action.id, refText(view, action)]));
  const uses = { connections, nameOf: (id: string) => names.get(id) ?? id };
  const shown = plan.steps.filter((step) => !isIdle(view, step));
  return [...shown.flatMap((step) => stepLines(view, step, { uses, isDone: false })), ...sumLines(view, plan)].join("\n");
}

/** Gives a step as it ended; "" where it is nothing to a person. Of one that went as the plan (`planned`) had shown it only one line. */
export function reportText(view: PlanView, { step, end }: StepReport, planned?: PlanStep): string {
  if (isIdle(view, step)) return "";
  const said = endText(end);
  const shown = shownLines(view, end);
  if (said === undefined && planned !== undefined && isAsShown(view, step, planned)) return [headOf(view, step).head, ...shown].join("\n");
  const ending = said === undefined ? shown : [view.style.yellow(wrapWords(said, view.columns, INDENT))];
  return [...stepLines(view, step, { uses: undefined, isDone: end.kind === "undone" }), ...ending].join("\n");
}

/** One read is what the plan went by; where others bear it out, they are named. */
function shownLines({ style, columns }: PlanView, end: StepReport["end"]): readonly string[] {
  if (end.kind !== "undone" || end.shownBy === undefined || end.shownBy.length < 2) return [];
  return [style.dim(wrapWords(`shown by ${end.shownBy.map(visible).join(", ")}`, columns, INDENT))];
}

/** A person has read it already, unless something else would stand there now. */
function isAsShown(view: PlanView, step: PlanStep, planned: PlanStep): boolean {
  const lines = (of: PlanStep) => stateLines(view, of).join("\n");
  return !isUnreached(planned) && step.kind === planned.kind && step.reason === planned.reason && lines(step) === lines(planned);
}

function stepLines(view: PlanView, step: PlanStep, parts: Pick<NoteParts, "uses" | "isDone">): readonly string[] {
  const { columns, style } = view;
  if (step.blockedBy !== undefined && isUnreached(step))
    return [...headLines(view, step), style.dim(`${INDENT}because of ${refText(view, step.blockedBy)}`)];
  const notes = stepNotes(step, { view, refText: (action) => refText(view, action), ...parts });
  return [
    ...headLines(view, step),
    style.dim(wrapWords(whyText(step, view.kind), columns, INDENT)),
    ...stateLines(view, step).map((line) => INNER + line),
    ...notes.flatMap((note) => noteLines(note, columns, INDENT)),
  ];
}

function headLines(view: PlanView, step: PlanStep): readonly string[] {
  const { head, below } = headOf(view, step);
  return below === "" ? [head] : [head, view.style.dim(wrap(below, view.columns, INDENT))];
}

/** Gives a step's first line; `below`: the resources, where there is no room for them in it. */
function headOf(view: PlanView, step: PlanStep): { readonly head: string; readonly below: string } {
  const { style, columns } = view;
  const { action, kind } = step;
  const isOdd =
    kind === "conflict" || kind === "unknown" || kind === "permanent" || kind === "expired" || step.reason === "failed-unverified";
  const isJudged = !isUnreached(step);
  const paint = isOdd && isJudged ? style.yellow : (text: string) => text;
  const marks = isJudged ? `${step.verified ? "" : " [unverified]"}${step.blockedBy === undefined ? "" : " (not reached)"}` : "";
  const start = `${refText(view, action).padStart(4)} `;
  const sign = isJudged ? `${SYMBOLS[kind]} ${kind}` : "· not reached";
  const before = cells(`${start}${sign}${marks}`) + 2;
  const name = shorten(visible(`${action.server}.${action.tool}`), Math.max(20, columns - before));
  const resources = resourcesText(action.resources);
  const head = `${start}${paint(sign)}${marks}  ${style.bold(name)}`;
  if (resources === "") return { head, below: "" };
  const isRoom = before + cells(name) + 2 + cells(resources) <= columns;
  return isRoom ? { head: `${head}  ${style.dim(resources)}`, below: "" } : { head, below: resources };
}

function resourcesText(resources: readonly string[]): string {
  const shown = resources.slice(0, 5).map((key) => shorten(visible(key.slice(0, 8 * LONGEST_RESOURCES)), LONGEST_RESOURCES));
  return [...shown, ...(resources.length > 5 ? [`${(resources.length - 5).toLocaleString("en")} more`] : [])].join(", ");
}

function stateLines({ columns, kind }: PlanView, step: PlanStep): readonly string[] {
  const width = Math.max(30, columns - INNER.length);
  const { now, meant, conflicts, kept, rules } = step;
  const isLeftKnown = step.kind !== "unknown" && step.reason !== "post-state-missing";
  const table = conflicts.length > 0 ? conflictLines(conflicts, width, { by: LEFT_BY[kind], isLeftKnown }) : [];
  if (now === undefined || meant === undefined) return [...table, ...remainingLines(step, kind, width)];
  const back = changeLines(now, meant, rules, width);
  const stays = fieldLines(kept, width - 2).map((line) => `  ${line}`);
  return [
    ...table,
    ...(table.length > 0 ? ["is put back all the same:"] : []),
    ...back,
    ...(kept.length > 0 ? ["kept, as changed since:", ...stays] : []),
  ];
}

function remainingLines({ remains = [] }: PlanStep, of: PlanView["kind"], width: number): readonly string[] {
  return remains.length === 0 ? [] : [`still as the ${LEFT_BY[of]} left it:`, ...fieldLines(remains, width - 2).map((line) => `  ${line}`)];
}
