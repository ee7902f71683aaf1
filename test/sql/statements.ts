// Which statements do the tests of SQL make up, and does each change anything? A statement is put together from parts that know what they do, so
// the answer is known without reading it. Nothing here asks a parser.
import type { SqlDialect } from "../../src/core/vocabulary.ts";
import type { Chooser } from "../support/random.ts";

export interface Made {
  readonly sql: string;
  /** It changes something, or may; a read otherwise. */
  readonly changes: boolean;
}

/** The tables of the made-up statements and their columns; the types matter to databases only. */
export const TABLES = { users: ["id", "name", "age"], orders: ["id", "user_id", "total"] } as const;
type Table = keyof typeof TABLES;

const PURE: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: ["lower(#)", "length(#)", "coalesce(#, 'x')", "concat(#, '-', #)", "md5(#)", "pg_catalog.upper(#)", "trim(both 'x' from #)"],
  mysql: ["lower(#)", "length(#)", "coalesce(#, 'x')", "concat(#, '-', #)", "if(# = 'a', 1, 2)", "trim(both 'x' from #)", "left(#, 2)"],
  sqlite: ["lower(#)", "length(#)", "coalesce(#, 'x')", "substr(#, 1, 2)", "iif(# = 'a', 1, 2)", "instr(#, 'x')", "json_quote(#)"],
};

const IMPURE: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: [
    "nextval('s')",
    "setval('s', 9)",
    "set_config('a.b', 'c', false)",
    "pg_sleep(0)",
    "made_up(#)",
    '"Lower"(#)',
    "public.lower(#)",
    '"user"()',
  ],
  mysql: ["sleep(0)", "get_lock('x', 0)", "load_file('/x')", "made_up(#)", "db.lower(#)", "`lower`(#)", "lower (#)", "benchmark(1, 1)"],
  sqlite: [
    "load_extension('x')",
    "writefile('x', #)",
    "readfile('x')",
    "edit(#)",
    "made_up(#)",
    "fts3_tokenizer('x')",
    "pragma_user_version(#)",
  ],
};

/** The dialect's own ways to write what is only text, with what would be a change if it were more. */
const TEXTS: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: ["'; DELETE FROM users; --'", "'it''s'", "$$; DROP TABLE users; $$", "$a$ $$ '; $a$", "E'a\\nb'", "'/*'", "U&'\\0041'"],
  mysql: ["'; DELETE FROM users; -- '", "'it''s'", '"; DROP TABLE users; "', "'a\\nb'", "'/*'", "'#'", "_utf8mb4'a'", "'/*! x */'"],
  sqlite: ["'; DELETE FROM users; --'", "'it''s'", "'$$'", "'/*'", "x'00'", "'\\'", "'--'"],
};

const COMMENTS: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: [" /* DELETE */ ", " -- DROP\n", " /* a /* b */ c */ "],
  mysql: [" /* DELETE */ ", " -- DROP\n", " # DROP\n"],
  sqlite: [" /* DELETE */ ", " -- DROP\n", " --DROP\n"],
};

const SHOWS: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: [
    "SHOW search_path",
    "TABLE users",
    "VALUES (1), (2)",
    "EXPLAIN SELECT 1",
    "EXPLAIN (ANALYZE, COSTS off) SELECT id FROM users",
  ],
  mysql: [
    "SHOW TABLES",
    "SHOW FULL COLUMNS FROM users",
    "DESCRIBE users",
    "SHOW CREATE TABLE users",
    "EXPLAIN SELECT 1",
    "VALUES ROW(1), ROW(2)",
  ],
  sqlite: [
    "PRAGMA table_info(users)",
    "PRAGMA user_version",
    "VALUES (1), (2)",
    "EXPLAIN QUERY PLAN SELECT 1",
    "PRAGMA main.index_list('users')",
  ],
};

const CHANGES: Readonly<Record<SqlDialect, readonly string[]>> = {
  postgresql: [
    "TRUNCATE users",
    "COPY users TO PROGRAM 'cat'",
    "COPY users FROM stdin",
    "DO $$ BEGIN DELETE FROM users; END $$",
    "CALL p()",
    "SET role admin",
    "SELECT * INTO made FROM users",
    "CREATE TABLE made AS SELECT 1",
    "EXPLAIN ANALYZE DELETE FROM users",
    "SELECT * FROM users FOR UPDATE",
    "SELECT * FROM users FOR KEY SHARE",
    "LOCK TABLE users",
    "NOTIFY x",
    "PREPARE p AS DELETE FROM users",
    "EXECUTE p",
    "BEGIN",
    "COMMIT",
    "WITH d AS (DELETE FROM users RETURNING *) SELECT * FROM d",
    "WITH d AS (UPDATE users SET age = 1 RETURNING id), e AS (SELECT 1) SELECT * FROM e",
    "MERGE INTO users u USING orders o ON u.id = o.user_id WHEN MATCHED THEN DELETE",
    "SELECT dblink_exec('x', 'DELETE FROM users')",
    "SELECT query_to_xml('DELETE FROM users', true, true, '')",
    "SELECT lo_import('/x')",
    "SELECT 1 OPERATOR(public.+) 2",
    "SELECT 'x'::made_up",
    "SELECT 1 AS a \\gexec",
  ],
  mysql: [
    "TRUNCATE users",
    "CALL p()",
    "SET GLOBAL read_only = 0",
    "SELECT * FROM users INTO OUTFILE '/x'",
    "SELECT id INTO @x FROM users",
    "SELECT @x := 5",
    "SELECT 1 /*! INTO OUTFILE '/x' */",
    "SELECT 1 /*!50000 ; DELETE FROM users */",
    "SELECT 1 /*M! ; DELETE FROM users */",
    "SELECT /*+ SET_VAR(sql_mode='') */ 1",
    "SELECT 'a\\'; DELETE FROM users; -- '",
    "SELECT 1 --\u00a0 INTO OUTFILE '/x'",
    "SELECT 1 --1",
    "SELECT $$ INTO OUTFILE '/x' FROM users AS $$",
    "SELECT * FROM users FOR UPDATE",
    "SELECT * FROM users LOCK IN SHARE MODE",
    "SELECT * FROM users PROCEDURE ANALYSE()",
    "EXPLAIN ANALYZE DELETE FROM users",
    "HANDLER users OPEN",
    "LOAD DATA INFILE '/x' INTO TABLE users",
    "LOCK TABLES users WRITE",
    "USE other",
    "DO sleep(1)",
    "START TRANSACTION",
    "FLUSH TABLES",
    "KILL 5",
    "REPLACE INTO users VALUES (1)",
  ],
  sqlite: [
    "VACUUM",
    "REINDEX",
    "ANALYZE",
    "ATTACH DATABASE 'x.db' AS x",
    "DETACH x",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA journal_mode(wal)",
    "PRAGMA user_version(5)",
    "PRAGMA writable_schema = 1",
    "PRAGMA table_info = users",
    "PRAGMA optimize",
    "PRAGMA wal_checkpoint",
    "PRAGMA incremental_vacuum",
    "SELECT * FROM pragma_optimize",
    "SELECT * FROM Pragma_Optimize(2)",
    "SELECT 1 IN pragma_optimize",
    "EXPLAIN DELETE FROM users",
    "REPLACE INTO users VALUES (1, 'a', 2)",
    "WITH d AS (SELECT 1) DELETE FROM users",
    "INSERT INTO users SELECT 1, 'a', 2 RETURNING *",
    "BEGIN",
    "SAVEPOINT s",
    "CREATE TEMP TABLE made (a)",
    "SELECT * FROM made_up(1)",
    ".shell rm x",
  ],
};

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
