import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../src/core/json.ts";
import { openJournal } from "../../src/journal/open.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { testUnless } from "../support/needing.ts";
import { NO_DISK, remount, smallDisk } from "../support/small-disk.ts";
import { intended, newIntent, newRead } from "./calls.ts";
import { afterwards, cleanUp, open, start, temporaryFolder } from "./fixture.ts";

afterEach(cleanUp);

/** A small disk that the test's end takes away. */
function diskFolder(): string {
  const folder = join(temporaryFolder(), "disk");
  const disk = smallDisk(folder, 1);
  afterwards(() => disk[Symbol.dispose]());
  return folder;
}

test("P2: a journal that was deleted takes no intent any more, even if the file comes back", async () => {
  const { file, journal, run } = await start();
  const aside = `${file}.aside`;
  renameSync(file, aside);
  await expect(journal.intend(newIntent(run.id))).rejects.toThrow(/deleted or moved/);
  renameSync(aside, file);
  await expect(journal.intend(newIntent(run.id))).rejects.toMatchObject({ code: "journal-unusable" });
  const again = await open(file);
  expect(await again.actions(run.id)).toEqual([]);
  await intended(again, newIntent(run.id));
});

test("P2: a journal that was replaced, or whose log was, takes no intent any more", async () => {
  const first = await start();
  copyFileSync(first.file, `${first.file}.copy`);
  renameSync(`${first.file}.copy`, first.file);
  const replaced = { code: "journal-unusable", message: expect.stringContaining("replaced") };
  await expect(first.journal.intend(newIntent(first.run.id))).rejects.toMatchObject(replaced);
  const second = await start();
  rmSync(`${second.file}-wal`);
  await expect(second.journal.intend(newIntent(second.run.id))).rejects.toMatchObject({ code: "journal-unusable" });
});

test("P2: a journal whose shared memory was deleted takes no intent any more, and stays whole", async () => {
  const { file, journal, run } = await start();
  await intended(journal, newIntent(run.id));
  rmSync(`${file}-shm`);
  const deleted = { code: "journal-unusable", message: expect.stringContaining("-shm was deleted") };
  await expect(journal.intend(newIntent(run.id))).rejects.toMatchObject(deleted);
  await journal.close();
  const again = await open(file);
  await intended(again, newIntent(run.id));
  expect(await verifyJournal(file)).toMatchObject({ kind: "intact" });
});

test("reads can still be asked for while changes are refused", async () => {
  const { file, journal, run } = await start();
  const action = await intended(journal, newIntent(run.id));
  rmSync(file);
  await expect(journal.settle(action, { status: "applied", reason: null })).rejects.toMatchObject({ code: "journal-unusable" });
  expect(await journal.actions(run.id)).toMatchObject([{ id: action, status: "intended" }]);
  expect(await journal.value((await journal.action(action)).args)).toEqual({ id: "c1", name: "new" });
});

test("what nobody waits for and can't be written is told by flush, once", async () => {
  const { file, journal, run } = await start();
  rmSync(file);
  journal.recordFinished(newRead(run.id));
  await expect(journal.flush()).rejects.toMatchObject({ code: "journal-unusable" });
  await journal.flush();
  journal.recordFinished(newRead(run.id));
  await expect(journal.close()).rejects.toMatchObject({ code: "journal-unusable" });
  await expect(journal.intend(newIntent(run.id))).rejects.toThrow();
});

test("a read whose values can't be stored fails nobody but the next flush", async () => {
  const { journal, run } = await start();
  let deep: Json = null;
  for (let level = 0; level < 200_000; level++) deep = [deep];
  journal.recordFinished(newRead(run.id, { result: deep }));
  await expect(journal.flush()).rejects.toThrow(RangeError);
  journal.recordFinished(newRead(run.id));
  await journal.flush();
  expect(await journal.actions(run.id)).toHaveLength(1);
});

test("a journal that another process keeps locked is waited for without blocking, then refused, then usable again", async () => {
  const { file, journal, run } = await start({ patience: 200 });
  const other = new Database(file);
  other.run("BEGIN IMMEDIATE");
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await expect(journal.intend(newIntent(run.id))).rejects.toMatchObject({
    code: "journal-unusable",
    message: expect.stringContaining("locked"),
  });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(10);
  const waiting = journal.intend(newIntent(run.id));
  other.run("ROLLBACK");
  other.close();
  expect((await waiting).kind).toBe("intended");
});

testUnless(NO_DISK, "P2: on a full disk an intent is refused, and taken again once there is space", async () => {
  const folder = diskFolder();
  const { file, journal, run } = await start({ file: join(folder, "j", "journal.db") });
  let count = 0;
  const fill = async () => {
    for (;;)
      await intended(
        journal,
        newIntent(run.id, { snapshot: { number: count++, text: crypto.getRandomValues(new Uint8Array(20_000)).toBase64() } }),
      );
  };
  await expect(fill()).rejects.toMatchObject({ code: "journal-unusable", message: expect.stringContaining("SQLITE_FULL") });
  const before = await journal.actions(run.id);
  expect(before).toHaveLength(count - 1);
  await expect(fill()).rejects.toMatchObject({ code: "journal-unusable" });
  remount(folder, "size=8m");
  await intended(journal, newIntent(run.id));
  expect(await verifyJournal(file)).toMatchObject({ kind: "intact" });
});

testUnless(NO_DISK, "a journal on a read-only disk refuses changes and says so", async () => {
  const folder = diskFolder();
  const { file, journal, run } = await start({ file: join(folder, "j", "journal.db") });
  await intended(journal, newIntent(run.id));
  await journal.close();
  remount(folder, "ro");
  await expect(openJournal({ file, mode: "existing" })).rejects.toMatchObject({ code: "journal-unusable" });
});

testUnless(
  process.getuid?.() === 0 ? "root may write everything" : undefined,
  "a journal that this user may not write refuses changes and says so",
  async () => {
    const { file, journal, run } = await start();
    await journal.close();
    chmodSync(file, 0o400);
    const again = await open(file, { mode: "existing" });
    await expect(again.intend(newIntent(run.id))).rejects.toMatchObject({
      code: "journal-unusable",
      message: expect.stringContaining("read-only"),
    });
  },
);

test("a folder that can't be made is journal-unusable", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  await expect(openJournal({ file: join(folder, "file", "journal.db"), mode: "create" })).rejects.toMatchObject({
    code: "journal-unusable",
  });
});

test("a journal whose pages were overwritten is journal-damaged, not a crash", async () => {
  const { file, journal, run } = await start();
  for (let number = 0; number < 50; number++) await intended(journal, newIntent(run.id, { args: { number } }));
  await journal.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096 * 2);
  writeFileSync(file, bytes);
  const damaged = (async () => (await open(file)).actions(run.id))();
  await expect(damaged).rejects.toMatchObject({ code: "journal-damaged" });
  expect(await verifyJournal(file)).toMatchObject({ kind: "damaged" });
});
