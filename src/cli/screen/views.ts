// How does each view look? Lines of text that fit the width; what others wrote is shown with nothing hidden in it. Pure.
import { isJsonObject, type Json, printJson } from "../../core/json.ts";
import type { Action } from "../../journal/journal.ts";
import { abridge } from "../render/abridge.ts";
import { countText } from "../render/counts.ts";
import { changeLines } from "../render/differences.ts";
import { heldText, type WaitingCall } from "../render/gates.ts";
import { cells, fitted, shorten, wrap, wrapWords } from "../render/layout.ts";
import { actorText, runLines, stateText, undoingText } from "../render/runs.ts";
import { ago, localClock } from "../render/time.ts";
import { actionText, statusStyle } from "../render/timeline.ts";
import { visible } from "../render/visible.ts";
import { isKnown, type ScreenData, type ViewData } from "./data.ts";
import type { Surroundings } from "./frame.ts";
import { type ScreenState, type Shown, topView, type View } from "./state.ts";

type Of<Kind extends ViewData["kind"]> = Extract<ViewData, { kind: Kind }>;

/** The mark of what is chosen; it is seen without colours, too. */
const CHOSEN = "> ";
const NOT_CHOSEN = "  ";
/** With so many lines there is room for more than what is needed. */
const TALL = 16;
/** From so many columns on a call's class, and the time of day, have room. */
const WIDE = 100;
const MEDIUM = 60;
/** Of arguments in short: cells of a value, its characters that are looked at, members of one value, and what stands between two. */
const LEAST_VALUE = 12;
const LONGEST_VALUE = 1000;
const MOST_VALUES = 50;
const GAP = "  ";
const NO_RULES = { ignore: [], sets: [], identity: [], relevant: undefined };

/** Gives the heads and a line for each run that is seen. */
export function runsLines({ seen, index, top, runs }: Of<"runs">, { view, style, size }: Surroundings): readonly string[] {
  if (runs.length === 0) return ["no runs"];
  const [heads = "", ...lines] = runLines(seen, { ...view, columns: size.columns - CHOSEN.length });
  return [style.dim(NOT_CHOSEN + heads), ...lines.map((line, at) => chosenLine(line, top + at === index, style.bold))];
}

/** Gives a line about the run and one for each call that is seen. */
export function runCallLines({ facts, seen, index, top, length }: Of<"run">, around: Surroundings): readonly string[] {
  const { style, size, view } = around;
  const { run } = facts;
  const who = run.kind === "agent" ? actorText(run) : undoingText(facts, (id) => id.slice(0, 8));
  const sums = `${countText(facts.calls, "call")}, ${countText(facts.changes, "change")}, ${facts.held} held`;
  const head = style.dim(shorten(`${who}, ${stateText(facts)}, ${ago(run.startedAt, view.now)}: ${sums}`, size.columns));
  if (length === 0) return [head, facts.calls === 0 ? "no calls yet" : "no call matches"];
  const digits = String(facts.calls).length;
  return [head, ...seen.map((action, at) => chosenLine(callLine(action, digits, around), top + at === index, style.bold))];
}

function callLine(action: Action, digits: number, { size, style }: Surroundings): string {
  const time = size.columns >= MEDIUM ? `${localClock(action.receivedAt)}  ` : "";
  const start = `${String(action.seq).padStart(digits)}  ${time}`;
  const status = action.status.padEnd(9);
  const kind = size.columns >= WIDE ? `${action.class.padEnd(12)}  ` : "";
  const room = Math.max(0, size.columns - CHOSEN.length - start.length - status.length - 2 - kind.length);
  const touched =
    action.resources.length === 0
      ? ""
      : `  ${action.resources
          .slice(0, 5)
          .map((key) => visible(key.slice(0, 1000)))
          .join(", ")}`;
  return `${start}${statusStyle(action, style)(status)}  ${kind}${shorten(`${toolOf(action)}${touched}`, room)}`;
}

function chosenLine(line: string, isChosen: boolean, paint: (text: string) => string): string {
  return isChosen ? paint(CHOSEN + line) : NOT_CHOSEN + line;
}

/** Gives the calls around the chosen one, a line each; on a small screen none. */
export function waitingList({ waiting }: ScreenData, index: number, { size, style, view }: Surroundings): readonly string[] {
  if (waiting.length < 2 || size.rows < TALL) return [];
  const count = Math.min(waiting.length, Math.max(1, Math.floor(size.rows / 5)));
  const top = Math.max(0, Math.min(index - Math.floor(count / 2), waiting.length - count));
  const lines = waiting.slice(top, top + count).map((action, at) => {
    const text = `${top + at + 1}  ${toolOf(action)}  ${ago(action.receivedAt, view.now)}`;
    return chosenLine(shorten(text, size.columns - CHOSEN.length), top + at === index, style.bold);
  });
  return [...lines, style.dim("─".repeat(size.columns))];
}

/** Gives the chosen call, whole. */
export function waitingLines(call: WaitingCall | undefined, { view, style, size }: Surroundings): readonly string[] {
  return call === undefined ? ["nothing waits for an answer"] : fitted(heldText(call, view, style), size.columns);
}

