// How does a file become a journal of the version that we know? Made new, or brought forward one version at a time, after a copy. A newer one
// is refused untouched.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync } from "node:fs";
import { SynartesisError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { readHead } from "./events.ts";
import { createHeadFile, headFile, printHead, readHeadFile } from "./head-file.ts";
import { patiently } from "./patience.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { type Sources, Transaction } from "./transaction.ts";

/** A step from the version before to `version`, as SQL. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** Every step after version 1, in order. */
export const MIGRATIONS: readonly Migration[] = [];

/** What a file is, as far as it can be told without writing: a version, or 0 for an empty database. */
export function versionOf(connection: Connection, newest: number = SCHEMA_VERSION): number {
  if (Number(connection.first("SELECT count(*) AS tables FROM sqlite_schema")?.["tables"]) === 0) return 0;
  if (connection.first("PRAGMA application_id")?.["application_id"] !== APPLICATION_ID) {
    throw new SynartesisError("journal-unusable", `the file ${connection.file} is a database, but no journal of Synartesis 1`, {
      hint: "set it aside, or name another journal with --journal",
    });
  }
  const version = Number(connection.first("SELECT value FROM meta WHERE key = 'schema_version'")?.["value"]);
  if (version <= newest) return version;
  throw new SynartesisError(
    "journal-newer",
    `the journal ${connection.file} was written by a newer Synartesis (version ${version}, known ${newest})`,
    {
      hint: "update synartesis; the journal was not touched",
    },
  );
}

/** Makes the tables in an empty database, unless another process has done so by now; the first event names the journal. */
export async function createSchema(connection: Connection, sources: Sources): Promise<void> {
  await patiently(() => {
    connection.begin(true);
    try {
      if (versionOf(connection) === 0) fill(connection, sources);
      else connection.rollback();
    } finally {
      connection.rollback();
    }
  });
}

function fill(connection: Connection, sources: Sources): void {
  const head = headFile(connection.file);
  // A head without its journal means that one lay here before and is gone: the new one says so. One of a single event had recorded nothing.
  const before = readHeadFile(head);
  const predecessor = typeof before === "string" || before.last.number <= 1 ? null : printHead(before.last);
  connection.script(SCHEMA);
  connection.script(`PRAGMA application_id=${APPLICATION_ID}`);
  const meta = "INSERT INTO meta (key, value) VALUES (?, ?)";
  connection.change(meta, "schema_version", String(SCHEMA_VERSION));
  connection.change(meta, "mark_secret", randomBytes(32).toString("hex"));
  const transaction = new Transaction(connection, sources, readHead(connection));
  const id = sources.newId();
  transaction.insert("journal.created", id, "journal", id, { created_at: sources.clock(), predecessor });
  createHeadFile(head, transaction.head); // before the commit: a journal is never without it
  connection.commit();
}

/** Brings an older journal forward, after a copy beside it. Another process may do so at the same moment. */
export async function migrate(connection: Connection, from: number, steps: readonly Migration[] = MIGRATIONS): Promise<void> {
  const target = steps.at(-1)?.version ?? from;
  if (from >= target) return;
  const copy = `${connection.file}.version-${from}`;
  if (!existsSync(copy)) {
    await patiently(() => connection.change("VACUUM INTO ?", copy));
    chmodSync(copy, 0o600);
  }
  await patiently(() => {
    connection.begin(true);
    try {
      const now = versionOf(connection, target);
      for (const { sql } of steps.filter((step) => step.version > now)) connection.script(sql);
      connection.change("UPDATE meta SET value = ? WHERE key = 'schema_version'", String(target));
      connection.commit();
    } finally {
      connection.rollback();
    }
  });
}
