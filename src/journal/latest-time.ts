// Which is the latest time that the record has seen after an event? Asked for each thing that waits, so what was read once is remembered.
import type { Connection } from "./connection.ts";

interface Moment {
  readonly number: number;
  readonly time: number;
}

/** What is known of one database: every event from `from` to `to` that no later one is later than, in order; their times only fall. */
interface Known {
  readonly from: number;
  readonly to: number;
  readonly moments: readonly Moment[];
}

const known = new WeakMap<Connection, Known>();

/** Gives the latest time of an event after `event`, in milliseconds since the epoch; minus infinity where there is none. */
export function latestTimeAfter(connection: Connection, event: number): number {
  const before = known.get(connection);
  const start = before !== undefined && before.from <= event ? before : { from: event, to: event, moments: [] };
  const now = readOn(connection, start);
  // What is written in a transaction may yet be taken back.
  if (!connection.inTransaction) known.set(connection, now);
  return now.moments.find(({ number }) => number > event)?.time ?? Number.NEGATIVE_INFINITY;
}

function readOn(connection: Connection, { from, to, moments }: Known): Known {
  const latest = [...moments];
  let last = to;
  for (const row of connection.each("SELECT number, time FROM events WHERE number > ? ORDER BY number", to)) {
    const moment = { number: Number(row["number"]), time: Number(row["time"]) };
    while ((latest.at(-1)?.time ?? Number.POSITIVE_INFINITY) <= moment.time) latest.pop();
    latest.push(moment);
    last = moment.number;
  }
  return { from, to: last, moments: latest };
}
