// Which tables and indexes does a database have, and which should it have? By their SQL, word for word. Never changes anything.
import { type Digest, digestOf } from "../core/digest.ts";
import { objectFrom } from "../core/json.ts";
import { Connection } from "./connection.ts";
import { SCHEMA } from "./schema.ts";

/** The SQL of each object that has some, by type and name, such as `table runs`; in the order in which they were made. */
export type SchemaObjects = ReadonlyMap<string, string>;

export function objectsOf(connection: Connection): SchemaObjects {
  const rows = connection.all("SELECT type || ' ' || name AS name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]));
}

/** The names of a table's columns, as they stand in the file. */
export function columnsOf(connection: Connection, table: string): readonly string[] {
  return connection.all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => String(name));
}

/** The objects that this program makes in a new journal. */
export function ownObjects(): SchemaObjects {
  const scratch = new Connection(":memory:", "write");
  try {
    scratch.script(SCHEMA);
    return objectsOf(scratch);
  } finally {
    scratch.close();
  }
}

/** Names a whole schema, whatever the order in which it was made. */
export function schemaDigest(objects: SchemaObjects): Digest {
  return digestOf(objectFrom(objects));
}
