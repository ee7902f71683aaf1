// How is it shown where two or three states differ? A line or two for each field, the changed lines of a text, a table of a conflict; of too much
// the first part, and how much more there is. Pure.
import type { Conflict } from "../../core/conflict.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { readPath } from "../../core/reference.ts";
import { presentValue, type State } from "../../core/state.ts";
import { differences } from "../../core/state-difference.ts";
import { linesOf, type TextHunk, textHunks } from "../../core/text-diff.ts";
import { type Change, changesBetween, type MergeRules } from "../../core/three-way.ts";
import { countText, moreText } from "./counts.ts";
import { cells, shorten, table } from "./layout.ts";
import { comparedTexts, isLines, stateText, valueText } from "./value.ts";
import { visible } from "./visible.ts";

/** So many fields are shown of one step, and so many lines of one text. */
const MOST_FIELDS = 20;
const MOST_LINES = 24;
/** Of lines that were all removed, or all added, the first ones are shown. */
const MOST_ALIKE = 6;
/** The name of a field takes at most this part of the width. */
const NAME_PART = 0.4;
const NOT_KNOWN = "not known";

/** Who left what was there after the call, and whether that is known at all. */
export interface LeftSide {
  readonly by: string;
  readonly isLeftKnown: boolean;
}

/** Lists the fields in which a state differs from the one that is meant; a thing that comes to be has every member as a field. */
export function fieldChanges(now: State, meant: State, rules: MergeRules): readonly Change[] {
  if (now.kind === "present" && meant.kind === "present") return changesBetween(now.value, meant.value, rules);
  if (now.kind === "absent" && meant.kind === "present" && isJsonObject(meant.value)) return changesBetween({}, meant.value, rules);
  const [from, to] = [presentValue(now), presentValue(meant)];
  return from === to || now.kind === "unreadable" ? [] : [{ path: "", from, to }];
}

/** Gives the lines for what becomes of a state. */
export function changeLines(now: State, meant: State, rules: MergeRules, width: number): readonly string[] {
  if (now.kind === "present" && meant.kind === "present") return fieldLines(fieldChanges(now, meant, rules), width);
  if (now.kind === "present" && meant.kind === "absent") return [`${thingText(now.value, width - DELETED.length)}${DELETED}`];
  const half = Math.max(12, Math.floor((width - 4) / 2));
  const whole = `${stateText(now, width)} -> ${stateText(meant, width)}`;
  if (cells(whole) <= width) return [whole];
  const fields = fieldChanges(now, meant, rules);
  if (now.kind === "absent" && fields.length > 0)
    return ["(absent) ->", ...fieldLines(fields, width - 2, "made").map((line) => `  ${line}`)];
  return [`${stateText(now, half)} -> ${stateText(meant, half)}`];
}

const DELETED = " is deleted";

/** Of a file or a folder, as a server says it is there, everything else that is known of it is no help. */
function thingText(value: Json, width: number): string {
  const kind = isJsonObject(value) && value["exists"] === true ? value["kind"] : undefined;
  return kind === "file" || kind === "folder" ? `the ${kind}` : valueText(value, width);
}

/** Gives a line or more for each change: `plan: "free" -> "pro"`, or the changed lines of a text. `made`: there was nothing before. */
export function fieldLines(changes: readonly Change[], width: number, as: "changed" | "made" = "changed"): readonly string[] {
  const shown = changes.slice(0, MOST_FIELDS).flatMap((change) => oneField(change, width, as));
  return changes.length > MOST_FIELDS ? [...shown, moreText(changes.length - MOST_FIELDS, "field")] : shown;
}

function oneField({ path, from, to }: Change, width: number, as: "changed" | "made"): readonly string[] {
  const name = fieldName(path, width);
  if (isLines(from) || isLines(to)) {
    const [before, after] = [from ?? "", to ?? ""];
    if (typeof before === "string" && typeof after === "string") return textLines(name, textHunks(before, after), width);
  }
  if (as === "made") return [`${name}: ${valueText(to, Math.max(12, width - cells(name) - 2))}`];
  const [whole, target] = [valueText(from, width), valueText(to, width)];
  const line = `${name}: ${whole} -> ${target}`;
  if (cells(line) <= width) return [line];
  const [left = "", right = ""] = comparedTexts([from, to], width - 4);
  return [`${name}:`, `  - ${left}`, `  + ${right}`];
}

function textLines(name: string, hunks: readonly TextHunk[], width: number): readonly string[] {
  const all = hunks.flatMap(({ lines }) => lines);
  const number = (wanted: "removed" | "added") => all.filter(({ kind }) => kind === wanted).length;
  const head = `${name}: ${countText(number("removed"), "line")} removed, ${number("added").toLocaleString("en")} added`;
  const lines = hunks.flatMap((hunk) => [() => `  @ line ${hunk.toLine}`, ...abridged(hunk.lines, width)]);
  return [head, ...firstLines(lines)];
}

/** A text may have more lines than are ever worth being laid out. */
type Line = () => string;

function firstLines(lines: readonly Line[]): readonly string[] {
  if (lines.length <= MOST_LINES) return lines.map((line) => line());
  return [...lines.slice(0, MOST_LINES - 1).map((line) => line()), `  ${moreText(lines.length - MOST_LINES + 1, "line")}`];
}

