// Are the tables what the events say? Builds each row anew from the payloads, in memory, and compares column by column.
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Cell, Connection, Row } from "./connection.ts";
import { DIGEST_COLUMNS, PROJECTIONS, type Projection } from "./schema.ts";
import { columnsOf } from "./schema-objects.ts";
import type { Finding } from "./verify.ts";

/** The rows that the events make, by table and key. */
export type Rebuilt = ReadonlyMap<Projection, Map<string, Map<string, Cell>>>;

export function emptyProjections(): Rebuilt {
  return new Map(PROJECTIONS.map((table) => [table, new Map()]));
}

/** Applies one payload; gives what is wrong with it, if anything. */
export function replay(rebuilt: Rebuilt, payload: JsonObject, event: number): string | undefined {
  const { table, key, set } = payload;
  const rows = rebuilt.get(PROJECTIONS.find((name) => name === table) ?? ("" as Projection)); // no table of that name: undefined
  if (rows === undefined || typeof key !== "string" || !isJsonObject(set)) return "its payload doesn't name a row of the journal";
  let row = rows.get(key);
  if (row === undefined) {
    row = new Map<string, Cell>([
      ["id", key],
      ["event", event],
    ]);
    rows.set(key, row);
  }
  for (const [column, value] of Object.entries(set)) row.set(column, cellOf(value));
  return undefined;
}

/** A payload holds texts, numbers and null; anything else equals no cell. */
function cellOf(value: Json): Cell {
  return value === null || typeof value === "string" || typeof value === "number" ? value : Uint8Array.of();
}

/** Compares the tables with what the events make, and looks whether the values that they name are there. */
export function* compareProjections(connection: Connection, rebuilt: Rebuilt): Generator<Finding> {
  for (const [table, rows] of rebuilt) {
    for (const row of connection.each(`SELECT * FROM ${table}`)) {
      const key = String(row["id"]);
      const expected = rows.get(key);
      rows.delete(key);
      if (expected === undefined) yield { table, key, what: "the row was added: no event made it" };
      else yield* compareRow(table, key, row, expected);
    }
    for (const key of rows.keys()) yield { table, key, what: "the row is missing, although events made it" };
    yield* missingValues(connection, table);
  }
}

function* compareRow(table: Projection, key: string, row: Row, expected: ReadonlyMap<string, Cell>): Generator<Finding> {
  const columns = new Set([...Object.keys(row), ...expected.keys()]);
  for (const column of columns) {
    if ((row[column] ?? null) !== (expected.get(column) ?? null)) yield { table, key, what: `${column} isn't what the events say` };
  }
}

function* missingValues(connection: Connection, table: Projection): Generator<Finding> {
  const present = columnsOf(connection, table); // an older journal, not brought forward, lacks some
  for (const column of DIGEST_COLUMNS[table].filter((name) => present.includes(name))) {
    const sql = `SELECT id, ${column} AS digest FROM ${table} WHERE ${column} IS NOT NULL AND ${column} NOT IN (SELECT digest FROM blobs)`;
    for (const row of connection.each(sql)) yield { table, key: String(row["id"]), what: `the value of ${column} is missing` };
  }
}
