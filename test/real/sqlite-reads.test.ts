// Does `gate: on_write` keep its word before a real server over SQLite? What passes leaves the database's bytes as they were.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { statementsOf } from "../sql/statements.ts";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { testUnless } from "../support/needing.ts";
import { chooserOf } from "../support/random.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { installed } from "./installed.ts";

const SERVER = installed(
  "mcp-sqlite",
  "node-servers/node_modules/mcp-sqlite/mcp-sqlite-server.js",
  "node-servers/node_modules/sqlite3/build/Release/node_sqlite3.node",
);

testUnless(SERVER.lacks, "P5: reads pass to the real server and change nothing; a change waits for a person", async () => {
  using sandbox = makeSandbox();
  const file = join(sandbox.folder, "data.db");
  writeFileSync(
    join(sandbox.folder, "synartesis.yaml"),
    `version: 1
servers: { db: { command: node, args: [${JSON.stringify(SERVER.path)}, ${JSON.stringify(file)}] } }
tools:
  - { match: db.query, class: irreversible, gate: on_write, sql: { statement: $.sql, dialect: sqlite } }
`,
  );
  await using agent = await Agent.start(sandbox);
  const run = (sql: string) => agent.call("query", { sql });
  const approved = async (sql: string) => {
    expect((await sandbox.run("approve", heldId(await run(sql)))).code).toBe(0);
    return run(sql);
  };
  await approved("CREATE TABLE users (id integer primary key, name text, age int)");
  await approved("CREATE TABLE orders (id integer primary key, user_id int, total real)");
  await approved("INSERT INTO users VALUES (1, 'Ada', 36), (2, 'Bob', 4)");
  const before = readFileSync(file);
  const make = statementsOf("sqlite", chooserOf(1));
  for (let count = 0; count < 100; count += 1) {
    expect((await run(make.read().sql)).isError ?? false).toBe(false);
    expect(textOf(await run(make.change().sql))).toContain("Held by Synartesis");
  }
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(textOf(await run("SELECT name FROM users WHERE id = 2"))).toContain("Bob");
});
