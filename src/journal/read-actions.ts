// Which actions are recorded? One by its id, those of a run, and what was done to undo one. Never writes.
import { SynartesisError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import type { Action } from "./journal.ts";
import { findByPrefix } from "./prefix.ts";
import { toAction, toActions } from "./rows.ts";

/** Gives the actions of a run in order of seq. */
export function listActions(connection: Connection, run: string): readonly Action[] {
  return toActions(connection.each("SELECT * FROM actions WHERE run = ? ORDER BY seq", run));
}

/** Gives the action whose id is, or alone begins with, `prefix`. @throws not-found, ambiguous */
export function findAction(connection: Connection, prefix: string): Action {
  return toAction(findByPrefix(connection, "actions", prefix));
}

/** @throws not-found */
export function getAction(connection: Connection, id: string): Action {
  const row = connection.first("SELECT * FROM actions WHERE id = ?", id);
  if (row === undefined) throw noSuchAction(id);
  return toAction(row);
}

/** Gives the steps of undo runs that undid or tried to undo an action, oldest first. */
export function undosOf(connection: Connection, action: string): readonly Action[] {
  return toActions(connection.all("SELECT * FROM actions WHERE undoes = ? ORDER BY event", action));
}

/** Makes the error for an id that no action has. */
export function noSuchAction(id: string): SynartesisError {
  return new SynartesisError("not-found", `there is no action ${id} in this journal`, { hint: "`synartesis show` shows the ids" });
}
