// Can a deed be undone without touching what somebody did since, and what would that put back? Judged by cells and by who wrote them. Shares
// no code with the planner, and never looks at what it decided.
import { type Cells, cellOf, isCounter, isWithin, partsOf } from "./cells.ts";
import type { AgentDeed } from "./history.ts";
import { toolOf } from "./tools.ts";
import { isLost } from "./world.ts";

/** The cells that undoing gives another content. */
export type PutBack = ReadonlyMap<string, string | undefined>;

/**
 * `clear`: has to be undone. `nothing`: nothing of it stands, which is as good. `overlap`: somebody changed the same cells since; `near` ones may be
 * named too. `open`: either answer is right; `same-again` is what no value shows, `near` lines next to each other, `lost` a call of which nothing was
 * heard, `unseen` one that left no trace, `no-room` one whose place is gone, `taken` one that another
 * agent took away, which may be undone first.
 */
export type Verdict = { readonly putBack: PutBack } & (
  | { readonly kind: "clear" | "nothing" }
  | { readonly kind: "overlap"; readonly cells: ReadonlySet<string>; readonly near: ReadonlySet<string> }
  | { readonly kind: "open"; readonly why: "same-again" | "near" | "lost" | "unseen" | "no-room" | "taken" }
);

/** What others did after a deed, as far as it stands. */
export interface Since {
  /** Every cell that they wrote, whether or not that changed it. */
  readonly wrote: ReadonlySet<string>;
  /** Whether anybody else wrote anything in a thing, or has had something in it undone. */
  isTouched(thing: string): boolean;
  /** Whether it was another agent that took a thing away, or may have been: that may yet be undone too. */
  isTakenByAgent(scope: string): boolean;
}

const NOTHING: Verdict = { kind: "nothing", putBack: new Map() };

/** Judges a deed in a state. */
export function assess(deed: AgentDeed, state: Cells, since: Since): Verdict {
  const verdict = assessEffect(deed, state, since);
  const isTouched = deed.thing !== undefined && since.isTouched(deed.thing);
  if (isLost(deed.fault)) {
    const { family } = toolOf(deed.call.tool);
    const isSeen = (family === "fields" || family === "remove") && deed.effect.size === 0 && !isTouched;
    return isSeen ? NOTHING : { kind: "open", why: "lost", putBack: verdict.putBack };
  }
  if (deed.effect.size === 0 && isTouched) return { ...NOTHING, kind: "open", why: "unseen" };
  return verdict;
}

function assessEffect(deed: AgentDeed, state: Cells, since: Since): Verdict {
  if (deed.effect.size === 0) return NOTHING;
  switch (toolOf(deed.call.tool).family) {
    case "fields":
      return assessFields(deed, state, since);
    case "make":
      return assessMade(deed, state, since);
    case "remove":
      return assessRemoved(deed, state, since);
    case "offset":
      return assessOffset(deed, state, since);
    case "read":
    case "final":
      return NOTHING;
  }
}

/** Tells whether somebody has written a cell since, be it by making the whole thing again without it. */
function isWritten(cell: string, { wrote }: Since): boolean {
  return wrote.has(cell) || wrote.has(partsOf(cell).thing);
}

/** What a person took away stays away. */
function gone(scope: string, since: Since): Verdict {
  return since.isTakenByAgent(scope) ? { kind: "open", why: "taken", putBack: new Map() } : NOTHING;
}

/** Cells of a deed, by what became of them since. */
class Sorted {
  readonly putBack = new Map<string, string | undefined>();
  readonly same = new Set<string>();
  readonly near = new Set<string>();
  readonly overlap = new Set<string>();

  verdict(): Verdict {
    const { putBack, same, near, overlap } = this;
    if (overlap.size > 0) return { kind: "overlap", cells: overlap, near: new Set([...near, ...same]), putBack };
    if (near.size > 0) return { kind: "open", why: "near", putBack };
    if (same.size > 0) return { kind: "open", why: "same-again", putBack };
    return { kind: putBack.size === 0 ? "nothing" : "clear", putBack };
  }
}

