import { afterEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { verifyJournal } from "../../src/journal/verify.ts";
import { intended, newCall, newIntent } from "./calls.ts";
import { cleanUp, open, start, startProcess, temporaryFolder } from "./fixture.ts";

// Each commit waits for the disk, and a busy machine's disk can take a second for it.
afterEach(cleanUp);
test("eight processes make one new journal and write to it at once: everything is there, in one chain", async () => {
  const file = join(temporaryFolder(), ".synartesis", "journal.db");
  const children = Array.from({ length: 8 }, () => startProcess("append", file, "40", "8"));
  const runs = await Promise.all(children.map(async (child) => (await new Response(child.stdout).text()).trim()));
  expect(await Promise.all(children.map((child) => child.exited))).toEqual(children.map(() => 0));
  const journal = await open(file);
  const ids = new Set(runs);
  expect(await Promise.all([...ids].map(async (id) => (await journal.findRun(id)).state))).toEqual([...ids].map(() => "ended" as const));
  const actions = (await Promise.all([...ids].map((id) => journal.actions(id)))).flat();
  expect(actions).toHaveLength(8 * 40 * 2);
  expect(actions.every(({ status }) => status === "applied")).toBe(true);
  expect(await verifyJournal(file)).toMatchObject({ kind: "intact" });
});

test("P6: one approval raced by several processes lets exactly one call through", async () => {
  const { file, journal, run } = await start();
  const held = await journal.hold(newCall(run.id), "gate-always");
  const approval = await journal.approve(held.id, "ada", 60_000);
  const children = Array.from({ length: 5 }, () => startProcess("spend", file, run.id, approval.id));
  const answers = await Promise.all(
    children.map(async (child) => {
      const reader = child.stdout.getReader();
      const decoder = new TextDecoder();
      expect(decoder.decode((await reader.read()).value)).toBe("ready\n");
      return async () => {
        child.stdin.write("go\n");
        child.stdin.end();
        return decoder.decode((await reader.read()).value).trim();
      };
    }),
  );
  const kinds = await Promise.all(answers.map((go) => go()));
  expect(kinds.toSorted()).toEqual(["approval-gone", "approval-gone", "approval-gone", "approval-gone", "intended"]);
  expect((await journal.actions(run.id)).filter(({ status }) => status === "intended")).toHaveLength(1);
});

test("the same call held by several processes at once is one hold", async () => {
  const { file, journal, run } = await start();
  const children = Array.from({ length: 4 }, () => startProcess("hold", file, run.id));
  const ids = await Promise.all(children.map(async (child) => (await new Response(child.stdout).text()).trim()));
  expect(new Set(ids).size).toBe(1);
  expect((await journal.waiting()).map(({ id }) => id)).toEqual([...new Set(ids)]);
});

test("P2: after kill -9 in the middle of writing, the journal opens, verifies, and has every intent that was acknowledged", async () => {
  for (const lines of [1, 10, 60]) {
    const file = join(temporaryFolder(), "journal.db");
    const child = startProcess("write-forever", file);
    let output = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      output += decoder.decode(chunk, { stream: true });
      if (output.split("\n").length > lines) child.kill("SIGKILL");
    }
    await child.exited;
    const journal = await open(file);
    const acknowledged = output.split("\n").slice(0, -1);
    expect(acknowledged.length).toBeGreaterThanOrEqual(lines);
    for (const id of acknowledged) {
      const action = await journal.action(id);
      expect(await journal.value(action.snapshot ?? "")).toMatchObject({ text: "x".repeat(5000) });
    }
    expect(await verifyJournal(file)).toMatchObject({ kind: "intact" });
  }
});

test("the log doesn't grow without end although somebody is always reading", async () => {
  const { file, journal, run } = await start();
  const reader = startProcess("read-forever", file, run.id);
  await reader.stdout.getReader().read();
  let written = 0;
  let longest = 0;
  while (written < 24 * 2 ** 20) {
    const text = crypto.getRandomValues(new Uint8Array(150_000)).toBase64();
    await intended(journal, newIntent(run.id, { snapshot: { text } }));
    written += text.length;
    longest = Math.max(longest, statSync(`${file}-wal`).size);
  }
  expect(longest).toBeLessThan(16 * 2 ** 20);
});
