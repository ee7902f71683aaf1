// Under which rule does a call go whose gate is `on_write`? Which texts of it are asked about, and what becomes of the rule?
import { expect, test } from "bun:test";
import type { Json } from "../../src/core/json.ts";
import type { Rule } from "../../src/core/policy.ts";
import { ruleOnWrite } from "../../src/sql/on-write.ts";
import { HEAD, policyOf } from "../manifest/texts.ts";

function ruleOf(text: string): Rule {
  const [rule] = policyOf(`${HEAD}  - { match: kv.query, gate: on_write, ${text} }\n`).rules;
  if (rule === undefined) throw new Error("no rule");
  return rule;
}

const ANY = ruleOf("class: irreversible");
const SQLITE = ruleOf('class: readonly, sql: { statement: "$.q.sql", dialect: sqlite }');

async function unclear(rule: Rule, args: Json): Promise<string | undefined> {
  return (await ruleOnWrite(rule, args)).unclear;
}

test("a certain read is readonly and passes; anything else is a change that is held, even where the tool is said to be readonly", async () => {
  expect(await ruleOnWrite(ANY, { sql: "SELECT 1" })).toMatchObject({ class: "readonly", gate: "never", match: "kv.query" });
  expect(await ruleOnWrite(SQLITE, { q: { sql: "DELETE FROM t" } })).toMatchObject({
    class: "irreversible",
    gate: "on_write",
    unclear: "DELETE isn't a read",
  });
});

test("what a rule says about changes doesn't count for a read; what it accepts, and from whom, does", async () => {
  const rule = ruleOf(
    "class: compensable, scopes: [sql], limits: { per_run: 3 }, commutes: true, inverse: { tool: kv.query, args: { sql: $result.undo } }",
  );
  const read = await ruleOnWrite(rule, { sql: "SELECT 1" });
  expect([read.inverse, read.commutes]).toEqual([undefined, undefined]);
  expect(read).toMatchObject({ scopes: ["sql"], limits: { perRun: 3 }, digest: rule.digest });
  expect(await ruleOnWrite(rule, { sql: "DROP TABLE t" })).toMatchObject({ class: "compensable", inverse: [{ tool: "query" }] });
});

test("P5: with `sql` the one argument that it names is read, which has to be a text", async () => {
  expect(await unclear(SQLITE, { q: { sql: "SELECT ?" }, params: ["DELETE FROM t"], note: 1 })).toBeUndefined();
  expect(await unclear(SQLITE, { q: { sql: ["SELECT 1", "DELETE FROM t"] } })).toBe("$.q.sql is no text");
  expect(await unclear(SQLITE, { q: {}, sql: "SELECT 1" })).toBe("there is no $.q.sql");
  expect(await unclear(SQLITE, { q: { sql: 1 } })).toBe("$.q.sql is no text");
});

test("P5: without `sql` every text at any depth has to be a read, and there has to be one", async () => {
  expect(await unclear(ANY, { sql: "SELECT 1", more: [{ sql: "SELECT 2" }], limit: 5, all: true, none: null })).toBeUndefined();
  expect(await unclear(ANY, { sql: "SELECT 1", batch: ["DROP TABLE x"] })).toBe("as PostgreSQL, DROP isn't a read");
  expect(await unclear(ANY, { queries: [{ sql: "SELECT 1" }, { deep: [{ sql: "DELETE FROM t" }] }] })).toBe(
    "as PostgreSQL, DELETE isn't a read",
  );
  expect(await unclear(ANY, { sql: "SELECT 1", database: "main" })).toStartWith("as PostgreSQL, PostgreSQL's parser says: syntax error");
  expect(await unclear(ANY, { limit: 5 })).toBe("there is no text in it");
  expect(await unclear(ANY, { "DELETE FROM t": [], sql: "SELECT 1" })).toContain("names that may be more than names");
  expect(await unclear(ANY, { sql: Array(30).fill("SELECT 1") })).toContain("more than 20 texts");
});
