// What is left after something else than the proxy dies: the server, the client's shell, or the proxy asked to end with a call in flight?
// No process that we started, a whole journal, and commands that work.
import { expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { makeNotes } from "../support/notes.ts";
import { until } from "../support/patience.ts";
import { EXECUTABLE } from "../support/sandbox.ts";
import {
  afterCrash,
  arrived,
  begin,
  callsOf,
  gone,
  hasRecorded,
  kill,
  serverBelow,
  serversBelow,
  stop,
  treeOf,
  type UndoDocument,
} from "./scene.ts";

test("P4: a server killed twice with a call in flight leaves both unknown; each is told, later calls aren't sent, and undo looks", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const proxy = await agent.proxyPid();
  await agent.call("set", { key: "b", value: "the agent's" });
  const pids = [...treeOf(agent.child.pid)];
  for (const key of ["a", "c"]) {
    notes.trouble("set", "hang-before");
    const reached = callsOf(notes, "set");
    const lost = begin(agent, "set", { key, value: "never written" });
    await arrived(notes, "set", reached + 1);
    const server = serverBelow(proxy);
    pids.push(server);
    kill(server);
    expect((await lost).error?.message).toContain("it is recorded so");
  }
  const next = await agent.request("tools/call", { name: "set", arguments: { key: "a", value: "x" } });
  expect(JSON.stringify(next)).toContain("not sent");
  expect((await agent.request("ping")).error).toBeDefined();
  expect(await agent.end()).toBe(0);
  await gone(pids);
  const { actions } = await afterCrash(notes);
  expect(actions.map(({ status, reason }) => [status, reason]).slice(0, 3)).toEqual([
    ["applied", null],
    ["unknown", "server-ended"],
    ["unknown", "server-ended"],
  ]);
  const undo = await notes.json<UndoDocument>("undo");
  expect(undo.state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
});

test.each(["die-before", "die-after"])(
  "P4: a server that ends by itself in a call (%s) leaves it unknown; undo is right or halts",
  async (word) => {
    using notes = makeNotes();
    await using agent = await Agent.start(notes);
    notes.trouble("set", word);
    const lost = await begin(agent, "set", { key: "a", value: "the agent's" });
    expect(lost.error).toBeDefined();
    const pids = treeOf(agent.child.pid);
    await agent.end();
    await gone(pids);
    expect((await afterCrash(notes)).actions.map(({ status }) => status)).toEqual(["unknown"]);
    const undo = await notes.json<UndoDocument>("undo");
    expect(undo.state).toBe(word === "die-before" ? "undone" : "partial");
    expect(notes.state().notes["a"]).toBe(word === "die-before" ? "first" : "the agent's");
  },
);

test("P4: while the server of a killed proxy may still be at work, undo doesn't call its call undone, be it a restarted one", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const proxy = await agent.proxyPid();
  await agent.call("list");
  const first = serverBelow(proxy);
  kill(first);
  await until("another server", () => serversBelow(proxy).some((pid) => pid !== first));
  await gone([first]);
  const server = serverBelow(proxy);
  await agent.call("set", { key: "b", value: "the agent's" });
  notes.trouble("set", "hang-before");
  begin(agent, "set", { key: "a", value: "at work" });
  await arrived(notes, "set", 2);
  using stopped = stop(server);
  kill(proxy);
  await agent.child.exited;
  const halted = await notes.json<UndoDocument>("undo");
  expect(halted.steps[0]).toMatchObject({ kind: "unknown", reason: "still-running" });
  expect(notes.state().notes["b"]).toBe("the agent's");
  stopped.goOn();
  await gone([server]);
  expect((await notes.json<UndoDocument>("undo")).state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
});

test.concurrent("P2: SIGTERM to the proxy lets a call in flight settle, and ends everything", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("set", "late:500");
  const reply = begin(agent, "set", { key: "a", value: "the agent's" });
  await arrived(notes, "set");
  const pids = treeOf(agent.child.pid);
  kill(await agent.proxyPid(), "SIGTERM");
  expect((await reply).result).toBeDefined();
  expect(await agent.child.exited).toBe(0);
  await gone(pids);
  const { run, actions } = await afterCrash(notes);
  expect(run.state).toBe("ended");
  expect(actions.map(({ status }) => status)).toEqual(["applied"]);
  expect((await notes.json<UndoDocument>("undo")).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("first");
});

test.concurrent("P4: SIGTERM with a call that never settles ends within the grace period, and the call is unknown", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("set", "hang-after");
  begin(agent, "set", { key: "a", value: "the agent's" });
  await arrived(notes, "set");
  const pids = treeOf(agent.child.pid);
  kill(await agent.proxyPid(), "SIGTERM");
  await gone(pids);
  const { run, actions } = await afterCrash(notes);
  expect(run.state).toBe("ended");
  expect(actions.map(({ status }) => status)).toEqual(["unknown"]);
  expect((await notes.json<UndoDocument>("undo")).state).toBe("partial");
  expect(callsOf(notes, "set")).toBe(1);
});

test.concurrent("P4: the client's end with a call in flight: it may settle, and everything ends", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("set", "late:500");
  begin(agent, "set", { key: "a", value: "the agent's" });
  await arrived(notes, "set");
  const pids = treeOf(agent.child.pid);
  expect(await agent.end()).toBe(0);
  await gone(pids);
  expect((await afterCrash(notes)).actions.map(({ status }) => status)).toEqual(["applied"]);
  expect((await notes.json<UndoDocument>("undo")).state).toBe("undone");
});

test("P2: a client's shell that is killed takes the proxy and the server with it, although the pipe to them stays open", async () => {
  using notes = makeNotes();
  const pipe = join(notes.folder, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const writer = openSync(pipe, "r+"); // keeps the pipe open whatever becomes of the client
  const child = Bun.spawn(["sh", "-c", '"$@"; exit "$?"', "agent", EXECUTABLE, "proxy"], {
    cwd: notes.folder,
    env: notes.env,
    stdin: openSync(pipe, "r"),
    stdout: "ignore",
    stderr: "ignore",
  });
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const say = (message: object) => writeSync(writer, `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  say({ id: 1, method: "initialize", params: hello });
  say({ id: 2, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "the agent's" } } });
  await arrived(notes, "get", 2);
  await hasRecorded(notes, "set", "applied");
  const pids = treeOf(child.pid);
  kill(child.pid);
  await gone(pids);
  closeSync(writer);
  const { run, actions } = await afterCrash(notes);
  expect(run.state).toBe("ended");
  expect(actions.map(({ status }) => status)).toEqual(["applied"]);
});
