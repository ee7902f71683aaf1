// How is an undo plan shown, and what its steps came to? A step's head, why it is so, what changes, what else is to be known, and at the end the
// sum; pure. Never leaves out a step that can't be put back.
import type { Connections } from "../../core/connections.ts";
import { isSending, type PlanStep, type UndoPlan } from "../../core/plan-step.ts";
import type { PlanKind } from "../../core/vocabulary.ts";
import type { PreparedUndo } from "../../undo/prepare-undo.ts";
import type { StepReport } from "../../undo/undo-step.ts";
import { countText } from "./counts.ts";
import { changeLines, conflictLines, fieldLines } from "./differences.ts";
import { shorten, wrap, wrapWords } from "./layout.ts";
import type { View } from "./runs.ts";
import { closesFirst, type Note, type NoteParts, stepNotes } from "./step-notes.ts";
import { endText, SYMBOLS, whyText } from "./step-words.ts";
import type { Style } from "./style.ts";
import { ago, localTime } from "./time.ts";
import { refsText, refText } from "./undo-words.ts";
import { visible } from "./visible.ts";

/** What a plan is shown with. `runs`: whether one run is undone or several decides how an action is named. */
export interface PlanView extends View, Pick<PreparedUndo, "runs"> {
  readonly style: Style;
}

/** Where a step's lines begin, and those of its fields. */
const INDENT = " ".repeat(5);
const INNER = " ".repeat(7);
/** Cells of a call's resources on a line of their own. */
const LONGEST_RESOURCES = 300;

/** Tells whether a step is nothing to a person: a read, a call that certainly changed nothing, or what they didn't ask for. */
function isIdle({ kind, reason }: PlanStep): boolean {
  return (kind === "skip" && reason !== "failed-unverified") || reason === "not-asked";
}

/** Gives the whole plan: each step that matters, its fields, and the sum. Reads, refusals and what wasn't asked for are only counted. */
export function planText(view: PlanView, plan: UndoPlan, connections: Connections): string {
  const names = new Map(plan.steps.map(({ action }) => [action.id, refText(view, action)]));
  const uses = { connections, nameOf: (id: string) => names.get(id) ?? id };
  const shown = plan.steps.filter((step) => !isIdle(step));
  return [...shown.flatMap((step) => stepLines(view, step, { uses, isDone: false })), ...sumLines(view, plan)].join("\n");
}

/** Gives a step as it ended; "" where it is nothing to a person. */
export function reportText(view: PlanView, { step, end }: StepReport): string {
  if (isIdle(step)) return "";
  const said = endText(end);
  const ending = said === undefined ? [] : [view.style.yellow(wrapWords(said, view.columns, INDENT))];
  return [...stepLines(view, step, { uses: undefined, isDone: end.kind === "undone" }), ...ending].join("\n");
}

function stepLines(view: PlanView, step: PlanStep, parts: Pick<NoteParts, "uses" | "isDone">): readonly string[] {
  const { columns, style } = view;
  const notes = stepNotes(step, { view, refText: (action) => refText(view, action), ...parts });
  return [
    ...headLines(view, step),
    style.dim(wrapWords(whyText(step), columns, INDENT)),
    ...stateLines(step, Math.max(30, columns - INNER.length)).map((line) => INNER + line),
    ...notes.flatMap((note) => noteLines(note, columns)),
  ];
}

/** A command stands whole on a line of its own, to be copied. */
function noteLines({ words, command }: Note, columns: number): readonly string[] {
  return [wrapWords(words, columns, INDENT), ...(command === undefined ? [] : [INNER + command])];
}

function headLines({ style, columns, runs }: PlanView, step: PlanStep): readonly string[] {
  const { action, kind } = step;
  const isOdd =
    kind === "conflict" || kind === "unknown" || kind === "permanent" || kind === "expired" || step.reason === "failed-unverified";
  const paint = isOdd ? style.yellow : (text: string) => text;
  const marks = `${step.verified ? "" : " [unverified]"}${step.blockedBy === undefined || kind === "kept" ? "" : " (not reached)"}`;
  const start = `${refText({ runs }, action).padStart(4)} `;
  const sign = `${SYMBOLS[kind]} ${kind}`;
  const before = Bun.stringWidth(`${start}${sign}${marks}`) + 2;
  const name = shorten(visible(`${action.server}.${action.tool}`), Math.max(20, columns - before));
  const resources = resourcesText(action.resources);
  const head = `${start}${paint(sign)}${marks}  ${style.bold(name)}`;
  if (resources === "") return [head];
  const isRoom = before + Bun.stringWidth(name) + 2 + Bun.stringWidth(resources) <= columns;
  return isRoom ? [`${head}  ${style.dim(resources)}`] : [head, style.dim(wrap(resources, columns, INDENT))];
}

