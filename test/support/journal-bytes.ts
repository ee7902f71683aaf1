// What lies in a journal's folder, as a person with an editor could find it?
import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Gives every byte of the files as text, and every value of every row unpacked. */
export function everythingIn(journalFile: string): string {
  const folder = dirname(journalFile);
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const raw = files.map(({ name }) => readFileSync(join(folder, name), "latin1"));
  const database = new Database(journalFile, { readonly: true });
  const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) => database.query<Record<string, unknown>, []>(`SELECT * FROM ${name}`).all());
  database.close();
  return [...raw, ...rows.flatMap((row) => Object.values(row).map(textOfColumn))].join("\n");
}

function textOfColumn(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return new TextDecoder().decode(Bun.zstdDecompressSync(value));
  } catch {
    return new TextDecoder().decode(value);
  }
}
