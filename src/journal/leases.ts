// Whose turn is it with a resource, among all processes that write this journal? Who asks stands in line for all its keys in one step, so two
// never wait for each other. Beside the record, like holders: a process that is dead stands in no line, whatever rows it left.
import { printJson } from "../core/json.ts";
import type { Connection, Row } from "./connection.ts";
import { identityIn } from "./holders.ts";
import type { Lease, ProcessIdentity } from "./journal.ts";
import { isAlive, selfIdentity } from "./process-identity.ts";
import type { Transaction } from "./transaction.ts";

/** Puts this process in line for all of the keys, behind everybody who is in any line by now. */
export function standInLine({ connection, sources }: Transaction, keys: readonly string[]): Lease {
  const turn = Number(connection.first("SELECT max(turn) AS last FROM leases")?.["last"] ?? 0) + 1;
  const { pid, startTicks, bootId } = selfIdentity();
  const insert = "INSERT INTO leases (key, turn, pid, start_ticks, boot_id, asked_at) VALUES (?,?,?,?,?,?)";
  const now = sources.clock();
  let isFirst = true;
  for (const key of new Set(keys)) {
    for (const row of ahead(connection, key, turn)) {
      if (isStanding(row)) isFirst = false;
      else connection.change("DELETE FROM leases WHERE key = ? AND turn = ?", printJson(key), row["turn"] ?? null);
    }
    connection.change(insert, printJson(key), turn, pid, startTicks, bootId, now);
  }
  return { keys, turn, isFirst };
}

/** Tells whether nobody alive stands before it in any of its lines. */
export function isFirst(connection: Connection, { keys, turn }: Lease): boolean {
  return !keys.some((key) => ahead(connection, key, turn).some(isStanding));
}

/** Leaves all of its lines. */
export function leaveLine({ connection }: Transaction, { keys, turn }: Lease): void {
  // A number comes again once everybody has left, so what was taken for dead and wasn't must not remove another's.
  const { pid, startTicks, bootId } = selfIdentity();
  const sql = "DELETE FROM leases WHERE key = ? AND turn = ? AND pid = ? AND start_ticks = ? AND boot_id = ?";
  for (const key of keys) connection.change(sql, printJson(key), turn, pid, startTicks, bootId);
}

function ahead(connection: Connection, key: string, turn: number): readonly Row[] {
  return connection.all("SELECT turn, pid, start_ticks, boot_id FROM leases WHERE key = ? AND turn < ?", printJson(key), turn);
}

/** For how long a process that was seen alive is taken to be, in milliseconds: looking costs a process of its own on some systems. */
const SEEN_FOR = 500;
const seen = new Map<string, number>();

function isStanding(row: Row): boolean {
  const identity = identityIn(row);
  const name = nameOf(identity);
  const now = performance.now();
  if ((seen.get(name) ?? Number.NEGATIVE_INFINITY) > now) return true;
  seen.delete(name);
  if (!isAlive(identity)) return false;
  seen.set(name, now + SEEN_FOR);
  return true;
}

function nameOf({ pid, startTicks, bootId }: ProcessIdentity): string {
  return `${pid} ${startTicks} ${bootId}`;
}
