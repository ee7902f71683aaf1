// What is a text of several lines with the agent's change taken back? Changes of others are kept where at least one line lies between
// theirs and the agent's; nearer ones are a conflict, unless both made the same of those lines.
import { type LineChange, lineChanges, linesOf } from "../text-diff.ts";

/** The lines of one region on each side. */
export interface TextRegion {
  readonly before: string;
  readonly left: string;
  readonly now: string;
}

/** What the regions come to: put back, as before already, changed by others only; `conflicts` are the others. */
export interface TextMerge {
  readonly text: string;
  readonly reverted: number;
  readonly already: number;
  readonly kept: number;
  readonly conflicts: readonly TextRegion[];
}

/** Merges by line. */
export function mergeText(before: string, left: string, now: string): TextMerge {
  const base = linesOf(left);
  const found = { reverted: 0, already: 0, kept: 0 };
  const conflicts: TextRegion[] = [];
  let text = "";
  let position = 0;
  for (const { start, end, back, since } of regions(lineChanges(base, linesOf(before)), lineChanges(base, linesOf(now)))) {
    const region = { before: apply(base, start, end, back), left: join(base, start, end), now: apply(base, start, end, since) };
    text += join(base, position, start);
    text += since.length === 0 ? region.before : region.now;
    position = end;
    if (since.length === 0) found.reverted++;
    else if (back.length === 0) found.kept++;
    else if (region.before === region.now) found.already++;
    else conflicts.push(region);
  }
  return { text: text + join(base, position, base.length), ...found, conflicts };
}

interface Region {
  readonly start: number;
  readonly end: number;
  /** The changes that take the agent's back, and those made since. */
  readonly back: readonly LineChange[];
  readonly since: readonly LineChange[];
}

/** Puts together what touches. */
function regions(back: readonly LineChange[], since: readonly LineChange[]): readonly Region[] {
  const found: { start: number; end: number; back: LineChange[]; since: LineChange[] }[] = [];
  const all = [
    ...back.map((change) => ({ side: "back" as const, change })),
    ...since.map((change) => ({ side: "since" as const, change })),
  ];
  for (const { side, change } of all.sort((a, b) => a.change.start - b.change.start)) {
    let region = found.at(-1);
    if (region === undefined || change.start > region.end) {
      region = { start: change.start, end: change.end, back: [], since: [] };
      found.push(region);
    }
    region[side].push(change);
    region.end = Math.max(region.end, change.end);
  }
  return found;
}

function apply(base: readonly string[], start: number, end: number, changes: readonly LineChange[]): string {
  let text = "";
  let position = start;
  for (const change of changes) {
    text += join(base, position, change.start) + change.lines.join("");
    position = change.end;
  }
  return text + join(base, position, end);
}

function join(lines: readonly string[], start: number, end: number): string {
  return lines.slice(start, end).join("");
}
