// What does a person's word about an unknown call change? Undo goes by it from then on; while the call may be under way it isn't taken.
import { expect, test } from "bun:test";
import { Agent, crashWithServers, runOf } from "../support/agent.ts";
import { actions, expectIntact, runs, undo, until } from "../support/documents.ts";
import { edit, makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };
/** Nothing shows what became of a created note. */
const UNSEEN = NOTES_RULES.replace(/ {4}observe:.*\n/, "");

/** A run of which the last call's reply was lost with the proxy. */
async function losing(notes: NotesSandbox, tool: string, args: object, word = "hang-after"): Promise<void> {
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const sent = notes.received().length;
  notes.trouble(tool, word);
  agent.request("tools/call", { name: tool, arguments: args }).catch(() => undefined); // nothing answers it
  await until("the server has the call", () =>
    notes
      .received()
      .slice(sent)
      .some(({ name }) => name === tool),
  );
  await agent.crash();
  await notes.run("close");
}

/** Starts undo or redo and kills it once the server has got this call, which it never answers. */
async function cutOff(notes: NotesSandbox, tool: string, ...words: string[]): Promise<void> {
  const calls = () => notes.received().filter(({ name }) => name === tool).length;
  const before = calls();
  notes.trouble(tool, "hang-after");
  const undoing = notes.start(...words);
  await until("the server has the call", () => calls() > before);
  await crashWithServers(undoing.pid);
}

async function resolved(notes: NotesSandbox, ...words: readonly string[]): Promise<string> {
  const { code, err } = await notes.run("resolve", ...words, "--by", "maria");
  return `${code} ${err}`;
}

test("P4: a creation whose reply was lost halts undo until a person says what became of it", async () => {
  for (const answer of ["--applied", "--not-applied"]) {
    using notes = makeNotes();
    await losing(notes, "create", { value: "agent's" });
    const [, lost] = await actions(notes);
    expect((await undo(notes)).steps).toMatchObject([{ kind: "unknown", end: "not-sent" }, {}]);
    expect(await resolved(notes, lost?.id.slice(0, 6) ?? "", answer)).toBe("0 ");
    expect((await actions(notes, (await runs(notes)).at(-1)?.id ?? ""))[1]).toMatchObject({
      status: answer === "--applied" ? "applied" : "failed",
      reason: "resolved-by-person",
    });
    const after = await undo(notes);
    expect(after.steps.map(({ kind }) => kind)).toEqual([answer === "--applied" ? "permanent" : "skip", "restore"]);
    expect(after.outstanding).toEqual(answer === "--applied" ? [2] : []);
    expect(notes.state().notes).toEqual({ ...FIRST, n1: "agent's" });
    expect(await resolved(notes, lost?.id ?? "", answer)).toStartWith("1 ");
    await expectIntact(notes);
  }
});

test("P4: a write whose reply was lost, that a person has changed since and says happened, is still put back only by --overwrite", async () => {
  using notes = makeNotes();
  await losing(notes, "set", { key: "b", value: "2" });
  edit(notes, { b: "a person's" });
  expect((await undo(notes)).steps[0]).toMatchObject({ kind: "unknown", conflicts: [{ path: "value" }] });
  expect(await resolved(notes, (await actions(notes))[1]?.id ?? "", "--applied")).toBe("0 ");
  expect((await undo(notes)).steps[0]).toMatchObject({ kind: "conflict", reason: "post-state-missing" });
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "a person's" });
  expect((await undo(notes, "--overwrite", "2", "--yes")).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P4: a write that was lost before the server acted is seen not to have happened, without anybody's word", async () => {
  using notes = makeNotes();
  await losing(notes, "set", { key: "b", value: "2" }, "hang-before");
  expect((await undo(notes)).steps.map(({ kind, reason }) => [kind, reason])).toEqual([
    ["skip", "did-not-happen"],
    ["restore", "as-left"],
  ]);
  expect(notes.state().notes).toEqual(FIRST);
});

