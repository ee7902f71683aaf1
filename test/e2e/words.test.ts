// Does what is printed hold when it is used: ids, commands, names, files that aren't there, a disk that is full?
import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { join } from "node:path";
import { userOf } from "../../src/cli/io.ts";
import { Agent, heldId } from "../support/agent.ts";
import { until } from "../support/documents.ts";
import { makeNotes } from "../support/notes.ts";
import { EXECUTABLE } from "../support/sandbox.ts";
import { atTerminal } from "../support/terminal.ts";

test("an answer to what doesn't wait says why, and points to what does", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  const id = heldId(await agent.call("send", { to: "x" }));
  expect((await notes.run("approve", "zzz")).err).toMatch(/hint: .*synartesis gates shows what waits/);
  const gates = (await notes.run("gates")).out;
  expect(gates).toContain(`deny ${id}\n`);
  expect(gates).toMatch(/in 24h/);
  expect((await notes.run("approve", id)).code).toBe(0);
  await agent.call("send", { to: "x" });
  await agent.end();
  const used = await notes.run("approve", id);
  expect([used.code, used.err.includes("the approval is used")]).toEqual([1, true]);
});

test("a manifest that was named and isn't there is said to be missing, and so is its folder", async () => {
  using notes = makeNotes();
  const listed = await notes.run("list", "--manifest", "/nope/synartesis.yaml");
  expect([listed.code, listed.err]).toEqual([2, "synartesis: there is no manifest /nope/synartesis.yaml\n"]);
  const drafted = await notes.run("init", "x", "--manifest", join(notes.folder, "no/such/z.yaml"), "--", ...notes.command);
  expect([drafted.code, drafted.err.includes("there is no folder")]).toEqual([2, true]);
});

test("outside of any project the journal whose runs are undone is named", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  const journal = join(notes.folder, ".synartesis");
  const away = Bun.spawnSync([EXECUTABLE, "undo"], {
    cwd: "/",
    env: { ...notes.env, SYNARTESIS_HOME: notes.folder },
  });
  expect([away.exitCode, away.stderr.toString()]).toEqual([2, expect.stringContaining("no journal")]);
  const told = Bun.spawnSync([EXECUTABLE, "undo", "--journal", join(journal, "journal.db")], { cwd: "/", env: notes.env });
  expect(told.stdout.toString()).toContain(`, in the journal ${join(journal, "journal.db")}\n`);
  expect((await notes.run("undo", "--dry-run")).out).not.toContain("in the journal");
});

test("an output that can't be written is an error, and no bug", async () => {
  using notes = makeNotes();
  const child = Bun.spawn([EXECUTABLE, "--help"], { env: notes.env, stdout: openSync("/dev/full", "w"), stderr: "pipe" });
  expect(await child.exited).toBe(1);
  expect(await child.stderr.text()).toBe("synartesis: the output couldn't be written (ENOSPC)\n");
});

test("who answers is found in the user database", () => {
  const passwd = "root:x:0:0:root:/root:/bin/sh\nmaria:x:1000:1000::/home/maria:/bin/sh\n";
  expect([userOf(0, passwd), userOf(1000, passwd), userOf(10, passwd)]).toEqual(["root", "maria", undefined]);
});

test("a server that takes long to start is waited for aloud, at a terminal", async () => {
  using notes = makeNotes();
  const slow = atTerminal(notes, 'exec "$0" init slow -- sleep 60', EXECUTABLE);
  await until("it says so", () => slow.screen().includes("starting slow, and still waiting for it"));
  slow.type("\u0003");
  expect(await slow.child.exited).toBe(130);
});
