// How often may a rule let calls through? Counted by the journal: here for the decision, and once more in the transaction that writes the intent, so
// that calls at the same time, of several proxies too, can't be more than that together.
import type { GoverningRule } from "../core/policy.ts";
import { type AtMost, type Journal, LIMIT_MINUTE } from "../journal/journal.ts";

/** Gives how many calls the rule lets through; undefined where they aren't counted. */
export function atMostOf(rule: GoverningRule): AtMost | undefined {
  if (rule === "unmentioned") return undefined;
  const { match, limits: { perRun, perMinute } = {} } = rule;
  if (perRun === undefined && perMinute === undefined) return undefined;
  return {
    rule: { match, case: rule.case ?? null },
    ...(perRun !== undefined && { perRun }),
    ...(perMinute !== undefined && { perMinute }),
  };
}

/**
 * Says which limit leaves one more call no place; undefined: none. `now` in milliseconds since the epoch.
 * @throws SynartesisError journal-* if the journal can't be read
 */
export async function reachedLimit(journal: Journal, run: string, rule: GoverningRule, now: number): Promise<string | undefined> {
  const atMost = atMostOf(rule);
  if (atMost === undefined) return undefined;
  const { perRun, perMinute } = atMost;
  const inRun = perRun === undefined ? 0 : await journal.countSent(run, atMost.rule, 0);
  if (perRun !== undefined && inRun >= perRun) return `there were ${inRun} such calls in this run, and ${perRun} are let through`;
  const inMinute = perMinute === undefined ? 0 : await journal.countSent(run, atMost.rule, now - LIMIT_MINUTE);
  if (perMinute === undefined || inMinute < perMinute) return undefined;
  return `there were ${inMinute} such calls within a minute, and ${perMinute} are let through; wait`;
}
