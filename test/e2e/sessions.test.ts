// What belongs to one run, and what becomes of calls whose client leaves? Everything that was sent is in it, settled where a reply still came.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { actions, expectIntact, runs, stepsOf, undo, until, untilCaptured } from "../support/documents.ts";
import { makeNotes, NOTES_RULES } from "../support/notes.ts";
import { EXECUTABLE } from "../support/sandbox.ts";

const FIRST = { a: "first", b: "second", c: "third" };

test("P4: a client that leaves while its call is at work doesn't take the outcome with it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("set", "wait-after");
  agent.send({ jsonrpc: "2.0", id: 500, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "1" } } });
  await until("the write lands", () => notes.state().notes["a"] === "1");
  const ended = agent.end();
  notes.letAnswer("set");
  expect(await ended).toBe(0);
  expect(await actions(notes)).toMatchObject([{ status: "applied" }]);
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P2: a client that writes all its calls at once and closes its end loses none of them", async () => {
  using notes = makeNotes();
  const lines = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "pipe", version: "1" } },
    },
    { method: "notifications/initialized" },
    ...Array.from({ length: 20 }, (_, index) => ({
      id: 10 + index,
      method: "tools/call",
      params: { name: "set", arguments: { key: "abc"[index % 3], value: String(index) } },
    })),
    { id: 90, method: "tools/call", params: { name: "send", arguments: { to: "ada" } } },
    { id: 91, method: "tools/call", params: { name: "get", arguments: { key: "a" } } },
  ];
  const input = lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("");
  const child = Bun.spawn([EXECUTABLE, "proxy"], {
    cwd: notes.folder,
    env: notes.env,
    stdin: new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const answers = (await child.stdout.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number });
  expect(await child.exited).toBe(0);
  expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([
    1,
    ...Array.from({ length: 20 }, (_, index) => 10 + index),
    90,
    91,
  ]);
  const recorded = await actions(notes);
  expect(recorded.filter(({ tool, status }) => tool === "set" && status === "applied")).toHaveLength(20);
  expect(recorded.filter(({ status }) => status === "held")).toHaveLength(1);
  expect(recorded).toHaveLength(22);
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("two proxies that one client starts side by side are one run, and are undone together", async () => {
  using notes = makeNotes();
  using other = makeNotes();
  const both = `version: 1
servers:
  notes: { command: ${JSON.stringify(notes.command[0])}, args: ${JSON.stringify(notes.command.slice(1))} }
  other: { command: ${JSON.stringify(other.command[0])}, args: ${JSON.stringify(other.command.slice(1))} }
tools:${NOTES_RULES}${NOTES_RULES.replaceAll("notes.", "other.")}`;
  notes.write("synartesis.yaml", both);
  const [one, two] = await Promise.all([
    Agent.startAsChild(notes, ["--server", "notes"]),
    Agent.startAsChild(notes, ["--server", "other"]),
  ]);
  await one.call("set", { key: "a", value: "1" });
  await two.call("set", { key: "a", value: "2" });
  await one.call("set", { key: "a", value: "3" });
  await two.call("create", { value: "4" });
  await Promise.all([one.end(), two.end()]);
  expect(await runs(notes)).toMatchObject([{ calls: 4, state: "ended" }]);
  const done = await undo(notes);
  expect(stepsOf(done)).toEqual([
    [4, "compensate", "undone"],
    [3, "restore", "undone"],
    [2, "restore", "undone"],
    [1, "restore", "undone"],
  ]);
  expect([notes.state().notes, other.state().notes]).toEqual([FIRST, FIRST]);
  await expectIntact(notes);
});

test("a run that a killed proxy left open is closed by undo, and a new session is a new run", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await untilCaptured(notes);
  await agent.crash();
  expect((await runs(notes)).map(({ state }) => state)).toEqual(["open"]);
  const second = await Agent.start(notes);
  await second.call("set", { key: "b", value: "2" });
  await second.end();
  expect(await runs(notes)).toHaveLength(2);
  expect((await undo(notes)).steps).toHaveLength(1);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1" });
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
  expect((await runs(notes)).map(({ state }) => state)).not.toContain("open");
});

test("P3: a megabyte of text is captured and put back", async () => {
  using notes = makeNotes();
  const large = "line é\n".repeat(150_000);
  notes.setState({ ...notes.state(), notes: { a: large } });
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "small" });
  await agent.call("set", { key: "a", value: large.toUpperCase() });
  await agent.end();
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes["a"] === large).toBe(true);
  expect(Bun.file(join(notes.folder, ".synartesis", "journal.db")).size).toBeLessThan(1_000_000);
});
