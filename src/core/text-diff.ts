// In which lines do two texts differ? Lines keep their ends (`\n`, `\r\n`, none at the end of the text), so putting them together gives
// the very text. The time is bounded: where two texts have too little in common, the differing part is one change.
import { type ArrayChange, diffArrays } from "diff";

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

type Parts = readonly ArrayChange<string>[];

/** The most lines removed and added between two anchors; the time grows with the square of it, to tens of milliseconds. */
const MOST_EDITS = 400;
/** The most squares of it that all gaps of a text may cost. */
const MOST_EFFORT = 10 * MOST_EDITS ** 2;
const CONTEXT = 2;

/** Splits a text into lines, each with its line end. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lists what was changed between two texts given as lines, in order; between two changes there is at least one unchanged line. */
export function lineChanges(base: readonly string[], other: readonly string[]): readonly LineChange[] {
  const { head, from, to } = withoutCommonEnds(base, other);
  const changes: LineChange[] = [];
  const effort = { left: MOST_EFFORT };
  let start = 0;
  let otherStart = 0;
  for (const [end, otherEnd] of [...anchors(from, to), [from.length, to.length] as const]) {
    changes.push(...gapChanges(from.slice(start, end), to.slice(otherStart, otherEnd), head + start, effort));
    start = end + 1;
    otherStart = otherEnd + 1;
  }
  return changes;
}

function withoutCommonEnds(base: readonly string[], other: readonly string[]) {
  const shorter = Math.min(base.length, other.length);
  let head = 0;
  while (head < shorter && base[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorter - head && base[base.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return { head, from: base.slice(head, base.length - tail), to: other.slice(head, other.length - tail) };
}

/** Pairs the lines that both have just once, as many as stand in the same order: between them little is left to compare. */
function anchors(base: readonly string[], other: readonly string[]): readonly (readonly [number, number])[] {
  const places = placesOfUnique(other);
  interface Chain {
    readonly pair: readonly [number, number];
    readonly previous: Chain | undefined;
  }
  // By length less one: of the chains of that length the one that ends earliest in the other text.
  const ends: Chain[] = [];
  for (const [line, index] of placesOfUnique(base)) {
    const place = places.get(line);
    if (place === undefined) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[1] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair: [index, place], previous: ends[low - 1] };
  }
  const pairs: (readonly [number, number])[] = [];
  for (let chain = ends.at(-1); chain !== undefined; chain = chain.previous) pairs.push(chain.pair);
  return pairs.reverse();
}

function placesOfUnique(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    else places.set(line, index);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

function gapChanges(base: readonly string[], other: readonly string[], offset: number, effort: { left: number }): readonly LineChange[] {
  const { head, from, to } = withoutCommonEnds(base, other);
  if (from.length === 0 && to.length === 0) return [];
  const start = offset + head;
  const parts = from.length === 0 || to.length === 0 ? undefined : diffWithin(from, to, effort);
  return parts === undefined ? [{ start, end: start + from.length, lines: to }] : changesFrom(parts, start);
}

function diffWithin(from: readonly string[], to: readonly string[], effort: { left: number }): Parts | undefined {
  const maxEditLength = Math.min(MOST_EDITS, Math.floor(Math.sqrt(effort.left)));
  const parts = diffArrays([...from], [...to], { maxEditLength });
  const edits = parts?.reduce((sum, { added, removed, value }) => (added || removed ? sum + value.length : sum), 0);
  effort.left -= (edits ?? maxEditLength) ** 2;
  return parts;
}

function changesFrom(parts: Parts, offset: number): readonly LineChange[] {
  const changes: LineChange[] = [];
  let position = offset;
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