function assessFields(deed: AgentDeed, state: Cells, since: Since): Verdict {
  if (!state.has(deed.thing ?? "")) return gone(deed.thing ?? "", since);
  const sorted = new Sorted();
  const texts = new Set<string>();
  for (const [cell, { before, after }] of deed.effect) {
    const now = state.get(cell);
    const { thing, field } = partsOf(cell);
    if (field === "body" || field === "text") texts.add(cellOf(thing, field));
    else if (now === after) {
      sorted.putBack.set(cell, before);
      if (isWritten(cell, since)) sorted.same.add(cell);
    } else if (now === undefined && before !== undefined && after !== undefined) {
      sorted.near.add(cell); // a note that somebody took away: it stays away, be that called a conflict or not
    } else if (now !== before) sorted.overlap.add(cell);
  }
  for (const text of texts) for (const stretch of stretchesOf(text, deed, state)) sortStretch(stretch, deed, state, since, sorted);
  return sorted.verdict();
}

/** Lines between two that nobody changed: those that the deed changed, and those that others changed since. */
interface Stretch {
  readonly mine: string[];
  readonly others: string[];
}

function stretchesOf(text: string, { before, after }: AgentDeed, state: Cells): readonly Stretch[] {
  const lines = [...new Set([...before.keys(), ...after.keys(), ...state.keys()])].filter((cell) => isWithin(cell, text)).sort();
  const stretches: Stretch[] = [{ mine: [], others: [] }];
  for (const line of lines) {
    const stretch = stretches.at(-1) as Stretch; // there is always one
    const [was, left, now] = [before.get(line), after.get(line), state.get(line)];
    if (was !== left) stretch.mine.push(line);
    if (left !== now) stretch.others.push(line);
    if (was === left && left === now) stretches.push({ mine: [], others: [] });
  }
  return stretches;
}

function sortStretch({ mine, others }: Stretch, deed: AgentDeed, state: Cells, since: Since, sorted: Sorted): void {
  const beforeOf = (line: string) => deed.before.get(line);
  if (mine.every((line) => state.get(line) === beforeOf(line)) && others.every((line) => mine.includes(line))) return;
  if (mine.length === 0) return;
  for (const line of mine) {
    const now = state.get(line);
    if (now === deed.after.get(line)) {
      sorted.putBack.set(line, beforeOf(line));
      if (isWritten(line, since)) sorted.same.add(line);
    } else if (now !== beforeOf(line)) sorted.overlap.add(line);
  }
  if (others.length > 0) for (const line of mine) if (!sorted.overlap.has(line)) sorted.near.add(line);
}

/** What was made is removed again, unless anything in it isn't as it was made. */
function assessMade(deed: AgentDeed, state: Cells, since: Since): Verdict {
  const scope = scopeOf(deed);
  if (!state.has(scope)) return gone(scope, since);
  const sorted = new Sorted();
  for (const cell of new Set([...state.keys(), ...deed.after.keys()])) {
    if (!isWithin(cell, scope)) continue;
    if (state.get(cell) !== deed.after.get(cell)) sorted.overlap.add(cell);
    else {
      sorted.putBack.set(cell, undefined);
      if (isWritten(cell, since)) sorted.same.add(cell);
    }
  }
  return sorted.verdict();
}

/** What was removed comes back, unless somebody has made it again. */
function assessRemoved(deed: AgentDeed, state: Cells, since: Since): Verdict {
  const scope = scopeOf(deed);
  const putBack = new Map([...deed.effect].map(([cell, { before }]) => [cell, before] as const));
  if (state.has(scope)) {
    const cells = new Set([...state.keys(), ...putBack.keys()]);
    const isAsBefore = [...cells].every((cell) => !isWithin(cell, scope) || state.get(cell) === putBack.get(cell));
    return isAsBefore ? NOTHING : { kind: "overlap", cells: new Set([scope]), near: new Set(), putBack: new Map() };
  }
  if (partsOf(scope).field !== undefined && !state.has(deed.thing ?? "")) return { kind: "open", why: "no-room", putBack: new Map() };
  return isWritten(scope, since) ? { kind: "open", why: "same-again", putBack } : { kind: "clear", putBack };
}

/** An amount is taken off again, whatever came since. */
function assessOffset(deed: AgentDeed, state: Cells, since: Since): Verdict {
  const thing = deed.thing ?? "";
  if (!state.has(thing)) return { kind: "open", why: "no-room", putBack: new Map() };
  const putBack = new Map<string, string>();
  for (const [cell, { before, after }] of deed.effect)
    if (isCounter(cell)) putBack.set(cell, String(Number(state.get(cell)) - (Number(after) - Number(before))));
  return isWritten(thing, since) ? { kind: "open", why: "same-again", putBack } : { kind: "clear", putBack };
}

function scopeOf({ call, result }: AgentDeed): string {
  const { scope } = toolOf(call.tool);
  if (scope === undefined) throw new Error(`${call.tool} makes and removes nothing`);
  return scope(call.args, result);
}
