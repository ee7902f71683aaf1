// How is an undo plan shown, and what its steps came to? One line per step with the fields that it changes; pure. Never leaves out a step
// that can't be put back.
import type { Conflict } from "../../core/conflict.ts";
import { type Json, printJson } from "../../core/json.ts";
import type { PlanStep, StepReason, UndoPlan } from "../../core/plan-step.ts";
import type { State } from "../../core/state.ts";
import { changesBetween } from "../../core/three-way.ts";
import type { PlanKind } from "../../core/vocabulary.ts";
import type { PreparedUndo } from "../../undo/prepare-undo.ts";
import type { StepReport } from "../../undo/undo-step.ts";
import { shorten, table } from "./layout.ts";
import { REASON_WORDS } from "./reasons.ts";
import type { Style } from "./style.ts";
import { refText } from "./undo-words.ts";
import { visible } from "./visible.ts";

/** What names an action: whether one run is undone or several. */
type Names = Pick<PreparedUndo, "runs">;

const SYMBOLS: Readonly<Record<PlanKind, string>> = {
  restore: "~",
  merge: "≈",
  compensate: "±",
  done: "=",
  skip: "·",
  permanent: "!",
  expired: "!",
  conflict: "≠",
  unknown: "?",
  kept: "·",
};

const STEP_WORDS: Readonly<Record<Exclude<StepReason, keyof typeof REASON_WORDS>, string>> = {
  read: "a read",
  "changed-nothing": "changed nothing",
  "failed-unverified": "it failed, says the tool; nothing shows whether it changed something all the same",
  "undone-before": "put back before",
  "not-asked": "outside what was asked for",
  skipped: "left as it is, by choice",
  "as-left": "it is as the agent left it",
  "as-before": "it is already as it was before",
  "beside-others": "only what the agent changed goes back; what others changed since is kept",
  overwriting: "put back over what others changed since, by choice",
  "gone-already": "what it made is gone already",
  "deleted-since": "what it changed was deleted since, and stays so",
  "no-trace": "the call said success, but neither right after it nor 10 s later does the state show that it changed anything",
  "unreadable-alike": "what is there can't be read, then as now; nothing shows whether it is the same",
  offset: "offset by another call; nothing shows whether that worked",
  "whatever-since": "offset, whatever happened since",
  "sent-again": "its undo has no way back of its own: the call is sent again as the agent sent it",
  "window-closed": "its undo window has closed",
  "not-mergeable": "it was changed since, and what is there now lacks what the inverse needs",
  "server-unavailable": "its server can't be had",
  "state-unreadable": "its state can't be read now",
  "record-damaged": "what was recorded of its state is damaged, so nothing could be verified",
  "post-state-missing": "the state after the call wasn't captured, so it can't be told whose the present state is",
  "changed-since": "it was changed since",
  "still-running": "the process that got the call may still be at work on it",
  "did-not-happen": "the reply was lost, but the state shows that it didn't happen",
  "was-put-back": "an undo that was cut off has put it back",
  "not-put-back": "an undo that was cut off did not put it back",
  "undo-not-known": "an undo was cut off, and the state doesn't show whether it took effect",
};

/** Tells whether a step is nothing to a person: a read, or a call that certainly changed nothing. */
function isIdle({ kind, reason }: PlanStep): boolean {
  return kind === "skip" && reason !== "failed-unverified";
}

/** Gives the whole plan: a line per step that matters, its fields, and the sum. Reads and refusals are only counted. */
export function planText(names: Names, plan: UndoPlan, width: number, style: Style): string {
  const shown = plan.steps.filter((step) => !isIdle(step));
  const lines = shown.flatMap((step) => stepLines(names, step, width, style));
  return [...lines, sumText(names, plan)].join("\n");
}

/** Gives a step as it ended. */
export function reportText(names: Names, { step, end }: StepReport, width: number, style: Style): string {
  if (isIdle(step)) return "";
  const lines = stepLines(names, step, width, style);
  const said = endText(end);
  return [...lines, ...(said === undefined ? [] : [`     ${style.yellow(shorten(said, Math.max(40, width - 5)))}`])].join("\n");
}

/** Gives the last line of a plan: how many steps of each kind. */
function sumText(names: Names, { steps, halt }: UndoPlan): string {
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
  const halting = halt === undefined ? undefined : steps[halt];
  if (halting === undefined) return sum;
  const unreached = steps.filter(({ blockedBy, kind }) => blockedBy !== undefined && kind !== "skip").length;
  return `${sum}\nIt would halt at step ${refText(names, halting.action)}; ${unreached === 0 ? "nothing older is kept from being put back" : `${unreached} older ${unreached === 1 ? "step stays" : "steps stay"} as ${unreached === 1 ? "it is" : "they are"}`}.`;
}

