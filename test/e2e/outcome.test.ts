// What became of a call? What its reply says, if one comes; what the world shows, if it can be looked at; otherwise nobody knows, and undo stops.
import { expect, test } from "bun:test";
import { Agent, textOf } from "../support/agent.ts";
import { actions, runs, stepsOf, undo, until } from "../support/documents.ts";
import { makeNotes } from "../support/notes.ts";

const SET = { name: "set", arguments: { key: "a", value: "agent's" } };

test("P4: a write that lands after the client has given up on it is applied once its reply comes, and undone", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("set", "wait-after");
  agent.send({ jsonrpc: "2.0", id: 500, method: "tools/call", params: SET });
  await until("the write lands", () => notes.state().notes["a"] === "agent's");
  agent.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 500, reason: "timed out" } });
  await agent.request("ping");
  expect(await actions(notes)).toMatchObject([{ status: "intended" }]);
  notes.letAnswer("set");
  await until("the reply settles it", async () => (await actions(notes))[0]?.status !== "intended");
  expect(await actions(notes)).toMatchObject([{ status: "applied", reason: null }]);
  await agent.end();
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("first");
});

test("P4: a call that was cancelled before it was sent never reaches the server, and undo passes over it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("set", "wait-after");
  agent.send({ jsonrpc: "2.0", id: 500, method: "tools/call", params: SET });
  await until("the first write lands", () => notes.state().notes["a"] === "agent's");
  // The same note: it waits for the first to end.
  agent.send({ jsonrpc: "2.0", id: 501, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "second" } } });
  agent.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 501 } });
  await agent.await(500, () => notes.letAnswer("set"));
  await agent.call("get", { key: "a" });
  await agent.end();
  expect(notes.received().filter(({ name }) => name === "set")).toEqual([{ name: "set", args: SET.arguments }]);
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("first");
});

test("P4: an error that did change something is applied, and is undone", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("set", "error-after");
  const answer = await agent.call("set", SET.arguments);
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toContain("made to fail");
  await agent.end();
  expect(await actions(notes)).toMatchObject([{ status: "applied", reason: "tool-error" }]);
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("first");
});

test("P4: an error that changed nothing is failed, and undo sends nothing for it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("set", "error-before");
  expect((await agent.call("set", SET.arguments)).isError).toBe(true);
  notes.trouble("create", "error-before");
  expect((await agent.call("create", { value: "x" })).isError).toBe(true);
  await agent.end();
  expect(await actions(notes)).toMatchObject([
    { tool: "set", status: "failed", reason: "tool-error" },
    { tool: "create", status: "failed", reason: "tool-error-unverified" },
  ]);
  const sent = notes.received().length;
  const done = await undo(notes);
  expect(done.state).toBe("undone");
  expect(done.steps.map(({ kind }) => kind)).toEqual(["skip", "skip"]);
  expect(notes.received()).toHaveLength(sent);
});

test("P4: a reply that never comes leaves the call unknown; undo looks, sees that it didn't happen, and goes on", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "b", value: "2" });
  notes.trouble("set", "hang-before");
  agent.send({ jsonrpc: "2.0", id: 500, method: "tools/call", params: SET });
  await until("the server has it", () => notes.received().filter(({ name }) => name === "set").length === 2);
  await agent.crash();
  const done = await undo(notes);
  expect(stepsOf(done)).toEqual([
    [2, "skip", "not-sent"],
    [1, "restore", "undone"],
  ]);
  expect(done.steps[0]?.reason).toBe("did-not-happen");
  expect(done.state).toBe("undone");
  expect(await actions(notes, done.run)).toMatchObject([{ status: "undone" }, { status: "failed", reason: "not-sent" }]);
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
});

