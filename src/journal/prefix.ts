// Which run or action does a person mean by the first characters of its id? Exactly one, or an error that says which there are.
import { SynartesisError } from "../errors.ts";
import type { Connection, Row } from "./connection.ts";
import { idRange } from "./ids.ts";

const SHOWN = 5;

/** Finds the row whose id is, or alone begins with, `prefix`. @throws not-found, ambiguous */
export function findByPrefix(connection: Connection, table: "runs" | "actions", prefix: string): Row {
  const range = idRange(prefix);
  const sql = `SELECT * FROM ${table} WHERE id >= ? AND id < ? ORDER BY id LIMIT ${SHOWN + 1}`;
  const rows = range === undefined ? [] : connection.all(sql, range.from, range.to);
  const [first, second] = rows;
  const thing = table === "runs" ? "run" : "action";
  if (first === undefined) {
    throw new SynartesisError("not-found", `no ${thing} in this journal has an id that begins with "${prefix}"`, {
      hint: `\`synartesis ${table === "runs" ? "list" : "show"}\` shows the ids`,
    });
  }
  if (second === undefined || first["id"] === range?.from) return first;
  const ids = rows.slice(0, SHOWN).map((row) => String(row["id"]));
  throw new SynartesisError(
    "ambiguous",
    `more than one ${thing} has an id that begins with "${prefix}": ${ids.join(", ")}${rows.length > SHOWN ? ", ..." : ""}`,
    {
      hint: "type more characters of the one that you mean",
    },
  );
}
