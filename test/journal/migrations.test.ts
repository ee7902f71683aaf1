// What becomes of a journal that an older Synartesis wrote? It is brought forward as it is, after a copy, and the chain still holds.
import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Connection } from "../../src/journal/connection.ts";
import { readHead } from "../../src/journal/events.ts";
import { createHeadFile } from "../../src/journal/head-file.ts";
import { versionOf } from "../../src/journal/migrations.ts";
import { openJournal } from "../../src/journal/open.ts";
import { SCHEMA_VERSION } from "../../src/journal/schema.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { newIntent, newRun } from "./calls.ts";
import { afterwards, cleanUp, open, tamper, temporaryFolder } from "./fixture.ts";

afterEach(cleanUp);
const VERSIONS = [1, 2];
const WRITTEN = await Promise.all(VERSIONS.map((version) => Bun.file(join(import.meta.dir, `version-${version}.sql`)).text()));

/** Makes a journal as an older version left it, with its head. */
function olderJournal(version: number): string {
  const file = join(temporaryFolder(), "journal.db");
  const database = new Database(file);
  database.run(WRITTEN[VERSIONS.indexOf(version)] ?? "");
  database.close();
  const connection = new Connection(file, "read");
  createHeadFile(join(dirname(file), "journal.head"), readHead(connection));
  connection.close();
  return file;
}

function rowsOf(file: string, sql: string) {
  const connection = new Connection(file, "read");
  try {
    return connection.all(sql);
  } finally {
    connection.close();
  }
}

test.each(VERSIONS)(
  "P7: a journal of version %d is brought forward after a copy: what it recorded is the same, the chain holds, and it goes on",
  async (version) => {
    const file = olderJournal(version);
    const before = rowsOf(file, "SELECT * FROM actions ORDER BY id");
    const journal = await open(file, { mode: "existing" });
    const after = rowsOf(file, "SELECT * FROM actions ORDER BY id");
    expect(after).toEqual(before.map((row) => ({ ...row, verification: null, checks: null, effect: null })));
    expect(after).not.toEqual([]);
    expect((await journal.runs()).map(({ kind, plan }) => [kind, plan])).toEqual([
      ["undo", null],
      ["agent", null],
    ]);
    expect(await verifyJournal(file)).toMatchObject({ kind: "intact", losses: [] });
    const redo = await journal.openRun(newRun({ kind: "redo", plan: "plan1" }));
    expect((await journal.intend(newIntent(redo.id))).kind).toBe("intended");
    await journal.close();
    expect(await verifyJournal(file)).toMatchObject({ kind: "intact", losses: [] });
  },
);

test.each(VERSIONS)("the copy of a journal of version %d is whole, of its version, its owner's alone, and verifies", async (version) => {
  const file = olderJournal(version);
  await (await open(file)).close();
  const copy = `${file}.version-${version}`;
  const connection = new Connection(copy, "read");
  expect(versionOf(connection)).toBe(version);
  connection.close();
  expect(rowsOf(copy, "SELECT * FROM events")).toEqual(rowsOf(file, "SELECT * FROM events"));
  expect((statSync(copy).mode & 0o777).toString(8)).toBe("600");
  expect(readdirSync(dirname(file)).filter((name) => name.includes("unfinished"))).toEqual([]);
});

test.each(VERSIONS)(
  "P7: a journal of version %d is verified without being brought forward, and a changed schema is found in it",
  async (version) => {
    const file = olderJournal(version);
    expect(await verifyJournal(file)).toMatchObject({ kind: "intact" });
    expect(existsSync(`${file}.version-${version}`)).toBe(false);
    tamper(file, "CREATE TRIGGER hide AFTER INSERT ON actions BEGIN DELETE FROM actions; END");
    expect(await verifyJournal(file)).toMatchObject({
      kind: "damaged",
      findings: [{ what: expect.stringContaining(`version ${version}`) }],
    });
  },
);

test("many that open an older journal at once all get it, brought forward once", async () => {
  const file = olderJournal(1);
  const journals = await Promise.all(Array.from({ length: 8 }, () => openJournal({ file, mode: "existing" })));
  afterwards(() => Promise.all(journals.map((journal) => journal.close())));
  for (const journal of journals) expect(await journal.runs()).toHaveLength(2);
  expect(rowsOf(`${file}.version-1`, "SELECT value FROM meta WHERE key = 'schema_version'")).toEqual([{ value: "1" }]);
});

test("a damaged row of an older journal stays what it was and keeps nothing from being read", async () => {
  const file = olderJournal(1);
  tamper(file, "UPDATE actions SET status = 'nonsense' WHERE seq = 1 AND tool = '\"update_customer\"'");
  const journal = await open(file);
  const [undo, run] = await journal.runs();
  expect((await journal.actions(run?.id ?? ""))[0]).toMatchObject({ damaged: ["status"] });
  expect(await journal.actions(undo?.id ?? "")).toHaveLength(1);
  expect(SCHEMA_VERSION).toBeGreaterThan(1);
  expect(await verifyJournal(file)).toMatchObject({ kind: "damaged" });
});