const MARKS = { same: " ", removed: "-", added: "+" } as const;

/** Of what was replaced, both sides are seen, however long the first one is. */
function abridged(lines: TextHunk["lines"], width: number): readonly Line[] {
  const shown: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const kind = lines[at]?.kind ?? "same";
    let end = at + 1;
    while (end < lines.length && lines[end]?.kind === kind) end++;
    const most = end - at <= MOST_ALIKE ? MOST_ALIKE : MOST_ALIKE - 1;
    for (const { text } of lines.slice(at, Math.min(end, at + most))) shown.push(() => lineOf(MARKS[kind], text, width));
    const more = end - at - most;
    if (more > 0) shown.push(() => `  ${MARKS[kind]} ${moreText(more, "line")}`);
    at = end;
  }
  return shown;
}

function lineOf(mark: string, text: string, width: number): string {
  const said = text.endsWith("\n") ? text.slice(0, -1) : `${text} (no line end)`;
  return `  ${mark} ${shorten(visible(said.slice(0, 8 * width)), Math.max(10, width - 4))}`.trimEnd();
}

/** Gives a conflict's fields as a table, or as a block each where they don't fit one. */
export function conflictLines(conflicts: readonly Conflict[], width: number, left: LeftSide): readonly string[] {
  const all = conflicts.flatMap(byField);
  const shown = all.slice(0, MOST_FIELDS).map((conflict) => ({ path: conflict.path, sides: sidesOf(conflict, left) }));
  const more = all.length > MOST_FIELDS ? [moreText(all.length - MOST_FIELDS, "field")] : [];
  const heads = ["field", "before", `${left.by} left`, "now"];
  const rows = shown.map(({ path, sides }) => [fieldName(path, width), ...sides.map(({ value, known }) => sideText(value, known, width))]);
  const isTable = !shown.some(({ sides }) => sides.some(({ value }) => isLines(value))) && fits(heads, rows, width);
  const lines = isTable ? table([heads, ...rows], width).split("\n") : shown.flatMap((each) => conflictBlock(each, width));
  return [...lines, ...more];
}

/** Of a whole record, or one within another, its fields, where two sides have one and the third has nothing. */
function byField(conflict: Conflict): readonly Conflict[] {
  const { path, before, left, now } = conflict;
  const sides = [before, left, now].filter((side) => side !== undefined);
  const [first, last] = [sides[0], sides.at(-1)];
  if (first === undefined || last === undefined || sides.length < 2 || !sides.every(isJsonObject)) return [conflict];
  const rows = differences(first, last, []).map(({ path: field, steps }) => {
    const at = (side: Json | undefined) => {
      const found = side === undefined ? undefined : readPath(side, steps);
      return found?.kind === "found" ? found.value : undefined;
    };
    return { path: `${path}${path === "" || field.startsWith("[") ? "" : "."}${field}`, before: at(before), left: at(left), now: at(now) };
  });
  return rows.length === 0 ? [conflict] : rows;
}

/** A side of a conflict: nothing there isn't the same as not known. */
interface Side {
  readonly name: string;
  readonly value: Json | undefined;
  readonly known: boolean;
}

function sidesOf({ before, left, now }: Conflict, { by, isLeftKnown }: LeftSide): readonly Side[] {
  return [
    { name: "before", value: before, known: true },
    { name: `${by} left`, value: left, known: isLeftKnown || left !== undefined },
    { name: "now", value: now, known: true },
  ];
}

function sideText(value: Json | undefined, known: boolean, width: number): string {
  return known ? valueText(value, width) : NOT_KNOWN;
}

function fits(heads: readonly string[], rows: readonly (readonly string[])[], width: number): boolean {
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => cells(row[at] ?? ""))));
  return widths.reduce((sum, cells) => sum + cells + 2, -2) <= width;
}

function conflictBlock({ path, sides }: { path: string; sides: readonly Side[] }, width: number): readonly string[] {
  const head = ({ name }: Side) => `  ${name.padEnd(10)}  `;
  const room = Math.max(12, width - 14);
  const name = fieldName(path, width);
  if (sides.some(({ value }) => isLines(value)))
    return [name, ...sides.flatMap((side) => (side.known ? sideLines(side.value, head(side), width) : [`${head(side)}${NOT_KNOWN}`]))];
  const texts = comparedTexts(
    sides.map(({ value }) => value),
    room,
  );
  return [name, ...sides.map((side, at) => `${head(side)}${side.known ? texts[at] : NOT_KNOWN}`)];
}

function sideLines(value: Json | undefined, head: string, width: number): readonly string[] {
  if (typeof value !== "string") return [`${head}${valueText(value, Math.max(12, width - head.length))}`];
  const lines = linesOf(value).map((text) => ({ kind: "same", text }) as const);
  return [`${head}${countText(lines.length, "line")}`, ...firstLines(abridged(lines, width))];
}

function fieldName(path: string, width: number): string {
  return path === "" ? "(all)" : shorten(visible(path.slice(0, 8 * width)), Math.max(12, Math.floor(width * NAME_PART)));
}
