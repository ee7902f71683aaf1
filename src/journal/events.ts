// How is the record chained? Each event's hash covers its own fields and the hash before it. Events are only ever added.

import { type Digest, sha256 } from "../core/digest.ts";
import { canonicalJson } from "../core/json.ts";
import type { Cell, Connection } from "./connection.ts";
import type { Projection } from "./schema.ts";

/** The hash that the first event names as the previous one. */
export const GENESIS: Digest = "0".repeat(64);

/** The last event so far; number 0 with the genesis hash where there is none. */
export interface Head {
  readonly number: number;
  readonly hash: Digest;
}

/** What an event says was written: the columns of one row; values are named there by their digests. */
export interface Payload {
  readonly table: Projection;
  readonly key: string;
  readonly set: Readonly<Record<string, string | number | null>>;
}

/** The fields that a hash covers, in the order in which they stand in the canonical form. */
export interface Links {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly type: string;
  /** The id of the run, action or journal that the event is about. */
  readonly subject: string;
  readonly payloadDigest: Digest;
  readonly previous: Digest;
}

/** Computes an event's hash: SHA-256 over the canonical form of `[number, time, type, subject, payload digest, previous hash]`. */
export function eventHash(event: Links): Digest {
  return sha256(canonicalJson([event.number, event.time, event.type, event.subject, event.payloadDigest, event.previous]));
}

/** Reads the last event's number and hash. */
export function readHead(connection: Connection): Head {
  const row = connection.first("SELECT number, hash FROM events ORDER BY number DESC LIMIT 1");
  return row === undefined ? { number: 0, hash: GENESIS } : { number: Number(row["number"]), hash: String(row["hash"]) };
}

/** Appends one event and gives the new head. Must run inside the transaction that writes what it describes. */
export function appendEvent(connection: Connection, head: Head, time: number, type: string, subject: string, payload: Payload): Head {
  // Spelled out instead of canonicalJson, which is slower by as much as a write takes: keys sorted, cells are flat.
  const set: Record<string, string | number | null> = {};
  for (const name of Object.keys(payload.set).sort()) set[name] = payload.set[name] ?? null;
  const text = JSON.stringify({ key: payload.key, set, table: payload.table });
  const links = { number: head.number + 1, time, type, subject, payloadDigest: sha256(text), previous: head.hash };
  const hash = eventHash(links);
  const cells: Cell[] = [links.number, time, type, subject, text, links.payloadDigest, links.previous, hash];
  connection.change(
    "INSERT INTO events (number, time, type, subject, payload, payload_digest, previous, hash) VALUES (?,?,?,?,?,?,?,?)",
    ...cells,
  );
  return { number: links.number, hash };
}