/** Gives the arguments of a call that doesn't fit the screen in a few lines: every value by its name, short ones whole and first. */
export function inShortLines(call: WaitingCall | undefined, { size, style }: Surroundings): readonly string[] {
  if (call?.facts.args.kind !== "value") return [];
  const count = Math.max(1, Math.floor(size.rows / 5));
  const texts = leaves(call.facts.args.value, "").toSorted((a, b) => a.length - b.length);
  let rest = count * size.columns;
  const parts = texts.map((text, at) => {
    const part = shorten(text, Math.max(LEAST_VALUE, rest - (texts.length - at - 1) * (LEAST_VALUE + GAP.length)));
    rest -= cells(part) + GAP.length;
    return part;
  });
  const lines = wrapWords(parts.join(GAP), size.columns).split("\n");
  return [...lines.slice(0, count).map(style.bold), ...(size.rows < TALL ? [] : [style.dim("─".repeat(size.columns))])];
}

/** Gives the values that a value is made of, each behind the names that lead to it. */
function leaves(value: Json, name: string): readonly string[] {
  const inner = Array.isArray(value)
    ? value.map((item: Json, at) => [String(at), item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  if (inner.length === 0) return [visible(`${name === "" ? "" : `${name}: `}${printJson(value).slice(0, LONGEST_VALUE)}`)];
  return inner.slice(0, MOST_VALUES).flatMap(([key, item]) => leaves(item, name === "" ? key : `${name}.${key}`));
}

/** Gives all that is known of one call. */
export function actionLines({ facts, run, before, after }: Of<"action">, { view, style, size }: Surroundings): readonly string[] {
  const { args } = facts;
  const said = args.kind === "value" ? abridge(args.value).text : `[unreadable: ${args.why}]`;
  const isCompared = isKnown(before) && isKnown(after);
  const lines = isCompared ? changeLines(before, after, NO_RULES, Math.max(30, size.columns - 4)) : [];
  const compared = isCompared ? (lines.length > 0 ? lines : ["no difference"]) : [unknownText(before, after)];
  return fitted(
    [
      actionText(facts, run, view, style),
      "",
      style.dim("arguments"),
      wrap(said.split("\n").map(visible).join("\n"), size.columns, "  "),
      ...(wasNeverSent(facts.action) ? ["", "nothing was sent"] : []),
      ...(facts.action.class === "readonly" || wasNeverSent(facts.action)
        ? []
        : ["", style.dim("before -> after the call"), ...compared.map((line) => `  ${line}`)]),
    ].join("\n"),
    size.columns,
  );
}

function wasNeverSent({ status }: Action): boolean {
  return status === "held" || status === "approved" || status === "denied" || status === "expired";
}

function unknownText(before: Of<"action">["before"], after: Of<"action">["after"]): string {
  const missing = [...(isKnown(before) ? [] : ["the state before it"]), ...(isKnown(after) ? [] : ["the state after it"])];
  return `${missing.join(" and ")} ${missing.length === 1 ? "isn't" : "aren't"} in the record`;
}

/** Gives the title: where one is, how far down, and how many calls wait. */
export function titleText(
  state: ScreenState,
  data: ScreenData,
  listed: Pick<Shown, "length" | "page" | "top">,
  around: Surroundings,
): string {
  const { size, style } = around;
  const { waiting } = data;
  const { length, page, top } = listed;
  const part =
    length > page
      ? `${(top + 1).toLocaleString("en")}-${Math.min(top + page, length).toLocaleString("en")} of ${length.toLocaleString("en")}`
      : "";
  const waits = waiting.length === 0 ? "" : `${waiting.length.toLocaleString("en")} ${waiting.length === 1 ? "waits" : "wait"}`;
  const right = [part, waits].filter((text) => text !== "").join("  ");
  const name = shorten(nameOf(topView(state), data), Math.max(0, size.columns - cells(right) - 2));
  const gap = " ".repeat(Math.max(0, size.columns - cells(name) - cells(right)));
  const end = right.slice(0, right.length - waits.length);
  return shorten(right, size.columns) === right ? `${style.bold(name)}${gap}${end}${style.yellow(waits)}` : style.bold(name);
}

function nameOf(view: View, { view: read }: ScreenData): string {
  const filter = "filter" in view && view.filter !== "" ? ` with "${visible(view.filter)}"` : "";
  switch (view.kind) {
    case "runs":
      return `synartesis: runs${filter}`;
    case "run":
      return `run ${view.run.slice(0, 8)}${filter}`;
    case "action":
      return `run ${view.run.slice(0, 8)}, call ${view.seq}`;
    case "waiting":
      return read.kind === "waiting" && read.call !== undefined ? `held: ${toolOf(read.call.facts.action)}` : "waits for you";
    case "undo":
      return `undo of ${view.run.slice(0, 8)}`;
    case "help":
      return "keys";
  }
}

function toolOf({ server, tool }: Action): string {
  return visible(`${server}.${tool}`);
}
