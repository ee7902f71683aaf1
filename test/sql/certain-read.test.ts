// What is certainly a read, what isn't and why, and how long may it take to say so?
import { describe, expect, test } from "bun:test";
import { SQL_DIALECTS, type SqlDialect } from "../../src/core/vocabulary.ts";
import { certainRead } from "../../src/sql/certain-read.ts";
import { processorTime } from "../support/patience.ts";

async function whyNot(sql: string, dialect?: SqlDialect): Promise<string | undefined> {
  const reading = await certainRead(sql, dialect);
  return reading.kind === "read" ? undefined : reading.why;
}

const READS: Readonly<Record<SqlDialect | "any", readonly string[]>> = {
  any: [
    "select 1",
    "SELECT name AS n, count(*) FROM people GROUP BY name HAVING count(*) > 1 ORDER BY 2 DESC LIMIT 3;",
    "WITH x AS (SELECT 1 AS a) SELECT a FROM x UNION ALL SELECT 2",
    "-- first\nSELECT ';' AS a /* DELETE */",
    "SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM t",
    "EXPLAIN SELECT 1",
  ],
  postgresql: [
    "SELECT DISTINCT ON (a) a, b::int, c->>'d', ARRAY(SELECT 1), r.* FROM s.t r, LATERAL (SELECT 1) l, generate_series(1, 3) g",
    "SELECT extract(year FROM d), d AT TIME ZONE 'UTC', position('a' IN b), percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t",
    "SELECT * FROM t TABLESAMPLE system (10)",
    "SELECT a FROM t WHERE b ~ '^x' AND c @> '{1}' AND d IS DISTINCT FROM 4 AND e = ANY ($1)",
    "SELECT * FROM json_to_record('{}') AS r(a int, b text)",
    "SELECT o.id, s.o.note, o.lo_unlink, x.lower FROM orders o, s.o, unnest('{a}'::text[]) x",
    "SELECT e.value, g.g, g.upper, n.a, r.b, i.x FROM json_each('{}') e, generate_series(1, 2) g, unnest('{1}'::int[]) n(a), json_to_record('{}') AS r(b int), ROWS FROM (generate_series(1, 2), unnest('{1}'::int[])) AS i(x, y)",
    "SELECT (o).*, (o.tags)[1], (o.tags)[1:2] FROM orders o",
    "SHOW ALL",
    "SELECT $q$ it's; -- $$ $q$",
  ],
  mysql: [
    "SELECT `a b`, \"text\", 'it''s', -1, x'00', @@version FROM `t` USE INDEX (i) WHERE a <=> 1 AND b REGEXP 'x' # end",
    "SELECT date_add(now(), INTERVAL 1 DAY), cast(a AS unsigned), a->>'$.b', group_concat(a ORDER BY b SEPARATOR ',') FROM t",
    "SHOW INDEX FROM t",
    "EXPLAIN FORMAT=JSON SELECT 1",
    "SELECT '/*! x */', 'a -- b', 'ends with two \\\\\\\\'",
  ],
  sqlite: [
    "SELECT [a b], \"c\", `d`, x'00', ?1, :a FROM t INDEXED BY i WHERE a GLOB 'x*' AND b MATCH 'y'",
    "SELECT value FROM json_each('[1]'), pragma_table_info('t')",
    "PRAGMA foreign_key_list('t')",
    "PRAGMA main.journal_mode",
    "SELECT '\\'",
    "select 1 in (values (1), (2))",
  ],
};

for (const [dialect, statements] of Object.entries(READS)) {
  test(`reads are told to be reads: ${dialect}`, async () => {
    for (const sql of statements) {
      const of = dialect === "any" ? undefined : (dialect as SqlDialect);
      expect([sql, await whyNot(sql, of)]).toEqual([sql, undefined]);
    }
  });
}

