// Is the record what was written? Looks offline, without writing: at the chain, at every stored value, and at the tables, which have to be
// what the events say. Never repairs, never stops at the first finding.
import { existsSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { SynartesisError } from "../errors.ts";
import { openBlob, partsOf } from "./blobs.ts";
import { Connection } from "./connection.ts";
import { type Break, describeBreak } from "./continuity.ts";
import { type Head, readHead } from "./events.ts";
import { journalFailure, sqliteCode } from "./failures.ts";
import { behindLink } from "./folder.ts";
import { type HeadFile, headFile, isOfEarlierBoot, readHeadFile } from "./head-file.ts";
import { versionOf } from "./migrations.ts";
import { patiently } from "./patience.ts";
import { compareProjections, emptyProjections, replay } from "./projections.ts";
import { EARLIER_SCHEMAS, SCHEMA_VERSION } from "./schema.ts";
import { objectsOf, ownObjects, schemaDigest } from "./schema-objects.ts";
import { type ChainLink, checkEvent } from "./verify-event.ts";

/** One thing that isn't as it was written. */
export interface Finding {
  /** The number of the event that shows it. */
  readonly event?: number;
  readonly table?: string;
  /** The row's id, or a value's digest. */
  readonly key?: string;
  /** In words, for a person. */
  readonly what: string;
}

/**
 * `head` is the last event; whoever keeps it elsewhere can tell later that nothing before it was changed. `losses`: what is gone as by a power
 * cut, or by the whole journal having been taken away; what is there is unchanged all the same.
 */
export type VerifyReport =
  | { readonly kind: "intact"; readonly events: number; readonly head: Head; readonly losses: readonly Finding[] }
  | { readonly kind: "damaged"; readonly findings: readonly Finding[] };

/** So many findings are told; where everything is damaged, more say nothing more. */
const FINDINGS_AT_MOST = 1000;

/** Verifies a journal that may be in use. @throws journal-missing, journal-newer, journal-unusable */
export async function verifyJournal(file: string): Promise<VerifyReport> {
  if (!existsSync(file)) throw new SynartesisError("journal-missing", `there is no journal at ${file}`);
  const database = behindLink(file);
  // Read before the database: a head may lag behind it, never run ahead.
  const sealed = readHeadFile(headFile(database));
  try {
    const connection = await patiently(() => new Connection(database, "read"));
    try {
      return await patiently(() => verify(connection, sealed));
    } finally {
      connection.close();
    }
  } catch (error) {
    if (isCorrupt(error)) return { kind: "damaged", findings: [{ what: `the file is not a readable database (${sqliteCode(error)})` }] };
    throw journalFailure(file, error);
  }
}

function verify(connection: Connection, sealed: HeadFile): VerifyReport {
  // One transaction, so that everything is seen as of one moment while others write.
  connection.script("BEGIN");
  try {
    versionOf(connection);
    const findings: Finding[] = [];
    const losses: Finding[] = [];
    try {
      for (const finding of checks(connection, sealed, losses)) {
        findings.push(finding);
        if (findings.length >= FINDINGS_AT_MOST) break;
      }
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      findings.push({ what: `the rest of the file can't be read (${sqliteCode(error)})` }); // what was found before it still counts
    }
    if (findings.length > 0) return { kind: "damaged", findings };
    const head = readHead(connection);
    return { kind: "intact", events: head.number, head, losses };
  } finally {
    connection.rollback();
  }
}

function isCorrupt(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
}

/** Gives what is wrong, one after the other; what is lost without that goes to `losses`. */
function* checks(connection: Connection, sealed: HeadFile, losses: Finding[]): Generator<Finding> {
  yield* checkFile(connection);
  const rebuilt = emptyProjections();
  let link: ChainLink | undefined;
  for (const row of connection.each("SELECT * FROM events ORDER BY number")) {
    const checked = checkEvent(row, link, sealed);
    yield* checked.findings;
    link = checked.link;
    const trouble = checked.payload === undefined ? undefined : replay(rebuilt, checked.payload, link.number);
    if (trouble !== undefined) yield { event: link.number, what: trouble };
    const gap = checked.payload && breakBefore(String(row["type"]), checked.payload);
    if (gap?.kind === "damage") yield { event: link.number, what: gap.what };
    else if (gap?.kind === "loss") losses.push({ event: link.number, what: gap.what });
  }
  yield* checkTail(link, sealed, losses);
  yield* compareProjections(connection, rebuilt);
  yield* checkBlobs(connection);
}

/** The file as SQLite sees it, and the schema: a planted trigger or a dropped CHECK would change what later writes mean. */
function* checkFile(connection: Connection): Generator<Finding> {
  for (const row of connection.all("PRAGMA quick_check(20)")) {
    const what = String(row["quick_check"]);
    if (what !== "ok") yield { what: `SQLite finds the file damaged: ${what}` };
  }
  yield* checkSchema(connection);
}

function* checkSchema(connection: Connection): Generator<Finding> {
  const version = versionOf(connection);
  const present = objectsOf(connection);
  if (version < SCHEMA_VERSION) {
    if (schemaDigest(present) !== EARLIER_SCHEMAS[version]) yield { what: `the schema isn't the one that version ${version} made` };
    return;
  }
  const own = ownObjects();
  for (const name of new Set([...present.keys(), ...own.keys()])) {
    if (!present.has(name)) yield { what: `the schema lacks ${name}` };
    else if (present.get(name) !== own.get(name)) yield { what: `the schema has another ${name} than was made` };
  }
}

function breakBefore(type: string, { set }: JsonObject): Break | undefined {
  const predecessor = isJsonObject(set) ? set["predecessor"] : undefined;
  return typeof predecessor === "string" ? describeBreak(type, predecessor) : undefined;
}

function* checkTail(last: ChainLink | undefined, sealed: HeadFile, losses: Finding[]): Generator<Finding> {
  const number = last?.number ?? 0;
  if (number === 0) yield { what: "there are no events; a journal begins with one" };
  if (sealed === "missing") yield { what: "journal.head is missing, so whether events were cut off at the end can't be told" };
  else if (sealed === "unreadable") yield { what: "journal.head can't be read, so whether events were cut off at the end can't be told" };
  else if (sealed.durable.number === 0 || sealed.last.number === 0) {
    yield { what: "journal.head names no event, so whether events were cut off at the end can't be told" };
  } else if (sealed.last.number > number) {
    const end = `events ${number + 1} to ${sealed.last.number} are missing at the end: journal.head names ${sealed.last.number}`;
    if (sealed.durable.number > number) yield { event: number + 1, what: `${end}, and ${sealed.durable.number} had waited for the disk` };
    else if (!isOfEarlierBoot(sealed)) yield { event: number + 1, what: end };
    else losses.push({ event: number + 1, what: `${end}; none had waited for the disk, and the machine was started anew since` });
  }
}

function* checkBlobs(connection: Connection): Generator<Finding> {
  const hasParts = objectsOf(connection).has("table blob_parts"); // not before version 3
  for (const row of connection.each("SELECT digest, encoding, content FROM blobs")) {
    const opened = openBlob(row, hasParts ? partsOf(connection, String(row["digest"])) : []);
    if (typeof opened === "string") yield { table: "blobs", key: String(row["digest"]), what: `the value ${opened}` };
  }
  if (!hasParts) return;
  const loose = "SELECT DISTINCT digest FROM blob_parts WHERE digest NOT IN (SELECT digest FROM blobs WHERE encoding = 'zstd')";
  for (const { digest } of connection.each(loose)) yield { table: "blob_parts", key: String(digest), what: "a part of no value" };
}
