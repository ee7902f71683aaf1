// How often has a rule let calls through? Counted by the journal, and here for the calls that are on their way into it. A call that isn't sent
// after all doesn't count.
import type { GoverningRule, Rule } from "../core/policy.ts";
import type { Journal } from "../journal/journal.ts";

const MINUTE = 60_000;

/** A call's place among those that count; `full`: which limit leaves it none. */
export interface CallPlace {
  readonly full: string | undefined;
  /** Takes it out of the count: it wasn't sent. */
  giveBack(): void;
}

const UNCOUNTED: CallPlace = { full: undefined, giveBack: () => undefined };

/** Tells whether a rule's calls are counted. */
export function isCounted(rule: GoverningRule): boolean {
  return rule !== "unmentioned" && (rule.limits?.perRun !== undefined || rule.limits?.perMinute !== undefined);
}

/** Counts the calls of one session. */
export class CallLimits {
  readonly #clock: () => number;
  /** When each call was let through, by run and rule. */
  readonly #places = new Map<string, number[]>();
  /** How many there were in the run when this session met it. */
  readonly #before = new Map<string, number>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Takes a place for a call that is about to be decided. @throws SynartesisError journal-* if the journal can't be read */
  async take(journal: Journal, run: string, rule: GoverningRule): Promise<CallPlace> {
    if (rule === "unmentioned" || !isCounted(rule)) return UNCOUNTED;
    const key = `${run} ${rule.digest}`;
    const now = this.#clock();
    const counted = (since: number) => journal.countSent(run, { match: rule.match, case: rule.case ?? null }, since);
    const [inRun, inMinute] = await Promise.all([counted(0), counted(now - MINUTE)]);
    const places = this.#places.get(key) ?? [];
    const before = this.#before.get(key) ?? inRun;
    const isRecent = (at: number) => at > now - MINUTE;
    const full = fullText(rule, Math.max(inRun, before + places.length), Math.max(inMinute, places.filter(isRecent).length));
    this.#before.set(key, before);
    this.#places.set(key, places);
    places.push(now);
    return { full, giveBack: () => void places.splice(places.lastIndexOf(now), 1) };
  }
}

function fullText({ limits }: Rule, inRun: number, inMinute: number): string | undefined {
  const { perRun, perMinute } = limits ?? {};
  if (perRun !== undefined && inRun >= perRun) return `there were ${inRun} such calls in this run, and ${perRun} are let through`;
  if (perMinute !== undefined && inMinute >= perMinute)
    return `there were ${inMinute} such calls within a minute, and ${perMinute} are let through; wait`;
  return undefined;
}
