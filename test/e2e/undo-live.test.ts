// Is a run undone while its agent's session goes on, by the very servers that the agent uses? Its agent notices nothing but what was put back,
// and that its changes have to wait meanwhile.
import { expect, test } from "bun:test";
import { existsSync, lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { controlSockets } from "../support/control.ts";
import { actions, expectIntact, runs, stepsOf, undo, until, untilCaptured } from "../support/documents.ts";
import { HttpAgent, serve } from "../support/http.ts";
import { makeHttpNotes } from "../support/http-notes.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";
import { makeTwoNotes } from "../support/two-notes.ts";

/** Notes that are only in the memory of the server: a second process of it would know nothing of what was done. */
const inMemory = () => makeNotes(NOTES_RULES, ["--memory"]);

const UNDER_WAY = "an undo of what was done in this session is under way";

/** Starts an undo whose first inverse has taken effect and isn't answered yet. */
async function startWaiting(notes: NotesSandbox): Promise<Bun.Subprocess<"ignore", "pipe", "pipe">> {
  const before = notes.received().filter(({ name }) => name === "set").length;
  notes.trouble("set", "wait-after");
  const undoing = notes.start("undo", "--live", "--json");
  await until("the inverse is at the server", () => notes.received().filter(({ name }) => name === "set").length > before);
  return undoing;
}

test("P3: what a server keeps only in its memory is undone while its session goes on, and redone; the agent sees it", async () => {
  using notes = inMemory();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("create", { value: "new" });
  await agent.call("set", { key: "a", value: "2" });
  expect(stepsOf(await undo(notes, "--live"))).toEqual([
    [3, "restore", "undone"],
    [2, "compensate", "undone"],
    [1, "restore", "undone"],
  ]);
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("first");
  expect((await agent.call("get", { key: "n1" })).isError).toBe(true);
  const refused = await notes.run("redo", "--yes");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("--live")]);
  expect((await notes.run("redo", "--yes", "--live")).code).toBe(0);
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("2");
  expect(await agent.end()).toBe(0);
  await expectIntact(notes);
});

test("P1: the agent's client sees nothing of an undo through its proxy: no message, and no id of its own answered by another", async () => {
  using notes = inMemory();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const before = agent.lines.length;
  expect((await undo(notes, "--live")).state).toBe("undone");
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("first");
  expect(agent.lines.length).toBe(before + 1);
  await agent.end();
});

test("P3: while an undo is under way the run's changing calls are refused and recorded so, and reads pass; afterwards both pass", async () => {
  using notes = inMemory();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const undoing = await startWaiting(notes);
  const refused = await agent.call("set", { key: "b", value: "meanwhile" });
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining(UNDER_WAY)]);
  expect(textOf(await agent.call("get", { key: "b" }))).toContain("second");
  notes.letAnswer("set");
  expect(await undoing.exited).toBe(0);
  expect((await agent.call("set", { key: "b", value: "after" })).isError).toBeUndefined();
  await agent.end();
  const [agents] = (await runs(notes)).filter(({ kind }) => kind === "agent");
  expect((await actions(notes, agents?.id ?? "")).map(({ tool, status, reason }) => [tool, status, reason])).toEqual([
    ["set", "undone", "put-back"],
    ["set", "denied", "undo-under-way"],
    ["get", "applied", null],
    ["set", "applied", null],
  ]);
});

test("P3: an undo waits for the calls that are under way, and takes them along", async () => {
  using notes = inMemory();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  notes.trouble("set", "wait-after");
  const calling = agent.call("set", { key: "b", value: "1" });
  await until("the call is at the server", () => notes.received().filter(({ name }) => name === "set").length === 2);
  const undoing = notes.start("undo", "--live", "--json");
  await until("the undo has begun", async () => (await agent.call("set", { key: "c", value: "1" })).isError === true);
  notes.letAnswer("set");
  expect((await calling).isError).toBeUndefined();
  expect(stepsOf(JSON.parse(await undoing.stdout.text()))).toContainEqual([2, "restore", "undone"]);
  expect(textOf(await agent.call("get", { key: "b" }))).toContain("second");
  await agent.end();
});

test("P3: an undo that is killed lets the agent go on at once, and is carried on without sending its inverse again", async () => {
  using notes = inMemory();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("set", { key: "b", value: "1" });
  const undoing = await startWaiting(notes);
  undoing.kill("SIGKILL");
  await undoing.exited;
  await until("changing calls pass again", async () => !(await agent.call("set", { key: "c", value: "1" })).isError);
  notes.letAnswer("set");
  const sets = () => notes.received().filter(({ name, args }) => name === "set" && args["key"] === "b").length;
  await until("the inverse was answered", async () => (await agent.call("get", { key: "b" })).isError !== true);
  expect(sets()).toBe(2);
  expect((await undo(notes, "--live")).state).toBe("undone");
  expect(sets()).toBe(2);
  for (const [key, value] of [
    ["a", "first"],
    ["b", "second"],
    ["c", "third"],
  ] as const)
    expect(textOf(await agent.call("get", { key }))).toContain(value);
  await agent.end();
  await expectIntact(notes);
});

test("P4: a proxy that dies in the middle of an undo leaves that step unknown; a later undo looks, with servers of its own", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("set", { key: "b", value: "1" });
  const undoing = await startWaiting(notes);
  await agent.crash();
  await undoing.exited;
  const { steps } = JSON.parse(await undoing.stdout.text());
  expect(steps).toMatchObject([
    { seq: 2, kind: "restore", end: "unknown" },
    { seq: 1, end: null },
  ]);
  expect(stepsOf(await undo(notes))).toEqual([
    [2, "done", "not-sent"],
    [1, "restore", "undone"],
  ]);
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
});