test("P4: a reply that never comes leaves the call unknown; undo looks, sees that something happened, and halts", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "b", value: "2" });
  notes.trouble("set", "hang-after");
  agent.send({ jsonrpc: "2.0", id: 500, method: "tools/call", params: SET });
  await until("it lands", () => notes.state().notes["a"] === "agent's");
  await agent.crash();
  const ended = await notes.run("undo");
  expect(ended.code).toBe(1);
  expect(ended.out).toContain('"first"');
  expect(ended.out).toContain(`"agent's"`);
  expect((await actions(notes)).map(({ status }) => status)).toEqual(["applied", "unknown"]);
  expect((await runs(notes))[0]?.state).toBe("partial");
  expect(notes.state().notes).toEqual({ a: "agent's", b: "2", c: "third" });
});

test("P4: a call without a snapshot whose reply was lost can't be known; undo halts at it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("create", "hang-after");
  agent.send({ jsonrpc: "2.0", id: 500, method: "tools/call", params: { name: "create", arguments: { value: "x" } } });
  await until("it lands", () => notes.state().next === 2);
  await agent.crash();
  const done = await undo(notes);
  expect(done.state).toBe("partial");
  expect(stepsOf(done)).toEqual([[1, "unknown", "not-sent"]]);
  expect(notes.state().notes["n1"]).toBe("x");
});

for (const [word, status, code] of [
  ["die-before", "failed", 0],
  ["die-after", "unknown", 1],
] as const) {
  test(`P4: a server that dies (${word}) makes its call unknown, the session goes on, and undo finds it ${status}`, async () => {
    using notes = makeNotes();
    const agent = await Agent.start(notes);
    notes.trouble("set", word);
    const reply = await agent.request("tools/call", SET);
    expect(reply.error?.message).toContain("not known whether it took effect");
    expect(await actions(notes)).toMatchObject([{ status: "unknown", reason: "server-ended" }]);
    expect((await agent.request("tools/call", { name: "get", arguments: { key: "a" } })).id).toBeDefined();
    await agent.end();
    expect((await notes.run("undo")).code).toBe(code);
    expect((await actions(notes, (await runs(notes)).at(-1)?.id ?? ""))[0]?.status).toBe(status);
    expect(notes.state().notes["a"]).toBe(word === "die-after" ? "agent's" : "first");
  });
}

test("P4: while the server that got a lost call may still be at work on it, undo doesn't judge", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("set", "hang-before");
  agent.send({ jsonrpc: "2.0", id: 500, method: "tools/call", params: SET });
  await until("the server has it", () => notes.received().some(({ name }) => name === "set"));
  const done = await undo(notes, "--live");
  expect(done.steps).toMatchObject([{ kind: "unknown", reason: "still-running", end: "not-sent" }]);
  expect(await actions(notes)).toMatchObject([{ status: "intended" }]);
  await agent.crash();
  expect((await undo(notes)).state).toBe("undone");
});

test("P2: a snapshot that shows bytes which are no text refuses the write", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("get", "binary");
  expect(textOf(await agent.call("set", SET.arguments))).toContain("U+FFFD");
  expect(notes.received().map(({ name }) => name)).toEqual(["get"]);
  expect((await agent.call("set", SET.arguments)).isError).toBeUndefined();
  expect(await actions(notes)).toMatchObject([{ status: "denied", reason: "not-text" }, { status: "applied" }]);
});

for (const [word, words] of [
  ["error-before", "made to fail"],
  ["hang-before", "did not answer within"],
  ["die-before", "ended before it answered"],
] as const) {
  test(`P2: a snapshot that can't be read (${word}) refuses the write`, async () => {
    using notes = makeNotes();
    // On a busy machine an answer takes its time: only the one that never comes is given up.
    const agent = await Agent.start(notes, word === "hang-before" ? ["--read-timeout", "1s"] : []);
    notes.trouble("get", word);
    expect(textOf(await agent.call("set", SET.arguments))).toContain(words);
    expect(notes.received().map(({ name }) => name)).toEqual(["get"]);
    expect(notes.state().notes["a"]).toBe("first");
    await agent.end();
    expect(await actions(notes)).toMatchObject([{ status: "denied", reason: "snapshot-failed" }]);
  });
}
