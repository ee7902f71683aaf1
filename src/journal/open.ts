// How does a process get hold of the journal? Looks before it touches, waits its turn among others that open the same new file.
import { existsSync } from "node:fs";
import { SynartesisError } from "../errors.ts";
import { Connection } from "./connection.ts";
import { journalFailure } from "./failures.ts";
import { FileIdentity } from "./file-identity.ts";
import { behindLink, createFile } from "./folder.ts";
import { randomId } from "./ids.ts";
import type { Journal } from "./journal.ts";
import { createSchema, migrate, versionOf } from "./migrations.ts";
import { patiently } from "./patience.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { SqliteJournal } from "./sqlite-journal.ts";
import type { Sources } from "./transaction.ts";
import { Writer } from "./writer.ts";

export interface OpenOptions {
  /** Absolute path of the database file. */
  readonly file: string;
  /** `existing`: a missing file is an error. `create`: it is made, with its folder. */
  readonly mode: "create" | "existing";
  /** Milliseconds since the epoch; a fixed one for tests. */
  readonly clock?: () => number;
  readonly newId?: () => string;
  /** How long a locked journal is tried for, in milliseconds (default 30 s). */
  readonly patience?: number;
}

/** Opens a journal, and makes or migrates it where needed. @throws journal-missing, journal-newer, journal-unusable, journal-damaged */
export async function openJournal(options: OpenOptions): Promise<Journal> {
  const sources: Sources = { clock: options.clock ?? Date.now, newId: options.newId ?? randomId };
  if (options.mode === "create") createFile(options.file);
  else if (!existsSync(options.file)) {
    throw new SynartesisError("journal-missing", `there is no journal at ${options.file}`, {
      hint: "it is made when a client first starts `synartesis proxy`; name another one with --journal",
    });
  }
  const file = behindLink(options.file);
  try {
    await lookFirst(file);
    const connection = await patiently(() => new Connection(file, "write"));
    try {
      await prepare(connection, sources);
      const identity = new FileIdentity(file);
      return new SqliteJournal(connection, new Writer(connection, identity, sources, options.patience), sources);
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw journalFailure(file, error);
  }
}

/** Refuses what isn't ours, or is newer, by a connection that can't write. */
async function lookFirst(file: string): Promise<void> {
  const connection = await patiently(() => new Connection(file, "read"));
  try {
    await patiently(() => versionOf(connection));
  } finally {
    connection.close();
  }
}

async function prepare(connection: Connection, sources: Sources): Promise<void> {
  await patiently(() => {
    // Asking first: switching over needs the database to itself, and is done once in its life.
    if (connection.first("PRAGMA journal_mode")?.["journal_mode"] !== "wal") connection.script("PRAGMA journal_mode=WAL");
  });
  if (connection.first("PRAGMA journal_mode")?.["journal_mode"] !== "wal") {
    throw new SynartesisError("journal-unusable", `the journal ${connection.file} lies on a file system without shared memory`, {
      hint: "name a place on a local disk with --journal",
    });
  }
  const version = await patiently(() => versionOf(connection));
  if (version === 0) await createSchema(connection, sources);
  else if (version < SCHEMA_VERSION) await migrate(connection);
}
