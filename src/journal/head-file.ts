// Where is the end of the chain kept outside the database, so that a cut-off tail is noticed? In `journal.head`: "number hash\n", of fixed
// width. It may lag behind the database, never run ahead of it; it is updated only where it exists, so its loss shows.
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { GENESIS, type Head } from "./events.ts";

const DIGITS = 16;
const LENGTH = DIGITS + 1 + GENESIS.length + 1;

/** Names the head's file: beside the journal, `journal.head` for `journal.db`. */
export function headFile(journal: string): string {
  return `${journal.replace(/\.db$/, "")}.head`;
}

/** Reads what the file says; `missing` or `unreadable` where it says nothing. */
export function readHeadFile(file: string): Head | "missing" | "unreadable" {
  let text: string;
  try {
    text = readFileSync(file, "latin1");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "missing" : "unreadable";
  }
  return parseHead(text) ?? "unreadable";
}

/** Makes the file for a new journal; one that is there already stays as it is. */
export function createHeadFile(file: string): void {
  try {
    const handle = openSync(file, "wx", 0o600);
    try {
      writeSync(handle, printHead({ number: 0, hash: GENESIS }), 0);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/**
 * Writes a head that has been committed durably. `force`: also where the file has a larger number. Where the file can't be written the
 * commit stands all the same: the file then lags behind until a later commit.
 */
export function writeHeadFile(file: string, head: Head, force = false): void {
  try {
    const handle = openSync(file, constants.O_RDWR);
    try {
      const present = Buffer.alloc(LENGTH);
      readSync(handle, present, 0, LENGTH, 0);
      if (force || (parseHead(present.toString("latin1"))?.number ?? -1) < head.number) writeSync(handle, printHead(head), 0);
    } finally {
      closeSync(handle);
    }
  } catch {
    return; // see above
  }
}

function printHead(head: Head): string {
  return `${String(head.number).padStart(DIGITS, "0")} ${head.hash}\n`;
}

function parseHead(text: string): Head | undefined {
  const match = /^(\d{16}) ([0-9a-f]{64})\n$/.exec(text);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { number: Number(match[1]), hash: match[2] };
}
