// What is left after something else than the proxy dies: the server, the client's shell, or the proxy asked to end with a call in flight?
// No process that we started, a whole journal, and commands that work.
import { expect, setDefaultTimeout, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { makeNotes } from "../support/notes.ts";
import { afterCrash, arrived, begin, callsOf, gone, kill, serverBelow, treeOf, type UndoDocument } from "./scene.ts";

setDefaultTimeout(60_000);

test("P4: a server killed with a call in flight leaves it unknown, the agent is told, and undo looks", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "b", value: "the agent's" });
  notes.trouble("set", "hang-before");
  const lost = begin(agent, "set", { key: "a", value: "never written" });
  await arrived(notes, "set", 2);
  const pids = treeOf(agent.child.pid);
  kill(serverBelow(await agent.proxyPid()));
  expect((await lost).error?.message).toContain("it is recorded so");
  const next = await agent.request("tools/call", { name: "set", arguments: { key: "a", value: "x" } });
  expect(JSON.stringify(next)).toContain("not sent");
  await agent.end();
  await gone(pids);
  const { actions } = await afterCrash(notes);
  expect(actions.map(({ status, reason }) => [status, reason]).slice(0, 2)).toEqual([
    ["applied", null],
    ["unknown", "server-ended"],
  ]);
  const undo = await notes.json<UndoDocument>("undo");
  expect(undo.state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
});

test.each(["die-before", "die-after"])("P4: a server that ends by itself in a call (%s) leaves it unknown; undo is right or halts", async (word) => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("set", word);
  const lost = await begin(agent, "set", { key: "a", value: "the agent's" });
  expect(lost.error).toBeDefined();
  expect((await agent.request("ping")).error).toBeDefined();
  const pids = treeOf(agent.child.pid);
  await agent.end();
  await gone(pids);
  expect((await afterCrash(notes)).actions.map(({ status }) => status)).toEqual(["unknown"]);
  const undo = await notes.json<UndoDocument>("undo");
  expect(undo.state).toBe(word === "die-before" ? "undone" : "partial");
  expect(notes.state().notes["a"]).toBe(word === "die-before" ? "first" : "the agent's");
});

test("P2: SIGTERM to the proxy lets a call in flight settle, and ends everything", async () => {
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

test("P4: SIGTERM with a call that never settles ends within the grace period, and the call is unknown", async () => {
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

test("P4: the client's end with a call in flight: it may settle, and everything ends", async () => {
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

test("P2: a client's shell that is killed takes the proxy and the server with it, although its pipe stays open", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "the agent's" });
  const pids = treeOf(agent.child.pid);
  kill(agent.child.pid);
  await gone(pids);
  const { run, actions } = await afterCrash(notes);
  expect(run.state).toBe("ended");
  expect(actions.map(({ status }) => status)).toEqual(["applied"]);
  expect((await notes.json<UndoDocument>("undo")).state).toBe("undone");
});