test("P4: a call that may be under way, one whose end is known and one that isn't there are refused", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  notes.trouble("create", "wait-after");
  const created = agent.call("create", { value: "agent's" });
  await until("the server has made it", () => notes.state().notes["n1"] !== undefined);
  const [known, open] = await actions(notes);
  expect(await resolved(notes, open?.id ?? "", "--not-applied")).toMatch(/^1 .*still going on/);
  expect(await resolved(notes, known?.id ?? "", "--not-applied")).toMatch(/^1 .*isn't unknown/);
  expect(await resolved(notes, "zzzzzz", "--applied")).toMatch(/^2 /);
  expect(await resolved(notes, open?.id ?? "")).toMatch(/^2 .*--not-applied/);
  expect(await resolved(notes, open?.id ?? "", "--applied", "--not-applied")).toMatch(/^2 /);
  notes.letAnswer("create");
  await created;
});

test("P4: a cut-off undo's step that nothing shows is resolved by a person, at that step; nothing is sent on a guess", async () => {
  for (const answer of ["--applied", "--not-applied"]) {
    using notes = makeNotes(UNSEEN);
    await runOf(notes, ["create", { value: "agent's" }]);
    const [run] = await runs(notes);
    const [created] = await actions(notes);
    await cutOff(notes, "remove", "undo");
    expect((await undo(notes)).steps).toMatchObject([{ kind: "unknown", reason: "undo-not-known", end: "not-sent" }]);
    const [step] = await actions(notes, (await runs(notes)).find(({ kind }) => kind === "undo")?.id ?? "");
    expect(await resolved(notes, created?.id ?? "", answer)).toMatch(new RegExp(`^1 .*its undo.*${step?.id}`, "s"));
    expect(await resolved(notes, step?.id ?? "", answer)).toBe("0 ");
    const [after] = await actions(notes, run?.id ?? "");
    expect(after).toMatchObject({ status: answer === "--applied" ? "undone" : "applied", reason: "resolved-by-person" });
    expect(notes.received().filter(({ name }) => name === "remove")).toHaveLength(1);
    await undo(notes, run?.id ?? "");
    expect(notes.received().filter(({ name }) => name === "remove")).toHaveLength(answer === "--applied" ? 1 : 2);
    await expectIntact(notes);
  }
});

test("P4: a redo that sent a call again and was cut off is never guessed; said to have happened, it has no way back, and that is named", async () => {
  for (const answer of ["--applied", "--not-applied"]) {
    using notes = makeNotes();
    await runOf(notes, ["create", { value: "agent's" }]);
    const [run] = await runs(notes);
    expect((await undo(notes)).state).toBe("undone");
    await cutOff(notes, "create", "redo", "--yes");
    const halted = await notes.json<{ steps: object[] }>("redo", "--yes");
    expect(halted.steps).toMatchObject([{ kind: "unknown", reason: "undo-not-known", end: "not-sent" }]);
    const [step] = await actions(notes, (await runs(notes)).findLast(({ kind }) => kind === "redo")?.id ?? "");
    expect(await resolved(notes, step?.id ?? "", answer)).toBe("0 ");
    expect(notes.state().notes).toEqual({ ...FIRST, n2: "agent's" });
    const after = await undo(notes, run?.id ?? "");
    if (answer === "--applied") expect(after).toMatchObject({ outstanding: [1], steps: [{ kind: "permanent", reason: "not-captured" }] });
    else expect(after).toMatchObject({ outstanding: [], steps: [{ kind: "done", reason: "undone-before" }] });
    await expectIntact(notes);
  }
});

test("P4: a reply that comes after the agent cancelled makes the call known", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("create", "wait-after");
  agent.send({ jsonrpc: "2.0", id: 900, method: "tools/call", params: { name: "create", arguments: { value: "agent's" } } });
  await until("the server has made it", () => notes.state().notes["n1"] !== undefined);
  agent.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 900 } });
  await agent.request("ping");
  notes.letAnswer("create");
  await until("the call is known", async () => (await actions(notes))[0]?.status === "applied");
  await agent.end();
  expect(await undo(notes)).toMatchObject({ state: "undone", steps: [{ kind: "compensate", end: "undone" }] });
  expect(notes.state().notes).toEqual(FIRST);
});
