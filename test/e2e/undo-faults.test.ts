// What if the server misbehaves while a run is put back? The plan says so, nothing is claimed that no read has shown, and undo can go on later.
import { expect, test } from "bun:test";
import { Agent, childrenOf, isRunning, runOf, textOf } from "../support/agent.ts";
import { actions, expectIntact, runs, stepsOf, undo, until } from "../support/documents.ts";
import { makeHttpNotes } from "../support/http-notes.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE } from "../support/sandbox.ts";
import { atTerminal } from "../support/terminal.ts";

const FIRST = { a: "first", b: "second", c: "third" };

async function twoSets(): Promise<NotesSandbox> {
  const notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }], ["set", { key: "b", value: "2" }]);
  return notes;
}

/** The inverses that reached the server. */
function inverses(notes: NotesSandbox): readonly string[] {
  return notes
    .received()
    .filter(({ name }) => name === "set")
    .slice(2)
    .map(({ args }) => args["key"] ?? "");
}

test("P3: an inverse that answers isError and was carried out all the same is seen to be", async () => {
  using notes = await twoSets();
  notes.trouble("set", "error-after");
  expect(await undo(notes)).toMatchObject({ state: "undone", steps: [{ end: "undone", verified: true }, { end: "undone" }] });
  expect(notes.state().notes).toEqual(FIRST);
  expect(inverses(notes)).toEqual(["b", "a"]);
});

test("P3: an inverse that answers and did nothing is stuck, and put back once the server does it", async () => {
  using notes = await twoSets();
  notes.trouble("set", "pretend");
  const done = await undo(notes);
  expect(stepsOf(done)[0]).toEqual([2, "restore", "stuck"]);
  expect(done).toMatchObject({ state: "partial", outstanding: [1, 2] });
  expect(await actions(notes, done.run)).toMatchObject([{ status: "applied" }, { status: "stuck", reason: "read-back-differs" }]);
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: an inverse whose effect can't be read back isn't called undone; a later look is what tells", async () => {
  using notes = await twoSets();
  notes.trouble("set", "wait-after");
  const undoing = undo(notes);
  await until("the inverse has reached the server", () => notes.state().notes["b"] === "second");
  notes.trouble("get", "binary");
  notes.letAnswer("set");
  expect(stepsOf(await undoing)[0]).toEqual([2, "restore", "stuck"]);
  expect((await actions(notes, (await runs(notes)).at(-1)?.id ?? ""))[1]).toMatchObject({ status: "stuck", reason: "read-back-failed" });
  expect(stepsOf(await undo(notes))).toEqual([
    [2, "done", "not-sent"],
    [1, "restore", "undone"],
  ]);
  expect(inverses(notes)).toEqual(["b", "a"]);
});

test("P3: a server that answers an inverse twice changes nothing by that", async () => {
  using notes = await twoSets();
  notes.trouble("set", "twice");
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
  expect(inverses(notes)).toEqual(["b", "a"]);
  await expectIntact(notes);
});

test("P3: a server that dies at an inverse leaves that step unknown, which the next undo settles by looking", async () => {
  for (const [word, kind] of [
    ["die-before", "restore"],
    ["die-after", "done"],
  ] as const) {
    using notes = await twoSets();
    notes.trouble("set", word);
    const done = await undo(notes);
    expect(stepsOf(done)[0]).toEqual([2, "restore", "unknown"]);
    expect(done.outstanding).toEqual([1, 2]);
    expect(stepsOf(await undo(notes)).map(([, judged]) => judged)).toEqual([kind, "restore"]);
    expect(notes.state().notes).toEqual(FIRST);
    expect(inverses(notes)).toEqual(word === "die-before" ? ["b", "b", "a"] : ["b", "a"]);
  }
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "P3: %s while the server takes its time ends undo and its server at once; the next undo looks, and sends nothing twice",
  async (signal) => {
    using notes = await twoSets();
    notes.trouble("set", "hang-after");
    const undoing = notes.start("undo");
    await until("the inverse has reached the server", () => notes.state().notes["b"] === "second");
    const servers = childrenOf(undoing.pid);
    undoing.kill(signal);
    expect(await undoing.exited).toBe(signal === "SIGINT" ? 130 : 143);
    await until("its servers have ended", () => !servers.some(isRunning));
    expect((await notes.run("list")).code).toBe(0);
    expect(stepsOf(await undo(notes))).toEqual([
      [2, "done", "not-sent"],
      [1, "restore", "undone"],
    ]);
    expect(notes.state().notes).toEqual(FIRST);
    expect(inverses(notes)).toEqual(["b", "a"]);
    await expectIntact(notes);
  },
);

test("P3: Ctrl-C at a terminal while the server takes its time ends undo with 130, and nothing is sent twice", async () => {
  using notes = await twoSets();
  notes.trouble("set", "hang-after");
  const terminal = atTerminal(notes, 'exec "$0" undo --yes', EXECUTABLE);
  await until("the inverse has reached the server", () => notes.state().notes["b"] === "second");
  terminal.type("\u0003");
  expect(await terminal.child.exited).toBe(130);
  expect((await undo(notes)).state).toBe("undone");
  expect(inverses(notes)).toEqual(["b", "a"]);
});

test("P3: an inverse that a server at a URL refuses to take is sent again, and only that; one that may have arrived isn't", async () => {
  for (const [status, sent] of [
    [429, 3],
    [503, 1],
  ] as const) {
    using notes = makeHttpNotes();
    await runOf(notes, ["set", { key: "a", value: "1" }]);
    let calls = 0;
    notes.first = ({ message }) => {
      if (message?.method !== "tools/call" || message.params.name !== "set") return undefined;
      calls++;
      return calls < 3 ? new Response("not now", { status }) : undefined;
    };
    const done = await undo(notes);
    expect([stepsOf(done), calls]).toEqual([[[1, "restore", status === 429 ? "undone" : "unknown"]], sent]);
    expect(notes.notes.get("a")).toBe(status === 429 ? "first" : "1");
  }
});

test("P3: reads that failed, were cancelled or never answered halt nothing", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  expect(textOf(await agent.call("get", { key: "none" }))).toContain("no such note");
  notes.trouble("get", "hang-before");
  agent.send({ jsonrpc: "2.0", id: 900, method: "tools/call", params: { name: "get", arguments: { key: "a" } } });
  await until("the server has the read", () => notes.received().filter(({ name }) => name === "get").length >= 3);
  agent.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 900 } });
  await agent.call("set", { key: "b", value: "2" });
  notes.trouble("list", "hang-before");
  agent.request("tools/call", { name: "list", arguments: {} }).catch(() => undefined); // nothing answers it
  await until("the server has the read", () => notes.received().some(({ name }) => name === "list"));
  await agent.crash();
  expect(await undo(notes)).toMatchObject({ state: "undone", outstanding: [], halt: null });
  expect(notes.state().notes).toEqual(FIRST);
});
