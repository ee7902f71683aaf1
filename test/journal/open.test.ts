import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Connection } from "../../src/journal/connection.ts";
import { openJournal } from "../../src/journal/open.ts";
import { SCHEMA_VERSION } from "../../src/journal/schema.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { newIntent } from "./calls.ts";
import { cleanUp, start, tamper, temporaryFolder } from "./fixture.ts";

afterEach(cleanUp);
function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test("a new journal and all that lies beside it belong to their owner alone, and git doesn't see them", async () => {
  const { file } = await start();
  expect(mode(dirname(file))).toBe("700");
  for (const name of ["journal.db", "journal.db-wal", "journal.db-shm", "journal.head"])
    expect([name, mode(join(dirname(file), name))]).toEqual([name, "600"]);
  expect(readFileSync(join(dirname(file), ".gitignore"), "utf8")).toBe("*\n");
});

test("a folder that was there for something else stays as it is", async () => {
  const folder = join(temporaryFolder(), "project");
  mkdirSync(folder, { mode: 0o755 });
  await start({ file: join(folder, "journal.db") });
  expect(mode(folder)).toBe("755");
  expect(readdirSync(folder)).not.toContain(".gitignore");
});

test("a folder of somebody else's behind a link that has our name stays as it is, and is used", async () => {
  const folder = temporaryFolder();
  const foreign = join(folder, "foreign");
  mkdirSync(foreign, { mode: 0o755 });
  symlinkSync(foreign, join(folder, ".synartesis"));
  const { journal } = await start({ file: join(folder, ".synartesis", "journal.db") });
  await journal.close();
  expect(mode(foreign)).toBe("755");
  expect(readdirSync(foreign)).not.toContain(".gitignore");
  expect(mode(join(foreign, "journal.db"))).toBe("600");
});

test("a journal that has to be there and isn't is journal-missing, and isn't made", async () => {
  const file = join(temporaryFolder(), "journal.db");
  await expect(openJournal({ file, mode: "existing" })).rejects.toMatchObject({ code: "journal-missing" });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test("a journal of a newer version is refused and not touched", async () => {
  const { file, journal } = await start();
  await journal.close();
  tamper(file, "UPDATE meta SET value = ? WHERE key = 'schema_version'", String(SCHEMA_VERSION + 1));
  const before = readFileSync(file);
  await expect(openJournal({ file, mode: "create" })).rejects.toMatchObject({ code: "journal-newer" });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a database of something else is refused and not touched", async () => {
  const file = join(temporaryFolder(), "journal.db");
  const other = new Database(file);
  other.run("CREATE TABLE customers (id TEXT)");
  other.close();
  const before = readFileSync(file);
  await expect(openJournal({ file, mode: "create" })).rejects.toMatchObject({ code: "journal-unusable" });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a file that is no database is journal-damaged and not touched", async () => {
  const file = join(temporaryFolder(), "journal.db");
  writeFileSync(file, "notes ".repeat(1000));
  await expect(openJournal({ file, mode: "create" })).rejects.toMatchObject({ code: "journal-damaged" });
  expect(readFileSync(file, "utf8")).toBe("notes ".repeat(1000));
});

test("P7: a new journal where another one lay before says so in its first event", async () => {
  const { file, journal } = await start();
  await journal.close();
  const before = readFileSync(join(dirname(file), "journal.head"), "latin1").split("\n")[1] ?? "";
  await Bun.file(file).delete();
  const again = await start({ file });
  const connection = new Connection(file, "read");
  expect(connection.first("SELECT predecessor FROM journal")).toEqual({
    predecessor: `${Number(before.split(" ")[0])} ${before.split(" ")[1]}`,
  });
  connection.close();
  await again.journal.close();
});

test("a mark tells equal texts, differs between journals, and survives reopening", async () => {
  const first = await start();
  const second = await start();
  const mark = await first.journal.mark("secret \ud800");
  expect(mark).toBe(await first.journal.mark("secret \ud800"));
  expect(mark).not.toBe(await first.journal.mark("secret \ud801"));
  expect(mark).not.toBe(await second.journal.mark("secret \ud800"));
  await first.journal.close();
  const again = await start({ file: first.file });
  expect(await again.journal.mark("secret \ud800")).toBe(mark);
});

test("a journal behind a link is written and verified as the file itself is", async () => {
  const { file, journal, run } = await start();
  await journal.close();
  const link = join(temporaryFolder(), "link.db");
  symlinkSync(file, link);
  const linked = await start({ file: link });
  expect((await linked.journal.intend(newIntent(run.id))).kind).toBe("intended");
  await linked.journal.close();
  expect(await verifyJournal(link)).toMatchObject({ kind: "intact" });
});
