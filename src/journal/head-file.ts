// Where is the end of the chain kept outside the database, so that a cut-off tail is noticed? In `journal.head`: the last event whose commit
// waited for the disk, and the last event at all, in two lines of fixed width. It may lag behind the database, never run ahead of it (but
// after a power cut, which loses what didn't wait for the disk).
import { closeSync, constants, fdatasyncSync, openSync, readSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { sha256 } from "../core/digest.ts";
import { systemCode } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { GENESIS, type Head } from "./events.ts";
import { selfIdentity } from "./process-identity.ts";

const DIGITS = 16;
const MARK = 16;
const DURABLE_LENGTH = DIGITS + 1 + GENESIS.length + 1;
const LENGTH = DURABLE_LENGTH + DIGITS + 1 + GENESIS.length + 1 + MARK + 1;

/** What the file says. */
export interface Sealed {
  /** The last event whose commit waited for the disk. */
  readonly durable: Head;
  /** The last event; its commit may be lost by a power cut. */
  readonly last: Head;
  /** In which boot of the machine `last` was written; null in a file of the first version, which names only one event. */
  readonly boot: string | null;
}
export type HeadFile = Sealed | "missing" | "unreadable";

/** How the database stands to its head file: `end-lost` is what a power cut does, `broken` what nothing of ours does. */
export type Continuity =
  | { readonly kind: "continuous" }
  | { readonly kind: "end-lost" | "broken" /** The head that isn't in the chain, or what the file is. */; readonly sealed: string };

/** Names the head's file: beside the journal, `journal.head` for `journal.db`. */
export function headFile(journal: string): string {
  return `${journal.replace(/\.db$/, "")}.head`;
}

/** Reads what the file says; `missing` or `unreadable` where it says nothing. */
export function readHeadFile(file: string): HeadFile {
  try {
    const handle = openSync(file, "r");
    try {
      // Another process may be writing in place: what was read in the middle of that doesn't come twice.
      let text = readText(handle);
      for (let again = readText(handle); again !== text; again = readText(handle)) text = again;
      return parse(text) ?? "unreadable";
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    return systemCode(error) === "ENOENT" ? "missing" : "unreadable";
  }
}

/** Puts a new file in place of whatever was there. @throws as the file system does */
export function createHeadFile(file: string, head: Head): void {
  const made = `${file}.new-${selfIdentity().pid}`;
  writeFileSync(made, print({ durable: head, last: head, boot: thisBoot() }), { mode: 0o600 });
  renameSync(made, file);
}

/** Does the same once a break has been recorded; where it can't be written, the commit stands all the same. */
export function replaceHeadFile(file: string, head: Head): void {
  try {
    createHeadFile(file, head);
  } catch {
    return; // the old one stays, and with it the evidence
  }
}

/**
 * Writes a head that has been committed, unless the file names a later one. `durable`: its commit waited for the disk. Where the file can't
 * be written the commit stands all the same: the file then lags behind until a later commit.
 */
export function writeHeadFile(file: string, head: Head, durable: boolean): void {
  withHandle(file, (handle) => {
    const sealed = parse(readText(handle));
    if (sealed === undefined) return; // nonsense is evidence: the next commit says so in the chain, and writes the file anew
    if (sealed.last.number >= head.number && sealed.durable.number >= (durable ? head.number : 0)) return;
    const later = (one: Head) => (one.number > head.number ? one : head);
    writeSync(handle, print({ durable: durable ? later(sealed.durable) : sealed.durable, last: later(sealed.last), boot: thisBoot() }), 0);
  });
}

/** Waits until the file is on the disk, as far as it can be written. */
export function flushHeadFile(file: string): void {
  withHandle(file, fdatasyncSync);
}

/** Tells whether what the file names is in the chain. Read the file before the database: it may lag behind, never run ahead. */
export function continuityOf(connection: Connection, sealed: HeadFile): Continuity {
  if (typeof sealed === "string") return { kind: "broken", sealed };
  if (!isInChain(connection, sealed.durable)) return { kind: "broken", sealed: printHead(sealed.durable) };
  if (isInChain(connection, sealed.last)) return { kind: "continuous" };
  return { kind: isOfEarlierBoot(sealed) ? "end-lost" : "broken", sealed: printHead(sealed.last) };
}

/** Tells whether the machine has been started anew since the file was written: only then can a commit be lost that didn't wait for the disk. */
export function isOfEarlierBoot(sealed: Sealed): boolean {
  return sealed.boot !== null && sealed.boot !== thisBoot();
}

/** Prints a head as `number hash`. */
export function printHead({ number, hash }: Head): string {
  return `${number} ${hash}`;
}

function isInChain(connection: Connection, { number, hash }: Head): boolean {
  return connection.first("SELECT hash FROM events WHERE number = ?", number)?.["hash"] === hash;
}

function readText(handle: number): string {
  const bytes = Buffer.alloc(LENGTH + 1); // one more, so that a longer file is none of ours
  return bytes.toString("latin1", 0, readSync(handle, bytes, 0, bytes.length, 0));
}

function withHandle(file: string, act: (handle: number) => void): void {
  try {
    const handle = openSync(file, constants.O_RDWR);
    try {
      act(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    return; // the commit stands all the same; the file lags behind, or its loss is found
  }
}

function thisBoot(): string {
  return sha256(selfIdentity().bootId).slice(0, MARK);
}

function print({ durable, last, boot }: Sealed): string {
  const line = ({ number, hash }: Head) => `${String(number).padStart(DIGITS, "0")} ${hash}`;
  return `${line(durable)}\n${line(last)} ${boot}\n`;
}

function parse(text: string): Sealed | undefined {
  const match = /^(\d{16}) ([0-9a-f]{64})\n(?:(\d{16}) ([0-9a-f]{64}) ([0-9a-f]{16})\n)?$/.exec(text);
  const [, number, hash, lastNumber, lastHash, boot] = match ?? [];
  if (number === undefined || hash === undefined) return undefined;
  const durable = { number: Number(number), hash };
  if (lastNumber === undefined || lastHash === undefined || boot === undefined) return { durable, last: durable, boot: null };
  return { durable, last: { number: Number(lastNumber), hash: lastHash }, boot };
}
