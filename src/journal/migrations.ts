// How does a file become a journal of the version that we know? Made new, or brought forward, after a copy. A newer one is refused untouched.
import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { SynartesisError } from "../errors.ts";
import { Connection } from "./connection.ts";
import { readHead } from "./events.ts";
import { createHeadFile, headFile, printHead, readHeadFile } from "./head-file.ts";
import { patiently } from "./patience.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { columnsOf, objectsOf, ownObjects } from "./schema-objects.ts";
import { type Sources, Transaction } from "./transaction.ts";

/** What a file is, as far as it can be told without writing: a version, or 0 for an empty database. */
export function versionOf(connection: Connection): number {
  if (Number(connection.first("SELECT count(*) AS tables FROM sqlite_schema")?.["tables"]) === 0) return 0;
  if (connection.first("PRAGMA application_id")?.["application_id"] !== APPLICATION_ID) {
    throw new SynartesisError("journal-unusable", `the file ${connection.file} is a database, but no journal of Synartesis 1`, {
      hint: "set it aside, or name another journal with --journal",
    });
  }
  const version = Number(connection.first("SELECT value FROM meta WHERE key = 'schema_version'")?.["value"]);
  if (version <= SCHEMA_VERSION) return version;
  throw new SynartesisError(
    "journal-newer",
    `the journal ${connection.file} was written by a newer Synartesis (version ${version}, known ${SCHEMA_VERSION})`,
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

/** Brings an older journal forward, after a copy beside it. Another process may be about to do so at the same moment. */
export async function migrate(connection: Connection): Promise<void> {
  await patiently(() => {
    connection.begin(true);
    try {
      const from = versionOf(connection);
      if (from === SCHEMA_VERSION) return;
      copyBeside(connection.file, `${connection.file}.version-${from}`);
      bringForward(connection);
      connection.change("UPDATE meta SET value = ? WHERE key = 'schema_version'", String(SCHEMA_VERSION));
      connection.commit();
    } finally {
      connection.rollback();
    }
  });
}

/** Copies what is committed, while the lock is ours, so that it is the older version; it has its name only once it is whole. */
function copyBeside(file: string, copy: string): void {
  const unfinished = `${copy}.unfinished`;
  writeFileSync(unfinished, "", { mode: 0o600 }); // SQLite fills an empty file, and leaves its mode
  const reader = new Connection(file, "read");
  try {
    reader.change("VACUUM INTO ?", unfinished);
  } finally {
    reader.close();
  }
  renameSync(unfinished, copy);
}

/** Makes every table and index what it is to be. Rows stay as they are: the chain covers them, and a column that is new is null. */
function bringForward(connection: Connection): void {
  const own = ownObjects();
  const before = objectsOf(connection);
  connection.script("PRAGMA ignore_check_constraints=ON"); // a row that was damaged must not keep the others from being read
  try {
    for (const [name, sql] of own) {
      const [type, table] = name.split(" ");
      if (type === "table" && table !== undefined && before.has(name) && before.get(name) !== sql) remake(connection, table, sql);
    }
  } finally {
    connection.script("PRAGMA ignore_check_constraints=OFF");
  }
  const made = objectsOf(connection);
  for (const [name, sql] of own) if (!made.has(name)) connection.script(sql);
}

/** SQLite can't alter a CHECK, and what it does alter it spells in its own way: the table is made anew, without its indexes. */
function remake(connection: Connection, table: string, sql: string): void {
  const older = `older_${table}`;
  connection.script(`ALTER TABLE ${table} RENAME TO ${older}`);
  connection.script(sql);
  const columns = new Set(columnsOf(connection, older));
  const kept = columnsOf(connection, table).filter((column) => columns.has(column));
  connection.script(`INSERT INTO ${table} (${kept.join(", ")}) SELECT ${kept.join(", ")} FROM ${older}`);
  connection.script(`DROP TABLE ${older}`);
}
