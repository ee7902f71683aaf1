// How many calls of a run were sent under a rule? Counted for a decision, and again in the transaction of an intent, where nobody comes between.
import type { Connection } from "./connection.ts";
import { type CountedRule, LIMIT_MINUTE, type NewIntent } from "./journal.ts";

/** Counts the calls of a run under a rule that were sent, or are about to be, after a moment (milliseconds since the epoch). */
export function countSent(connection: Connection, run: string, rule: CountedRule, after: number): number {
  const sql = `SELECT count(*) AS calls FROM actions WHERE run = ? AND sent_at > ? AND reason IS NOT 'cancelled-before-sending'
    AND CASE WHEN json_valid(rule) THEN json_extract(rule, '$.match') IS ? AND json_extract(rule, '$.case') IS ? END`;
  return Number(connection.first(sql, run, after, rule.match, rule.case)?.["calls"]);
}

/** Tells whether other calls have taken all places that the limits of an intent's rule leave. `now` in milliseconds since the epoch. */
export function isFull(connection: Connection, { run, atMost }: Pick<NewIntent, "run" | "atMost">, now: number): boolean {
  if (atMost === undefined) return false;
  const { rule, perRun, perMinute } = atMost;
  if (perRun !== undefined && countSent(connection, run, rule, 0) >= perRun) return true;
  return perMinute !== undefined && countSent(connection, run, rule, now - LIMIT_MINUTE) >= perMinute;
}
