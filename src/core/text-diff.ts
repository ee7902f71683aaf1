// In which lines do two texts differ? Lines keep their ends (`\n`, `\r\n`, none at the end of the text), so putting them together gives
// the very text. The time is bounded: where two texts have too little in common, the differing part is one change.
import { diffArrays } from "diff";

/** The lines of the base from `start` up to `end` are `lines` in the other text. */
export interface LineChange {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Some changed lines with unchanged ones around them. */
export interface TextHunk {
  /** Number of its first line in either text, from 1. */
  readonly fromLine: number;
  readonly toLine: number;
  /** With their line ends; removed ones before those that stand in their place. */
  readonly lines: readonly { readonly kind: "same" | "removed" | "added"; readonly text: string }[];
}

/** Lines removed and added; the time grows with the square of it, to about a second. */
const MOST_EDITS = 2000;
const CONTEXT = 2;

/** Splits a text into lines, each with its line end. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lists what was changed between two texts given as lines, in order; between two changes there is at least one unchanged line. */
export function lineChanges(base: readonly string[], other: readonly string[]): readonly LineChange[] {
  const shorter = Math.min(base.length, other.length);
  let head = 0;
  while (head < shorter && base[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorter - head && base[base.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  const from = base.slice(head, base.length - tail);
  const to = other.slice(head, other.length - tail);
  if (from.length === 0 && to.length === 0) return [];
  const whole = { start: head, end: head + from.length, lines: to };
  if (from.length === 0 || to.length === 0) return [whole];
  const parts = diffArrays(from, to, { maxEditLength: MOST_EDITS });
  if (parts === undefined) return [whole];
  const changes: LineChange[] = [];
  let position = head;
  let open: LineChange | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      if (open !== undefined) changes.push(open);
      open = undefined;
    } else {
      open ??= { start: position, end: position, lines: [] };
      open = added ? { ...open, lines: [...open.lines, ...value] } : { ...open, end: open.end + value.length };
    }
    if (!added) position += value.length;
  }
  return open === undefined ? changes : [...changes, open];
}

/** Gives the differences of two texts as a unified diff would show them, with two lines of context. */
export function textHunks(from: string, to: string): readonly TextHunk[] {
  const base = linesOf(from);
  const hunks: { fromLine: number; toLine: number; lines: TextHunk["lines"][number][] }[] = [];
  let shown = 0;
  let shift = 0;
  const showBase = (kind: "same" | "removed", end: number) => {
    for (const text of base.slice(shown, end)) hunks.at(-1)?.lines.push({ kind, text });
    shown = Math.max(shown, end);
  };
  for (const change of lineChanges(base, linesOf(to))) {
    if (hunks.length === 0 || change.start - shown > 2 * CONTEXT) {
      showBase("same", shown + CONTEXT);
      shown = Math.max(change.start - CONTEXT, 0);
      hunks.push({ fromLine: shown + 1, toLine: shown + 1 + shift, lines: [] });
    }
    showBase("same", change.start);
    showBase("removed", change.end);
    for (const text of change.lines) hunks.at(-1)?.lines.push({ kind: "added", text });
    shift += change.lines.length - (change.end - change.start);
  }
  showBase("same", shown + CONTEXT);
  return hunks;
}
