// Is a statement certainly a read? Only a parser of its dialect can say so; what it doesn't understand is none (30-proxy, "SQL"). A parser is
// loaded when it is first asked. Never takes long: what is too long to be read in some tenths of a second isn't read at all.
import { SQL_DIALECTS, type SqlDialect } from "../core/vocabulary.ts";
import type { Judge } from "./judge.ts";

export type SqlReading =
  | { readonly kind: "read" }
  /** `why` is a part of a sentence, like "it is 2 statements". */
  | { readonly kind: "unclear"; readonly why: string };

/** In UTF-16 units. */
const MAX_LENGTH = 10_000;

const LOADERS: Readonly<Record<SqlDialect, () => Promise<Judge>>> = {
  postgresql: async () => (await import("./postgresql.ts")).loadPostgresql(),
  mysql: async () => (await import("./mysql.ts")).loadMysql(),
  sqlite: async () => (await import("./sqlite.ts")).loadSqlite(),
};

const loaded = new Map<SqlDialect, Promise<Judge>>();

/** Tells whether a statement is certainly a read in a dialect; without one, in all of them. Never rejects. */
export async function certainRead(statement: string, dialect?: SqlDialect): Promise<SqlReading> {
  const unclear = findUnreadable(statement);
  if (unclear !== undefined) return { kind: "unclear", why: unclear };
  for (const each of dialect === undefined ? SQL_DIALECTS : [dialect]) {
    const why = await judge(statement, each);
    if (why !== undefined) return { kind: "unclear", why: dialect === undefined ? `as ${DIALECT_NAMES[each]}, ${why}` : why };
  }
  return { kind: "read" };
}

const DIALECT_NAMES: Readonly<Record<SqlDialect, string>> = { postgresql: "PostgreSQL", mysql: "MySQL", sqlite: "SQLite" };

async function judge(statement: string, dialect: SqlDialect): Promise<string | undefined> {
  const ready = loaded.get(dialect) ?? LOADERS[dialect]();
  loaded.set(dialect, ready);
  try {
    return (await ready)(statement);
  } catch {
    // A parser that has run out of stack may be left in any state: the next statement gets a new one, or none.
    loaded.delete(dialect);
    return "the parser gave up on it";
  }
}

function findUnreadable(statement: string): string | undefined {
  if (statement.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(statement.replaceAll("\r\n", "\n"))) return "it has control characters";
  return statement.isWellFormed() ? undefined : "it has half a character";
}