test("P3: of two undos at once through one proxy, each inverse is sent by one", async () => {
  using notes = inMemory();
  const agent = await Agent.start(notes);
  for (const key of ["a", "b", "c"]) await agent.call("set", { key, value: "1" });
  await Promise.all([undo(notes, "--live"), undo(notes, "--live")]);
  const inverses = notes
    .received()
    .filter(({ name }) => name === "set")
    .slice(3);
  expect(inverses.map(({ args }) => args["key"]).sort()).toEqual(["a", "b", "c"]);
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("first");
  await agent.end();
});

test("several servers behind one entry are undone through it, each by its own process", async () => {
  using notes = makeTwoNotes([], ["--memory"]);
  const agent = await Agent.start(notes);
  await agent.call("left__set", { key: "a", value: "1" });
  await agent.call("right__set", { key: "b", value: "1" });
  expect(stepsOf(await undo(notes, "--live"))).toEqual([
    [2, "restore", "undone"],
    [1, "restore", "undone"],
  ]);
  expect(textOf(await agent.call("left__get", { key: "a" }))).toContain("first");
  expect(textOf(await agent.call("right__get", { key: "b" }))).toContain("second");
  await agent.end();
});

test("where the proxies of one client have joined one run, each server is undone through the proxy that has it, and all of them hold back changes", async () => {
  using notes = makeTwoNotes([], ["--memory"]);
  const [left, right] = [await Agent.startAsChild(notes, ["--server", "left"]), await Agent.startAsChild(notes, ["--server", "right"])];
  await left.call("set", { key: "a", value: "1" });
  await right.call("set", { key: "b", value: "1" });
  notes.trouble("right", "set", "wait-after");
  const undoing = notes.start("undo", "--live");
  await until("the inverse is at the server", () => !existsSync(join(notes.folder, "right.json.set")));
  for (const agent of [left, right]) expect(textOf(await agent.call("set", { key: "c", value: "1" }))).toContain(UNDER_WAY);
  notes.letAnswer("right", "set");
  expect(await undoing.exited).toBe(0);
  expect(textOf(await left.call("get", { key: "a" }))).toContain("first");
  expect(textOf(await right.call("get", { key: "b" }))).toContain("second");
  await left.end();
  await right.end();
});

test("a server at a URL is undone in the agent's own session with it", async () => {
  using notes = makeHttpNotes();
  let begun = 0;
  notes.first = ({ message }) => {
    if (message?.method === "initialize") begun++;
    return undefined;
  };
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  expect((await undo(notes, "--live")).state).toBe("undone");
  expect([begun, notes.notes.get("a")]).toEqual([1, "first"]);
  await agent.end();
});

test("of two sessions by HTTP the one that is meant is undone, by its own server; the other one's changes pass meanwhile", async () => {
  using notes = inMemory();
  await using served = await serve(notes);
  const one = await HttpAgent.start(served.url);
  await one.call("set", { key: "a", value: "of one" });
  const [run] = await runs(notes);
  const two = await HttpAgent.start(served.url);
  await two.call("set", { key: "a", value: "of two" });
  notes.trouble("set", "wait-after");
  const undoing = notes.start("undo", run?.id ?? "", "--live");
  await until("the inverse is at the server", () => notes.received().filter(({ name }) => name === "set").length === 3);
  expect((await one.call("set", { key: "b", value: "x" })).text).toContain(UNDER_WAY);
  expect((await two.call("set", { key: "b", value: "x" })).isError).toBe(false);
  notes.letAnswer("set");
  expect(await undoing.exited).toBe(0);
  expect((await one.call("get", { key: "a" })).text).toContain("first");
  expect((await two.call("get", { key: "a" })).text).toContain("of two");
});

test("a server that was wrapped in place needs no command after -- while its session goes on", async () => {
  using notes = inMemory();
  const via = '  notes:\n    via: { client: claude-code, file: "client.json", name: notes }\n';
  notes.write("synartesis.yaml", `version: 1\nservers:\n${via}tools:${NOTES_RULES}`);
  const agent = await Agent.start(notes, ["--server", "notes", "--", ...notes.command]);
  await agent.call("set", { key: "a", value: "1" });
  expect((await undo(notes, "--live")).state).toBe("undone");
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("first");
  await agent.end();
});

test("where the proxy can't be reached, servers are started a second time, and that is said", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await untilCaptured(notes);
  for (const socket of controlSockets(notes)) rmSync(socket);
  const done = await notes.run("undo", "--live");
  expect(done.code).toBe(0);
  expect(done.err).toContain("its servers are started a second time");
  expect(notes.state().notes["a"]).toBe("first");
  await agent.end();
});

test("the control socket is for its user only, is gone with its proxy, and one of a proxy that was killed is cleaned up", async () => {
  using notes = makeNotes();
  const killed = await Agent.start(notes);
  await killed.call("set", { key: "a", value: "1" });
  const [left = ""] = controlSockets(notes);
  expect(lstatSync(left).mode & 0o777).toBe(0o600);
  await killed.crash();
  expect(controlSockets(notes)).toEqual([left]);
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "b", value: "1" });
  expect(controlSockets(notes)).toHaveLength(1);
  expect(controlSockets(notes)).not.toContain(left);
  await agent.end();
  expect(controlSockets(notes)).toEqual([]);
});

test("P3: a journal whose path is too long for a socket is no obstacle", async () => {
  using notes = inMemory();
  const journal = join(notes.folder, "deep/".repeat(20), "journal.db");
  const agent = await Agent.start(notes, ["--journal", journal]);
  await agent.call("set", { key: "a", value: "1" });
  expect((await undo(notes, "--live", "--journal", journal)).state).toBe("undone");
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("first");
  await agent.end();
});
