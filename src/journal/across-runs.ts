// Which changes of all runs belong to a question: later ones on the same thing, or those since a moment? In the order in which they were
// written down, which for calls on one thing is the order in which they were sent. Never tells of reads.
import type { Json } from "../core/json.ts";
import { printJson } from "../core/json.ts";
import type { Connection } from "./connection.ts";
import type { Action } from "./journal.ts";
import { getAction } from "./read-actions.ts";
import { toActions } from "./rows.ts";
import { CHANGING } from "./schema.ts";

/** Gives the changing calls that were sent after an action and touched one of the resources. @throws not-found */
export function laterOn(connection: Connection, resources: readonly string[], after: string): readonly Action[] {
  const { id } = getAction(connection, after);
  const wanted = new Set(resources);
  const sql = `SELECT * FROM actions WHERE ${CHANGING} AND event > (SELECT event FROM actions WHERE id = ?) AND sent_at IS NOT NULL AND EXISTS (
      SELECT 1 FROM json_each(CASE WHEN json_valid(resources) THEN resources ELSE '[]' END) WHERE value IN (SELECT value FROM json_each(?)))
    ORDER BY event`;
  const found = toActions(connection.all(sql, id, printJson(resources as Json)));
  return found.filter((action) => action.resources.some((resource) => wanted.has(resource))); // SQLite confuses lone surrogates
}

/** Gives the changing calls of agents that were received at or after a moment (milliseconds since the epoch), whatever became of them. */
export function actionsSince(connection: Connection, time: number): readonly Action[] {
  const sql = `SELECT actions.* FROM actions JOIN runs ON runs.id = actions.run
    WHERE ${CHANGING} AND received_at >= ? AND runs.kind = 'agent' ORDER BY actions.event`;
  return toActions(connection.all(sql, time));
}
