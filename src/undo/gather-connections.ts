// Which of the actions to be undone build on which? Reads the arguments and results that show it, once, and keeps only what they name.
import { type Connections, findConnections } from "../core/connections.ts";
import { isSettled } from "../core/vocabulary.ts";
import type { Journal } from "../journal/journal.ts";
import { resultAt, type UndoAction, undamaged } from "./gather.ts";

/** Finds the connections among actions, given in order. */
export async function gatherConnections(journal: Journal, actions: readonly UndoAction[]): Promise<Connections> {
  const found = [];
  for (const { id, seq, resources, class: kind, status, stored } of actions) {
    const stands = kind !== "readonly" && !isSettled(status);
    const args = (await undamaged(journal, stored.args)) ?? null;
    found.push({ id, seq, resources, stands, args, result: await resultAt(journal, stored) });
  }
  return findConnections(found);
}
