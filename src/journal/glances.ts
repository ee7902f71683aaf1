// What does a screen need to know of a run that may be long? How many calls of what kind there are, and the few that are visible; and whether anything
// is new at all. Never reads more than is asked for.
import type { ActionClass, ActionStatus, Verification } from "../core/vocabulary.ts";
import type { Connection } from "./connection.ts";
import type { Action } from "./records.ts";
import { toActions } from "./rows.ts";

/** How many calls of a run are alike in class, status and verification. */
export interface Tally {
  readonly class: ActionClass;
  readonly status: ActionStatus;
  readonly verification: Verification | null;
  readonly calls: number;
}

/** Counts the calls of a run. */
export function tally(connection: Connection, run: string): readonly Tally[] {
  const sql = "SELECT class, status, verification, count(*) AS calls FROM actions WHERE run = ? GROUP BY class, status, verification";
  // The columns' CHECKs hold them to the vocabularies.
  return connection.all(sql, run) as unknown as readonly Tally[];
}

/** Gives the calls of a run from one number to another, both included, in order. */
export function actionsBetween(connection: Connection, run: string, from: number, to: number): readonly Action[] {
  return toActions(connection.all("SELECT * FROM actions WHERE run = ? AND seq BETWEEN ? AND ? ORDER BY seq", run, from, to));
}

/** Gives the numbers of a run's calls whose server, tool, class or status contains a text, whatever its case. */
export function numbersMatching(connection: Connection, run: string, text: string): readonly number[] {
  const sql = `SELECT seq FROM actions
    WHERE run = ? AND instr(lower(trim(server, '"') || '.' || trim(tool, '"') || ' ' || class || ' ' || status), ?) > 0 ORDER BY seq`;
  return connection.all(sql, run, text.toLowerCase()).map((row) => Number(row["seq"]));
}

/** Gives a number that is another one once another process has written. */
export function changeMark(connection: Connection): number {
  return Number(connection.first("PRAGMA data_version")?.["data_version"]);
}