/** Why not, as people and agents read it. */
const NONE: readonly (readonly [SqlDialect, string, string])[] = [
  ["postgresql", "DELETE FROM t", "DELETE isn't a read"],
  ["postgresql", "WITH d AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM d", "INSERT isn't a read"],
  ["postgresql", "SELECT 1; SELECT 2", "it is 2 statements"],
  ["postgresql", "SELECT f(1)", "it calls the function f, which isn't known to be pure"],
  ["postgresql", "SELECT s.lower('x')", "it calls the function s.lower, which isn't known to be pure"],
  ["postgresql", "SELECT * FROM t FOR SHARE", "it locks the rows that it reads"],
  ["postgresql", "SELECT a INTO b FROM t", "SELECT INTO makes a table"],
  ["postgresql", "SELECT 1 OPERATOR(s.+) 2", "it uses the operator s.+, which isn't built in"],
  ["postgresql", "SELECT '1'::s.t", "it uses the type s.t, which isn't built in"],
  ["postgresql", "SELECT 'a\\'", "a backslash stands before a quote, so where the text ends depends on a setting"],
  ["postgresql", "SELECT * FROM t TABLESAMPLE f(1)", "it calls the function f, which isn't known to be pure"],
  ["postgresql", "SELECT (o).archive FROM orders o", "(...).archive may be a call of the function archive, which isn't known to be pure"],
  ["postgresql", "SELECT a[1].f FROM t", "(...).f may be a call of the function f, which isn't known to be pure"],
  ["postgresql", "SELECT $1.f", "(...).f may be a call of the function f, which isn't known to be pure"],
  ["postgresql", "SELECT (a).f.* FROM t", "(...).f may be a call of the function f, which isn't known to be pure"],
  ["postgresql", "SELECT x.f FROM unnest('{a}'::text[]) x", "x.f may be a call of the function f, which isn't known to be pure"],
  ["postgresql", "SELECT x.x FROM unnest('{a}'::text[]) x(a)", "x.x may be a call of the function x, which isn't known to be pure"],
  ["postgresql", "SELECT 1 FROM CAST(1 AS int)", "it reads from an expression that has no name of its own"],
  ["mysql", "SELECT s.nextval", "s.nextval can be the next number of a sequence"],
  ["mysql", "SELECT sleep(1)", "it calls the function sleep, which isn't known to be pure"],
  ["mysql", "SELECT count (a) FROM t", "it calls count with something before its parenthesis, which can mean a function of somebody's own"],
  ["mysql", "SELECT /*! 1 */ 2", "it has a comment that the server carries out"],
  ["mysql", "SELECT @a := 1", "it sets a variable"],
  ["mysql", "SELECT a INTO @b FROM t", "SELECT INTO writes what it reads"],
  ["mysql", "SELECT 1 /* a /* b */", "a comment opens inside of a comment"],
  ["mysql", "SELECT 1\u00a0+ 1", "it has a space that isn't one everywhere"],
  ["sqlite", "PRAGMA user_version = 3", "PRAGMA user_version with a value isn't known to be a read"],
  ["sqlite", "SELECT * FROM pragma_optimize", "it reads the table pragma_optimize, which isn't known to be pure"],
  ["sqlite", "SELECT load_extension('x')", "it calls the function load_extension, which isn't known to be pure"],
  ["sqlite", "ATTACH 'x' AS y", "ATTACH isn't a read"],
  ["sqlite", "", "it says nothing"],
  ["sqlite", "SELECT 1\u0000; DELETE FROM t", "it has control characters"],
  ["sqlite", "SELECT 1 --\r, 2", "it has control characters"],
  ["sqlite", "SELECT '\ud800'", "it has half a character"],
];

test("P5: what isn't certainly a read says why", async () => {
  for (const [dialect, sql, why] of NONE) expect([sql, await whyNot(sql, dialect)]).toEqual([sql, why]);
});

test("P5: without a dialect it has to be a read in all of them", async () => {
  expect(await whyNot("SELECT $$ a $$")).toStartWith("as MySQL, ");
  expect(await whyNot("SELECT iif(1, 2, 3)")).toBe("as PostgreSQL, it calls the function iif, which isn't known to be pure");
});

/** What costs parsers most: depth, breadth, and having to try again. */
const HARD: Readonly<Record<string, (count: number) => string>> = {
  parentheses: (count) => `select ${"(".repeat(count)}1${")".repeat(count)}`,
  "open parentheses": (count) => `select ${"(".repeat(count)}`,
  operators: (count) => `select 1${"+1".repeat(count)}`,
  minuses: (count) => `select ${"- ".repeat(count)}1`,
  calls: (count) => `select ${"lower(".repeat(count)}1${")".repeat(count)}`,
  casts: (count) => `select ${"cast(".repeat(count)}1 1${" as int)".repeat(count)}`,
  intervals: (count) => `select ${"interval ".repeat(count)}`,
  positions: (count) => `select ${"position(".repeat(count)}`,
  subqueries: (count) => `select * from ${"(select * from ".repeat(count)}t${") x".repeat(count)}`,
  unions: (count) => `select 1${" union select 1".repeat(count)}`,
  joins: (count) => `select * from ${"(t join ".repeat(count)}t`,
  cases: (count) => `select ${"case when ".repeat(count)}1${" then 1 end".repeat(count)}`,
  "open comments": (count) => `select 1 ${"/*".repeat(count)}`,
  lists: (count) => `select 1 in (${"1,".repeat(count)}1)`,
  members: (count) => `select a${".a".repeat(count)}`,
  statements: (count) => "select 1;".repeat(count),
};

describe("however a statement is made", () => {
  for (const dialect of SQL_DIALECTS) {
    test(`it is read in bounded time, and the next one as if nothing had been: ${dialect}`, async () => {
      expect(await whyNot("SELECT 1", dialect)).toBeUndefined();
      for (const [name, make] of Object.entries(HARD)) {
        for (const length of [300, 2_000, 9_900]) {
          const count = Math.max(1, Math.floor((length - make(0).length) / (make(2).length - make(1).length)));
          const spent = processorTime();
          expect(await whyNot(make(count), dialect)).not.toBe("the parser gave up on it");
          expect([name, spent() < 5_000]).toEqual([name, true]);
        }
      }
      expect(await whyNot("SELECT count(*) FROM t", dialect)).toBeUndefined();
    });
  }

  test("it isn't read at all where it is too long", async () => {
    expect(await whyNot(`SELECT '${"x".repeat(10_000)}'`, "sqlite")).toBe("it is longer than 10000 characters");
  });
});
