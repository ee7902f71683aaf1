// Does the shipped policy for mcp-sqlite keep its word on the real server? The database, row by row and type by type, is what it was after undo.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { stepsOf, undo } from "../support/documents.ts";
import { installed } from "./installed.ts";
import { perform, prover } from "./proof.ts";

const SERVER = installed(
  "mcp-sqlite",
  "node-servers/node_modules/mcp-sqlite/mcp-sqlite-server.js",
  "node-servers/node_modules/sqlite3/build/Release/node_sqlite3.node",
);
const fileIn = (root: string) => join(root, "shop.db");

/** Runs statements past the proxy. */
function run(root: string, sql: string): void {
  using database = new Database(fileIn(root), { create: true });
  database.run(sql);
}

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "mcp-sqlite",
  lacks: SERVER.lacks,
  command: (root) => ["node", SERVER.path, fileIn(root)],
  plant: (root) =>
    run(
      root,
      `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, plan TEXT DEFAULT 'free', balance REAL, notes TEXT);
       INSERT INTO customers VALUES (1, 'Ada', 'pro', 1.5, NULL), (2, 'Grace é 日本', 'free', -0.25, 'two' || char(10) || 'lines'), (7, '', NULL, 1e300, '"quoted"');
       CREATE TABLE "odd name" (id TEXT, value);
       INSERT INTO "odd name" VALUES ('x', 1), ('twice', 'a'), ('twice', 'b');
       CREATE TABLE keyless (word TEXT, number);
       INSERT INTO keyless VALUES ('a', 1), ('a', 1), ('b', NULL);`,
    ),
  state(root) {
    using database = new Database(fileIn(root), { readonly: true });
    const tables = database.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as { name: string }[];
    return tables.map(({ name }) => {
      const rows = database.query(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[];
      return [name, rows.map((row) => JSON.stringify(row)).sort()];
    });
  },
});

const table = "customers";

test("P3: rows that were created are deleted, with and without a key of their own", () =>
  prove([
    ["create_record", { table, data: { name: "new", notes: "it's" } }],
    ["create_record", { table, data: { id: 100, name: "numbered" } }],
    ["create_record", { table: "keyless", data: { word: "a", number: 1 } }],
    ["create_record", { table: "odd name", data: { id: "y", value: null } }],
  ]));

test("P3: rows that were updated by their id have every value as it was", () =>
  prove([
    ["update_records", { table, data: { plan: "x", notes: null }, conditions: { id: 2 } }],
    ["update_records", { table, data: { balance: 0, notes: "z" }, conditions: { id: 7, name: "" } }],
    ["update_records", { table: "odd name", data: { value: "text" }, conditions: { id: "x" } }],
    ["update_records", { table, data: { plan: "y" }, conditions: { id: 2 } }],
  ]));

test("P3: rows that were deleted come back, one or many, doubles too", () =>
  prove([
    ["delete_records", { table, conditions: { id: 1 } }],
    ["delete_records", { table: "keyless", conditions: { word: "a" } }],
    ["delete_records", { table: "odd name", conditions: { id: "twice" } }],
    ["delete_records", { table, conditions: { id: 12345 } }],
  ]));

test("P3: what a person changed in another column, another row and another table is kept", () =>
  proveKept(
    [
      ["update_records", { table, data: { plan: "agent's" }, conditions: { id: 1 } }],
      ["create_record", { table, data: { name: "agent's" } }],
      ["delete_records", { table, conditions: { id: 7 } }],
    ],
    ({ root }) =>
      run(
        root,
        "UPDATE customers SET notes = 'a person''s' WHERE id = 1; UPDATE customers SET plan = 'a person''s' WHERE id = 2; DELETE FROM keyless WHERE word = 'b'",
      ),
  ));

test("P3: the column that a person changed as well is a conflict, and keeps the person's value", async () => {
  using place = await make();
  await perform(place, [["update_records", { table, data: { plan: "agent's" }, conditions: { id: 1 } }]]);
  run(place.root, "UPDATE customers SET plan = 'a person''s' WHERE id = 1");
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await place.state()).toEqual(before);
});

test("P3: a created row that a person has changed since is not deleted", async () => {
  using place = await make();
  await perform(place, [["create_record", { table: "keyless", data: { word: "agent's" } }]]);
  run(place.root, "UPDATE keyless SET number = 5 WHERE word = 'agent''s'");
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await place.state()).toEqual(before);
});

test("P5: what has no way back changes nothing without a person: statements that write, other conditions, another id, several rows of one id", async () => {
  using place = await make();
  const before = await place.state();
  await using agent = await Agent.start(place);
  for (const [tool, args] of [
    ["query", { sql: "DELETE FROM customers" }],
    ["query", { sql: "SELECT 1; DELETE FROM customers" }],
    ["query", { sql: "WITH c AS (SELECT 1 AS id) DELETE FROM customers WHERE id IN c RETURNING *" }],
    ["query", { sql: "PRAGMA user_version = 5" }],
    ["query", { sql: "ATTACH DATABASE 'other.db' AS other" }],
    ["query", { sql: "SELECT load_extension('x')" }],
    ["update_records", { table, data: { plan: "x" }, conditions: { plan: "pro" } }],
    ["update_records", { table, data: { id: 5 }, conditions: { id: 1 } }],
    ["update_records", { table: "odd name", data: { value: "x" }, conditions: { id: "twice" } }],
    ["update_records", { table: "keyless", data: { number: 1 }, conditions: { id: 1 } }],
    ["create_record", { table: 'x" WHERE 1 = 1 --', data: { a: 1 } }],
  ] as const) {
    expect(await agent.call(tool, args)).toMatchObject({ isError: true });
    expect(await place.state()).toEqual(before);
  }
  expect(textOf(await agent.call("query", { sql: "SELECT name FROM customers WHERE id = ?", values: [1] }))).toContain("Ada");
});

declareProofs();
