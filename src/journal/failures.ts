// What does a failure of the database mean for the caller, and what can be done about it? Judged by codes only, never by texts.
import { SynartesisError, systemCode } from "../errors.ts";

/** Gives SQLite's extended result code by name, such as `SQLITE_BUSY_RECOVERY`; empty for any other error. */
export function sqliteCode(error: unknown): string {
  const code = systemCode(error) ?? "";
  return code.startsWith("SQLITE_") ? code : "";
}

/** Tells whether another process stands in the way for the moment. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(sqliteCode(error));
}

const MEANINGS: readonly (readonly [RegExp, "journal-unusable" | "journal-damaged", string, string])[] = [
  [
    /^SQLITE_(BUSY|LOCKED|PROTOCOL)/,
    "journal-unusable",
    "is locked by another process",
    "find the process that keeps it open (an SQLite shell, a backup) and end it, then try again",
  ],
  [/^SQLITE_FULL/, "journal-unusable", "can't grow: the disk is full", "free some space on that disk, then try again"],
  [/^SQLITE_READONLY_DBMOVED/, "journal-unusable", "was moved or replaced while in use", "put it back, then start again"],
  [/^SQLITE_READONLY/, "journal-unusable", "can't be written: it is read-only", "make the file and its folder writable for this user"],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    "journal-damaged",
    "is damaged: its file isn't what SQLite wrote",
    "run `synartesis audit verify` to see what is left of it; set the file aside to start a new one",
  ],
  [/^SQLITE_(CANTOPEN|PERM|AUTH)/, "journal-unusable", "can't be opened", "look at who owns the file and its folder, and at their modes"],
  [/^SQLITE_(IOERR|NOMEM|NOLFS)/, "journal-unusable", "can't be read or written", "look at the disk it lies on, then try again"],
];

/** Turns whatever a write or read threw into the error that a caller sees; what isn't the database's doing passes unchanged. */
export function journalFailure(file: string, error: unknown): unknown {
  const code = sqliteCode(error);
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code));
  if (meaning === undefined) return error;
  const [, kind, what, hint] = meaning;
  return new SynartesisError(kind, `the journal ${file} ${what} (${code})`, { hint, cause: error });
}