function counted(number: number, words: string): string[] {
  return number === 0 ? [] : [`${number} ${words}`];
}

function stepLines(names: Names, step: PlanStep, width: number, style: Style): string[] {
  const { action, kind } = step;
  const paint =
    kind === "conflict" || kind === "unknown" || kind === "permanent" || step.reason === "failed-unverified"
      ? style.yellow
      : (text: string) => text;
  const name = visible(`${action.server}.${action.tool}`);
  const what = action.resources.length > 0 ? `  ${style.dim(visible(action.resources.join(", ")))}` : "";
  const marks = `${step.verified ? "" : " [unverified]"}${step.blockedBy === undefined || step.kind === "kept" ? "" : " (not reached)"}`;
  const head = `${refText(names, action).padStart(4)} ${paint(`${SYMBOLS[kind]} ${kind}`)}${marks}  ${style.bold(name)}${what}`;
  return [head, `     ${style.dim(whyText(step))}`, ...fieldLines(step, width)];
}

/** Gives why a step has its kind. */
export function whyText({ reason, action, now, assumed, kind }: PlanStep): string {
  const words = Object.hasOwn(STEP_WORDS, reason)
    ? STEP_WORDS[reason as keyof typeof STEP_WORDS]
    : REASON_WORDS[reason as keyof typeof REASON_WORDS];
  const said =
    (kind === "permanent" || reason === "failed-unverified") && action.detail ? `: "${shorten(visible(action.detail), 200)}"` : "";
  const approved = action.approvedBy === null ? "" : `; approved by ${visible(action.approvedBy)}`;
  const unreadable = now?.kind === "unreadable" ? `: ${visible(now.why)}` : "";
  return `${words}${said}${approved}${unreadable}${assumed ? " (once the newer steps are undone)" : ""}`;
}

function fieldLines(step: PlanStep, width: number): string[] {
  if (step.conflicts.length > 0) return conflictLines(step.conflicts, width);
  const { now, meant: before } = step;
  if (now === undefined || before === undefined) return [];
  if (now.kind === "present" && before.kind === "present")
    return changesBetween(now.value, before.value, step.rules).map(
      ({ path, from, to }) => `       ${fieldName(path)}: ${arrow(valueText(from), valueText(to), width - 8)}`,
    );
  return [`       ${arrow(stateText(now), stateText(before), width - 8)}`];
}

function conflictLines(conflicts: readonly Conflict[], width: number): string[] {
  const cell = Math.max(12, Math.floor((width - 24) / 3));
  const rows = conflicts.map(({ path, before, left, now }) => [
    fieldName(path),
    ...[before, left, now].map((value) => shorten(valueText(value), cell)),
  ]);
  return table([["field", "before", "agent left", "now"], ...rows], width - 7)
    .split("\n")
    .map((line) => `       ${line}`);
}

function arrow(from: string, to: string, width: number): string {
  const half = Math.max(16, Math.floor((width - 12) / 2));
  return `${shorten(from, half)} -> ${shorten(to, half)}`;
}

function fieldName(path: string): string {
  return path === "" ? "(all)" : visible(path);
}

function valueText(value: Json | undefined): string {
  return value === undefined ? "(nothing)" : visible(printJson(value));
}

function stateText(state: State): string {
  if (state.kind === "present") return valueText(state.value);
  return state.kind === "absent" ? "(absent)" : `(unreadable: ${visible(state.why)})`;
}

function endText(end: StepReport["end"]): string | undefined {
  switch (end.kind) {
    case "undone":
    case "not-sent":
      return undefined;
    case "claim-lost":
      return end.status === "undone"
        ? "another undo put it back at the same moment"
        : "another undo is at work on it; try again when it is done";
    case "refused":
      return `the server refused, and nothing changed: ${visible(end.said)}`;
    case "stuck":
      return `stuck: ${REASON_WORDS[end.reason]}${end.said === null ? "" : `: ${visible(end.said)}`}${end.now === undefined ? "" : `; now ${stateText(end.now)}`}`;
    case "unknown":
      return `not known whether it took effect: ${REASON_WORDS[end.reason]}`;
    case "no-server":
      return `not sent: ${visible(end.why)}`;
  }
}
