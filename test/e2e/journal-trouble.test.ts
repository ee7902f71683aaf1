// What if the journal is lost, or can't be written, while an agent works? Changes stop, with the reason and what to do; reads pass.
import { expect, test } from "bun:test";
import { copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions, expectIntact, journalFile, undo, untilCaptured } from "../support/documents.ts";
import { testUnless } from "../support/needing.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { NO_DISK, remount, smallDisk } from "../support/small-disk.ts";

/** A change is refused with these words, and doesn't reach the server; a read passes. */
async function expectStopped(notes: NotesSandbox, agent: Agent, words: RegExp): Promise<void> {
  const changes = () => notes.received().filter(({ name }) => name !== "get");
  const before = changes().length;
  for (const [tool, args] of [
    ["set", { key: "b", value: "unrecorded" }],
    ["create", { value: "unrecorded" }],
    ["send", { to: "unrecorded" }],
  ] as const) {
    const answer = await agent.call(tool, args);
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toMatch(/^Refused by Synartesis: notes\.\w+ was not sent/);
    expect(textOf(answer)).toMatch(words);
    expect(textOf(answer)).toContain("journal");
  }
  expect(changes()).toHaveLength(before);
  expect(await agent.call("get", { key: "b" })).toMatchObject({ structuredContent: { key: "b", value: "second" } });
}

test("P2: a journal that is deleted while an agent works stops changes and lets reads pass", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "recorded" });
  rmSync(join(notes.folder, ".synartesis"), { recursive: true });
  await expectStopped(notes, agent, /deleted or moved/);
  expect(notes.state().notes).toEqual({ a: "recorded", b: "second", c: "third" });
});

test("P2: a journal that is replaced by another, or put back, stops changes and lets reads pass", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "recorded" });
  const file = journalFile(notes);
  copyFileSync(file, `${file}.other`);
  renameSync(file, `${file}.aside`);
  renameSync(`${file}.other`, file);
  await expectStopped(notes, agent, /replaced/);
  renameSync(`${file}.aside`, file);
  await expectStopped(notes, agent, /journal/);
});

test("P2: a journal whose shared memory is deleted stays whole, whoever ends first, and what others write stays in it", async () => {
  using notes = makeNotes();
  const first = await Agent.start(notes);
  await first.call("set", { key: "a", value: "x" });
  rmSync(`${journalFile(notes)}-shm`);
  await using second = await Agent.start(notes);
  await second.call("set", { key: "c", value: "y" });
  await expectStopped(notes, first, /-shm was (deleted|replaced)/); // as it looks when it next writes: before the second one has made another, or after
  await second.call("set", { key: "c", value: "z" });
  expect(await first.end()).toBe(0);
  await second.call("set", { key: "c", value: "last" });
  await second.end();
  await expectIntact(notes);
});

test("P2: a journal that is cut to nothing stops changes and lets reads pass", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "recorded" });
  truncateSync(journalFile(notes));
  await expectStopped(notes, agent, /cut short/);
});

test("P2: a journal whose place can't be used stops changes from the start, and lets reads pass", async () => {
  using notes = makeNotes();
  writeFileSync(join(notes.folder, ".synartesis"), "not a folder");
  await using agent = await Agent.start(notes);
  await expectStopped(notes, agent, /journal/);
  rmSync(join(notes.folder, ".synartesis"));
  // The cause is gone, so the next call goes.
  expect((await agent.call("set", { key: "a", value: "recorded" })).isError).toBeUndefined();
  expect((await actions(notes)).at(-1)).toMatchObject({ tool: "set", status: "applied" });
});

testUnless(NO_DISK, "P2: a full disk stops changes and lets reads pass; with space again, the same session goes on", async () => {
  using notes = makeNotes();
  const folder = join(notes.folder, "disk");
  using _ = smallDisk(folder, 2);
  const journal = ["--journal", join(folder, "journal.db")];
  const agent = await Agent.start(notes, journal);
  await agent.call("set", { key: "a", value: "recorded" });
  await untilCaptured(notes, ...journal);
  Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(folder, "filler")}`, "bs=4k"], { stderr: "ignore" });
  // A few pages are left in the journal's own files: held calls take them, since nothing is sent for those.
  let refused = "";
  for (let count = 0; count < 500 && !refused.startsWith("Refused"); count++)
    refused = textOf(await agent.call("send", { to: `${count}` }));
  await expectStopped(notes, agent, /full/i);
  rmSync(join(folder, "filler"));
  expect((await agent.call("set", { key: "c", value: "recorded again" })).isError).toBeUndefined();
  await agent.end();
  expect((await undo(notes, ...journal)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
  expect((await notes.run("audit", "verify", ...journal)).code).toBe(0);
});

testUnless(NO_DISK, "P2: a journal on a disk that became read-only stops changes and lets reads pass", async () => {
  using notes = makeNotes();
  const folder = join(notes.folder, "disk");
  using _ = smallDisk(folder, 2);
  const journal = ["--journal", join(folder, "journal.db")];
  const first = await Agent.start(notes, journal);
  await first.call("set", { key: "a", value: "recorded" });
  await first.end();
  remount(folder, "ro");
  await using second = await Agent.start(notes, journal);
  await expectStopped(notes, second, /read-only|can't be (opened|written)/);
});

test("P2: a journal that another process keeps locked is waited for, and then written", async () => {
  using notes = makeNotes();
  const { Database } = await import("bun:sqlite");
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const other = new Database(journalFile(notes));
  other.run("BEGIN IMMEDIATE");
  const waiting = agent.call("set", { key: "a", value: "2" });
  // Reads aren't kept waiting by it.
  expect((await agent.call("get", { key: "a" })).structuredContent).toEqual({ key: "a", value: "1" });
  expect(notes.received().filter(({ name }) => name === "set")).toHaveLength(1);
  other.run("ROLLBACK");
  other.close();
  expect((await waiting).isError).toBeUndefined();
  await expectIntact(notes);
});

test("P2: a held call and its approval survive a crash of the proxy", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  await agent.crash();
  expect((await notes.run("approve", held)).code).toBe(0);
  await using again = await Agent.start(notes);
  await again.call("send", { to: "ada" });
  expect(notes.state().sent).toEqual(["ada"]);
});