function resourcesText(resources: readonly string[]): string {
  const shown = resources.slice(0, 5).map((key) => shorten(visible(key.slice(0, 8 * LONGEST_RESOURCES)), LONGEST_RESOURCES));
  return [...shown, ...(resources.length > 5 ? [`${(resources.length - 5).toLocaleString("en")} more`] : [])].join(", ");
}

function stateLines(step: PlanStep, width: number): readonly string[] {
  const { now, meant, conflicts, kept, rules } = step;
  const table = conflicts.length > 0 ? conflictLines(conflicts, width) : [];
  if (now === undefined || meant === undefined) return table;
  const back = changeLines(now, meant, rules, width);
  const stays = fieldLines(kept, width - 2).map((line) => `  ${line}`);
  return [
    ...table,
    ...(table.length > 0 ? ["is put back all the same:"] : []),
    ...back,
    ...(kept.length > 0 ? ["kept, as changed since:", ...stays] : []),
  ];
}

/** Gives the last lines of a plan: how many steps of each kind, what they come with, where it would halt. */
function sumLines(view: PlanView, plan: UndoPlan): readonly string[] {
  const { steps } = plan;
  const count = (kind: PlanKind) => steps.filter((step) => step.kind === kind).length;
  const parts = [
    `${count("restore")} to put back`,
    ...counted(count("merge"), "merged"),
    ...counted(count("compensate"), "to offset"),
    ...counted(count("done"), "already so"),
    ...counted(count("permanent"), "permanent"),
    ...counted(count("expired"), "expired"),
    ...counted(count("conflict"), count("conflict") === 1 ? "conflict" : "conflicts"),
    ...counted(count("unknown"), "unknown"),
    ...counted(count("kept"), "kept"),
    ...counted(steps.filter(({ reason }) => reason === "failed-unverified").length, "failed, which nothing verifies"),
  ];
  const unverified = steps.filter((step) => step.inverse !== undefined && !step.verified).length;
  const sum = `Plan: ${parts.join(", ")}${unverified > 0 ? ` (${unverified} of them unverified)` : ""}`;
  return [...termLines(view, plan), ...[sum, ...haltLines(view, plan)].map((line) => wrapWords(line, view.columns))];
}

function counted(number: number, words: string): string[] {
  return number === 0 ? [] : [`${number.toLocaleString("en")} ${words}`];
}

/** What a person agrees to besides, in one place. */
function termLines(view: PlanView, plan: UndoPlan): readonly string[] {
  const sent = plan.steps.filter((step) => isSending(step) && step.blockedBy === undefined);
  const named = (has: (step: PlanStep) => boolean) =>
    refsText(
      view,
      sent.filter(has).map(({ action }) => action),
    );
  const effects = named(({ action }) => action.terms?.sideEffects !== undefined);
  const costs = named(({ action }) => action.terms?.cost !== undefined);
  const first = closesFirst(plan);
  return [
    ...(effects === "" ? [] : [`Side effects: ${effects}`]),
    ...(costs === "" ? [] : [`Costs something: ${costs}`]),
    ...(first === undefined
      ? []
      : [`Closes first: ${refText(view, first.step.action)}, ${ago(first.until, view.now)} (${localTime(first.until)})`]),
  ].map((line) => wrapWords(line, view.columns));
}

function haltLines(view: PlanView, { steps, halt }: UndoPlan): readonly string[] {
  const halting = halt === undefined ? undefined : steps[halt];
  if (halting === undefined) return [];
  const unreached = steps.filter(({ blockedBy, kind }) => blockedBy !== undefined && kind !== "skip").length;
  const ref = view.runs.length === 1 ? refText(view, halting.action) : halting.action.id;
  const left =
    unreached === 0
      ? "nothing older is kept from being put back"
      : `${countText(unreached, "older step")} ${unreached === 1 ? "stays as it is" : "stay as they are"}`;
  const overwrite = halting.kind === "conflict" ? `, --overwrite ${ref} puts it back over what others changed` : "";
  return [
    `It would halt at step ${refText(view, halting.action)}; ${left}.`,
    `--skip ${ref} leaves it as it is${overwrite}; --keep-going goes on with what isn't connected to it.`,
  ];
}
