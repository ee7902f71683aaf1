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

/** Tables that hold what JSON lacks, or that change more than they are told. */
const ODD = `
  CREATE TABLE odd (id INTEGER PRIMARY KEY, name TEXT, any_value, price REAL, floating FLOATING POINT);
  INSERT INTO odd VALUES (1, 'a', 9007199254740993, 3.0, 1.5), (2, 'b', 9e999, 2.0, 2), (3, 'c', x'00ff', -4.0, 3), (4, 'd', 3.0, 1e300, 4), (5, 'e', 5000000000, 0.1, 5),
    (6, 'f', 'x' || char(0) || 'y', 0.25, 6), (7, 'g', '7', 2.5, 7), (8, 'h', 5, 9e999, 8);
  CREATE TABLE replaced (id INTEGER PRIMARY KEY, word TEXT UNIQUE ON CONFLICT REPLACE);
  INSERT INTO replaced VALUES (1, 'same'), (2, 'other');
  CREATE TABLE ignored (id INTEGER PRIMARY KEY, word TEXT UNIQUE ON CONFLICT IGNORE);
  INSERT INTO ignored VALUES (1, 'same');
  CREATE TABLE watched (id INTEGER PRIMARY KEY, word TEXT);
  INSERT INTO watched VALUES (1, 'w');
  CREATE TRIGGER sweeps AFTER INSERT ON watched BEGIN DELETE FROM keyless; END;
  CREATE TABLE numberless (id TEXT PRIMARY KEY, word TEXT) WITHOUT ROWID;
  CREATE TABLE disguised (id INTEGER PRIMARY KEY, _rowid_ INTEGER);
  INSERT INTO disguised VALUES (1, 2);
  CREATE TABLE doubled (id INTEGER PRIMARY KEY, word TEXT, twice TEXT AS (word || word));
  INSERT INTO doubled VALUES (1, 'd');
`;

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
       INSERT INTO keyless VALUES ('a', 1), ('a', 1), ('b', NULL);${ODD}`,
    ),
  state(root) {
    using database = new Database(fileIn(root), { readonly: true });
    const tables = database.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as { name: string }[];
    return tables.map(({ name }) => {
      const columns = database.query(`SELECT name FROM pragma_table_info('${name}')`).all() as { name: string }[];
      const shown = columns.map((column) => `typeof("${column.name}") || ' ' || quote("${column.name}")`).join(", ");
      return [
        name,
        database
          .query(`SELECT ${shown} FROM "${name}"`)
          .values()
          .map((row) => JSON.stringify(row))
          .sort(),
      ];
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

test("P3: an undo writes no column that the call didn't set, whatever is in the others, nor what a person has put there since", () =>
  proveKept(
    [1, 2, 3, 4, 5, 6, 7].map((id) => ["update_records", { table: "odd", data: { name: "agent's" }, conditions: { id } }] as const),
    ({ root }) => run(root, "UPDATE odd SET any_value = 9007199254740995 WHERE id = 7"),
  ));

test("P3: values come back as they are, with their types, by updates and deletes", () =>
  prove([
    ["update_records", { table: "odd", data: { price: 7, any_value: "x", floating: 9 }, conditions: { id: 7 } }],
    ["update_records", { table: "odd", data: { price: 7 }, conditions: { id: 4 } }],
    ["update_records", { table: "odd", data: { price: 7, any_value: 1 }, conditions: { id: 5 } }],
    ["update_records", { table: "doubled", data: { word: "x" }, conditions: { id: 1 } }],
    ["delete_records", { table: "odd", conditions: { id: 7 } }],
    ["delete_records", { table: "numberless", conditions: { id: "none" } }],
  ]));

test("P3: what can't come back as it was is refused: values that the server changes on their way, and tables that change more by themselves", async () => {
  using place = await make();
  const before = await place.state();
  await using agent = await Agent.start(place);
  const passes = "passes through this server as it is";
  const itself = "the table changes nothing by itself";
  const set = (id: number, data: object) => ["update_records", { table: "odd", data, conditions: { id } }] as const;
  for (const [why, [tool, args]] of [
    ...[1, 2, 3, 4, 6].map((id) => [passes, set(id, { any_value: 0 })] as const),
    [passes, set(8, { price: 0 })],
    [passes, ["delete_records", { table: "doubled", conditions: { id: 1 } }]],
    ...[1, 2, 3, 4, 5, 6, 8].map((id) => [passes, ["delete_records", { table: "odd", conditions: { id } }]] as const),
    [itself, ["create_record", { table: "replaced", data: { word: "same" } }]],
    [itself, ["update_records", { table: "replaced", data: { word: "same" }, conditions: { id: 2 } }]],
    [itself, ["delete_records", { table: "replaced", conditions: { id: 2 } }]],
    [itself, ["create_record", { table: "ignored", data: { word: "same" } }]],
    [itself, ["create_record", { table: "watched", data: { word: "x" } }]],
    [itself, ["delete_records", { table: "watched", conditions: { id: 1 } }]],
    [itself, ["create_record", { table: "numberless", data: { id: "a" } }]],
    [itself, ["create_record", { table: "disguised", data: { id: 2 } }]],
  ] as const) {
    const answer = await agent.call(tool, args);
    expect({ args, isError: answer.isError, text: textOf(answer) }).toMatchObject({
      args,
      isError: true,
      text: expect.stringContaining(why),
    });
    expect(await place.state()).toEqual(before);
  }
});

declareProofs();
