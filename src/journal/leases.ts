// Whose turn is it with a resource, among all processes that write this journal? Who asks stands in line for all its keys in one step, so two
// never wait for each other. Beside the record, like holders: a process that is dead stands in no line, whatever rows it left.
import { printJson } from "../core/json.ts";
import type { Connection } from "./connection.ts";
import { identityIn } from "./holders.ts";
import type { Lease, ProcessIdentity } from "./journal.ts";
import { isAlive, selfIdentity } from "./process-identity.ts";
import type { Transaction } from "./transaction.ts";

/** Puts this process in line for all of the keys, behind everybody who is in any line by now. */
export function standInLine({ connection, sources }: Transaction, keys: readonly string[]): Lease {
  const turn = Number(connection.first("SELECT max(turn) AS last FROM leases")?.["last"] ?? 0) + 1;
  const lines = linesOf(keys);
  const before = ahead(connection, lines, turn);
  const standing = before.filter(isStanding);
  for (const process of before) if (!standing.includes(process)) clear(connection, process);
  connection.change(
    "INSERT INTO leases (key, turn, pid, start_ticks, boot_id, asked_at) SELECT DISTINCT value, ?, ?, ?, ?, ? FROM json_each(?)",
    turn,
    ...cellsOf(selfIdentity()),
    sources.clock(),
    lines,
  );
  return { keys, turn, isFirst: standing.length === 0 };
}

/** Tells whether nobody alive stands before it in any of its lines. */
export function isFirst(connection: Connection, { keys, turn }: Lease): boolean {
  return !ahead(connection, linesOf(keys), turn).some(isStanding);
}

/** Leaves all of its lines. */
export function leaveLine({ connection }: Transaction, { keys, turn }: Lease): void {
  // A number comes again once everybody has left, so who was taken for dead and wasn't must not remove another's.
  const sql =
    "DELETE FROM leases WHERE key IN (SELECT value FROM json_each(?)) AND turn = ? AND pid = ? AND start_ticks = ? AND boot_id = ?";
  connection.change(sql, linesOf(keys), turn, ...cellsOf(selfIdentity()));
}

/** The keys as the table has them, in JSON once more, as a list: they are many at times, and SQLite's text takes no lone surrogate. */
function linesOf(keys: readonly string[]): string {
  return printJson(keys.map((key) => printJson(key)));
}

/** The processes that asked before. */
function ahead(connection: Connection, lines: string, turn: number): readonly ProcessIdentity[] {
  const sql = "SELECT DISTINCT pid, start_ticks, boot_id FROM leases WHERE key IN (SELECT value FROM json_each(?)) AND turn < ?";
  return connection.all(sql, lines, turn).map(identityIn);
}

/** Takes a dead process out of every line. */
function clear(connection: Connection, dead: ProcessIdentity): void {
  connection.change("DELETE FROM leases WHERE pid = ? AND start_ticks = ? AND boot_id = ?", ...cellsOf(dead));
}

function cellsOf({ pid, startTicks, bootId }: ProcessIdentity): [number, string, string] {
  return [pid, startTicks, bootId];
}

/** For how long a process that was seen alive is taken to be, in milliseconds: looking costs a process of its own on some systems. */
const SEEN_FOR = 500;
const seen = new Map<string, number>();

function isStanding(process: ProcessIdentity): boolean {
  const name = cellsOf(process).join(" ");
  const now = performance.now();
  if ((seen.get(name) ?? Number.NEGATIVE_INFINITY) > now) return true;
  seen.delete(name);
  if (!isAlive(process)) return false;
  seen.set(name, now + SEEN_FOR);
  return true;
}
