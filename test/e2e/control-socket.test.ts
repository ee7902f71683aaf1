// What can be had of a running proxy by whoever finds its control socket? Nothing that the record or the policy doesn't allow already: raw lines, as an
// agent with a shell could send them.
import { expect, test } from "bun:test";
import { Agent, textOf } from "../support/agent.ts";
import { connectRaw } from "../support/control.ts";
import { actions, runs, undo, until } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

const callsOf = (notes: NotesSandbox) => notes.received().map(({ name, args }) => [name, args["key"] ?? args["to"]].join(" "));

test("P6: nothing is changed over the control socket: no call of its own, none under the name of a read, and no step that no undo has written down", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("send", { to: "ada" });
  const [run] = await runs(notes);
  const [set, send] = await actions(notes);
  const where = { run: run?.id, server: "notes" };
  const before = [callsOf(notes), await actions(notes)];
  using control = await connectRaw(notes);
  const call = { tool: "send", name: "send", arguments: { to: "ada" } };
  for (const params of [call, { ...call, tool: "set", arguments: { key: "b", value: "x" } }, { ...call, tool: "create" }, { tool: "get" }])
    expect((await control.ask("undo/read", { ...where, ...params })).result).toMatchObject({ kind: "ended", sent: false });
  for (const undoes of [set?.id, send?.id, run?.id, "nothing", null, 7])
    expect((await control.ask("undo/inverse", { ...where, ...call, undoes })).result?.["kind"]).not.toBe("result");
  for (const method of ["tools/call", "undo/send", "initialize"])
    expect((await control.ask(method, { ...where, ...call })).error).toBeDefined();
  expect((await control.ask("undo/read", { ...where, server: "other", tool: "get", arguments: { key: "a" } })).error).toBeDefined();
  expect((await control.ask("undo/open", { run: "another" })).error).toBeDefined();
  expect([callsOf(notes), await actions(notes)]).toEqual(before);
  expect((await control.ask("undo/read", { ...where, tool: "get", arguments: { key: "a" } })).result).toMatchObject({ kind: "result" });
  await agent.end();
  expect(await agent.stderr).toContain("refused a request on the control socket");
});

test("P6: a step that an undo has written down is sent once, whoever asks, and not at all once that undo is dead", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const [run] = await runs(notes);
  const [set] = await actions(notes);
  const sets = () => callsOf(notes).filter((call) => call === "set a").length;
  notes.trouble("set", "wait-after");
  const undoing = notes.start("undo", "--live");
  await until("the inverse is at the server", () => sets() === 2);
  using control = await connectRaw(notes);
  const ask = () => control.ask("undo/inverse", { run: run?.id, server: "notes", undoes: set?.id });
  expect((await ask()).result).toEqual({ kind: "ended", why: "this step was sent already", sent: true });
  undoing.kill("SIGKILL");
  await undoing.exited;
  expect((await ask()).result).toMatchObject({ kind: "ended", sent: false });
  expect(sets()).toBe(2);
  notes.letAnswer("set");
  await agent.end();
});

test("P6: a tool that may write as well, used for snapshots, makes only the reads that were made for the run", async () => {
  using notes = makeNotes(NOTES_RULES.replace('  - { match: "notes.get", class: readonly }\n', ""));
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const [run] = await runs(notes);
  using control = await connectRaw(notes);
  const read = (key: string) => control.ask("undo/read", { run: run?.id, server: "notes", tool: "get", arguments: { key } });
  expect((await read("a")).result).toMatchObject({ kind: "result", result: { structuredContent: { key: "a", value: "1" } } });
  const before = callsOf(notes);
  expect((await read("b")).result).toMatchObject({ kind: "ended", why: "notes.get is no read" });
  expect(callsOf(notes)).toEqual(before);
  expect((await undo(notes, "--live")).state).toBe("undone");
  await agent.end();
});

test("what holds a run back ends with its connection, and lines that are no requests harm nobody", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const [run] = await runs(notes);
  {
    using control = await connectRaw(notes);
    control.say('no JSON\n[]\n{"jsonrpc":"2.0","method":"undo/open","params":{}}\n{"jsonrpc":"2.0","id":7,"method":"undo/open"}\n\n');
    expect((await control.ask("undo/open", { run: run?.id, holds: true })).result).toMatchObject({ servers: [{ name: "notes" }] });
    expect(textOf(await agent.call("set", { key: "b", value: "x" }))).toContain("an undo of what was done in this session is under way");
  }
  await until("changes pass again", async () => !(await agent.call("set", { key: "b", value: "x" })).isError);
  using control = await connectRaw(notes);
  expect(await agent.end()).toBe(0);
  await control.ended;
});
