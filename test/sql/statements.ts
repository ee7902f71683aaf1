// Which statements do the tests of SQL make up, and does each change anything? A statement is put together from parts that know what they do, so
// the answer is known without reading it. Nothing here asks a parser.
import type { SqlDialect } from "../../src/core/vocabulary.ts";
import type { Chooser } from "../support/random.ts";
import { CHANGES, COMMENTS, IMPURE, PURE, SHOWS, TEXTS } from "./parts.ts";

export interface Made {
  readonly sql: string;
  /** It changes something, or may; a read otherwise. */
  readonly changes: boolean;
}

/** The tables of the made-up statements and their columns; the types matter to databases only. */
export const TABLES = { users: ["id", "name", "age"], orders: ["id", "user_id", "total"] } as const;
type Table = keyof typeof TABLES;

/** Makes statements of a dialect. `pure`: reads only. */
export function statementsOf(dialect: SqlDialect, choose: Chooser): { read(): Made; change(): Made } {
  const table = (): Table => choose.of(["users", "orders"]);
  const spaced = (sql: string): string => (choose.chance(15) ? sql.replace(" ", choose.of(COMMENTS[dialect])) : sql);
  const cased = (sql: string): string =>
    choose.chance(20) ? sql.replace(/\b(?:select|from|where)\b/gi, (word) => word.toLowerCase()) : sql;
  const ended = (sql: string): string => `${sql}${choose.of(["", "", ";", " ;\n"])}`;

  function value(from: Table, depth: number): string {
    const column = choose.of(TABLES[from]);
    if (depth <= 0 || choose.chance(40)) return choose.of([column, `${from}.${column}`, "1", "NULL", choose.of(TEXTS[dialect])]);
    const inner = (): string => value(from, depth - 1);
    return choose.of([
      () => choose.of(PURE[dialect]).replaceAll("#", () => (dialect === "postgresql" ? "name" : inner())),
      () => `(${inner()})`,
      () => `CASE WHEN ${condition(from, depth - 1)} THEN ${inner()} ELSE ${inner()} END`,
      () => `(SELECT max(id) FROM ${table()})`,
      () => `count(*) OVER (PARTITION BY ${column} ORDER BY ${column})`,
      () => `CAST(${column} AS ${choose.of(["char(10)", "decimal(5,2)"])})`,
    ])();
  }

  function condition(from: Table, depth: number): string {
    const column = choose.of(TABLES[from]);
    const inner = (): string => condition(from, depth - 1);
    const simple = [
      `${column} = 1`,
      `${column} IS NOT NULL`,
      `${column} IN (1, 2)`,
      `${column} BETWEEN 1 AND 2`,
      `${column} <> ${value(from, 0)}`,
    ];
    if (depth <= 0) return choose.of(simple);
    return choose.of([
      () => choose.of(simple),
      () => `(${inner()} AND ${inner()})`,
      () => `NOT (${inner()})`,
      () => `EXISTS (${query(depth - 1)})`,
      () => `${column} IN (SELECT id FROM ${table()})`,
    ])();
  }

  function query(depth: number): string {
    const from = table();
    const columns = choose.chance(20) ? "*" : [value(from, depth), value(from, depth - 1)].join(", ");
    const other = choose.chance(20) ? ` LEFT JOIN (SELECT id AS other FROM ${table()}) j ON j.other = ${from}.id` : "";
    const where = choose.chance(60) ? ` WHERE ${condition(from, depth)}` : "";
    const tail = choose.of(["", "", ` ORDER BY ${from}.id DESC`, " LIMIT 5", ` ORDER BY 1 LIMIT 5 OFFSET 2`]);
    return `SELECT ${choose.chance(10) ? "DISTINCT " : ""}${columns} FROM ${from}${other}${where}${tail}`;
  }

  function read(): string {
    const of = choose.below(10);
    if (of === 0) return choose.of(SHOWS[dialect]);
    if (of === 1) return `WITH c AS (${query(1)}) SELECT count(*) FROM c`;
    if (of === 2) return `SELECT id FROM users UNION ALL SELECT ${choose.of(["id", "user_id"])} FROM orders`;
    if (of === 3) return `SELECT name, count(*), min(age) FROM users GROUP BY name HAVING count(*) > 1`;
    return query(3);
  }

  function changing(): string {
    const from = table();
    return choose.of([
      () => choose.of(CHANGES[dialect]),
      () => `DELETE FROM ${from} WHERE ${condition(from, 1)}`,
      () => `UPDATE ${from} SET id = ${value(from, 1)}`,
      () => `INSERT INTO ${from} (id) ${query(1)}`,
      () => `CREATE TABLE made (a int)`,
      () => `DROP TABLE ${from}`,
      () => `ALTER TABLE ${from} ADD COLUMN made int`,
      () => `${read()}; DELETE FROM ${from}`,
      () => `${read()};${choose.of(COMMENTS[dialect])}DROP TABLE ${from};`,
      () => `SELECT ${choose.of(IMPURE[dialect]).replaceAll("#", "name")} FROM users`,
      () => `SELECT id FROM users WHERE name = ${choose.of(IMPURE[dialect]).replaceAll("#", "name")}`,
      () => `WITH c AS (SELECT ${choose.of(IMPURE[dialect]).replaceAll("#", "name")} AS f FROM users) SELECT * FROM c`,
      () => `SELECT (SELECT CASE WHEN 1 = 1 THEN ${choose.of(IMPURE[dialect]).replaceAll("#", "name")} END FROM users LIMIT 1)`,
    ])();
  }

  return {
    read: () => ({ sql: ended(spaced(cased(read()))), changes: false }),
    change: () => ({ sql: ended(cased(changing())), changes: true }),
  };
}
