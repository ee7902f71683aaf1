// Which processes are at work on a run? Kept beside the record, not in it: a process that is killed can't write that it went, so this is
// judged by looking at the processes. Dead holders mean nothing and are removed in passing.
import type { Connection, Row } from "./connection.ts";
import type { ProcessIdentity } from "./journal.ts";
import { isAlive } from "./process-identity.ts";

/** Gives the holders of a run that are alive. */
export function livingHolders(connection: Connection, run: string): readonly ProcessIdentity[] {
  return connection.all("SELECT pid, start_ticks, boot_id FROM holders WHERE run = ?", run).map(identityIn).filter(isAlive);
}

/** Gives the process that a row names. */
export function identityIn(row: Row): ProcessIdentity {
  return { pid: Number(row["pid"]), startTicks: String(row["start_ticks"]), bootId: String(row["boot_id"]) };
}

export function addHolder(connection: Connection, run: string, holder: ProcessIdentity): void {
  connection.change(
    "INSERT INTO holders (run, pid, start_ticks, boot_id) VALUES (?,?,?,?) ON CONFLICT DO NOTHING",
    run,
    holder.pid,
    holder.startTicks,
    holder.bootId,
  );
}

export function removeHolder(connection: Connection, run: string, holder: ProcessIdentity): void {
  connection.change(
    "DELETE FROM holders WHERE run = ? AND pid = ? AND start_ticks = ? AND boot_id = ?",
    run,
    holder.pid,
    holder.startTicks,
    holder.bootId,
  );
}

/** Forgets all holders of a run that nobody holds any more. */
export function removeHolders(connection: Connection, run: string): void {
  connection.change("DELETE FROM holders WHERE run = ?", run);
}
