// Is an undo itself undone, again and again, in processes of their own? After each redo the world is as the agent left it, after each undo as it
// was before; what people did in between is kept, and nothing is called done again that isn't.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runOf } from "../support/agent.ts";
import { actions, expectIntact, runs, stepsOf, type UndoDocument, undo, until } from "../support/documents.ts";
import { edit, makeNotes, NOTES_RULES, type NotesSandbox, REMOVE_RULE } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

function redo(notes: NotesSandbox, ...words: readonly string[]): Promise<UndoDocument> {
  return notes.json<UndoDocument>("redo", ...words);
}

test("P3: undo, redo, undo, redo: each takes back the one before, in processes of their own", async () => {
  using notes = makeNotes(NOTES_RULES + REMOVE_RULE);
  await runOf(notes, ["set", { key: "a", value: "1" }], ["remove", { key: "b" }], ["set", { key: "a", value: "2" }]);
  const left = notes.state().notes;
  const [run] = await runs(notes);
  for (let round = 0; round < 3; round++) {
    expect(await undo(notes)).toMatchObject({ run: run?.id, state: "undone", outstanding: [] });
    expect(notes.state().notes).toEqual(FIRST);
    expect((await actions(notes, run?.id ?? "")).map(({ status }) => status)).toEqual(["undone", "undone", "undone"]);
    const done = await redo(notes, "--yes"); // nothing says how a note that `set` made is unmade: it is removed again
    expect(done).toMatchObject({ state: "undone", outstanding: [] });
    expect(done.steps.map(({ kind, end }) => [kind, end])).toEqual(Array(3).fill(["restore", "undone"]));
    expect(notes.state().notes).toEqual(left);
    expect((await actions(notes, run?.id ?? "")).map(({ status, reason }) => [status, reason])).toEqual(
      Array(3).fill(["applied", "redone"]),
    );
  }
  const states = (await runs(notes)).map(({ kind, state }) => [kind, state]);
  expect(states).toEqual([
    ...Array(3)
      .fill([
        ["redo", "ended"],
        ["undo", "undone"],
      ])
      .flat(),
    ["agent", "ended"],
  ]);
  const nothing = await notes.run("redo");
  expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining("no undo that could be undone")]);
  expect((await notes.run("list")).code).toBe(0);
  for (const { id } of await runs(notes)) expect((await notes.run("show", id)).code).toBe(0);
  await expectIntact(notes);
});

test("P3: a server that carries out no call twice doesn't take the undo after a redo for the first one", async () => {
  using notes = makeNotes(NOTES_RULES, ["--idempotent"]);
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  for (let round = 0; round < 3; round++) {
    expect((await undo(notes)).state).toBe("undone");
    expect((await redo(notes)).state).toBe("undone");
  }
  expect(notes.state().notes["a"]).toBe("1");
});

test("P3: redo of a removal whose tool has no way back sends the creation again, after asking; undo then removes the new record", async () => {
  using notes = makeNotes();
  await runOf(notes, ["create", { value: "agent's" }]);
  expect((await undo(notes)).state).toBe("undone");
  const unasked = await notes.run("redo");
  expect([unasked.code, unasked.err]).toEqual([1, expect.stringContaining("--yes")]);
  expect(notes.state().notes).toEqual(FIRST);
  expect((await redo(notes, "--yes")).steps).toMatchObject([{ kind: "compensate", reason: "sent-again", end: "undone", verified: false }]);
  expect(notes.state().notes).toEqual({ ...FIRST, n2: "agent's" });
  expect((await undo(notes)).steps).toMatchObject([{ kind: "compensate", end: "undone", verified: true }]);
  expect(notes.state().notes).toEqual(FIRST);
  await expectIntact(notes);
});

test("P3: what is sent again is compared by the words and ignored paths of its own rule", async () => {
  using notes = makeNotes(REMOVE_RULE); // nothing is known of what `set` does
  await runOf(notes, ["remove", { key: "a" }]);
  expect((await undo(notes)).state).toBe("undone");
  expect((await redo(notes, "--yes")).steps).toMatchObject([{ kind: "restore", reason: "sent-again", end: "undone", verified: true }]);
  expect(Object.keys(notes.state().notes)).toEqual(["b", "c"]);
  expect((await undo(notes)).state).toBe("undone");
  edit(notes, { a: "a person's" });
  expect((await redo(notes, "--yes")).steps).toMatchObject([{ kind: "conflict", end: "not-sent" }]);
  edit(notes, { a: undefined });
  expect((await redo(notes, "--yes")).steps).toMatchObject([{ kind: "done", end: "not-sent" }]);
});

test("P3: a change to a record that is made anew under another name isn't called done again", async () => {
  using notes = makeNotes();
  await runOf(notes, ["create", { value: "agent's" }], ["set", { key: "n1", value: "changed" }]);
  const { run, state } = await undo(notes);
  expect(state).toBe("undone");
  const done = await redo(notes, "--yes");
  expect(notes.state().notes).toEqual({ ...FIRST, n2: "agent's" });
  expect(done.steps.map(({ reason }) => reason)).toEqual(["sent-again", "deleted-since"]);
  expect((await actions(notes, run)).map(({ status }) => status)).toEqual(["applied", "undone"]);
  expect((await runs(notes)).find(({ id }) => id === run)?.state).toBe("partial");
  expect(stepsOf(await undo(notes))).toEqual([
    [2, "done", "not-sent"],
    [1, "compensate", "undone"],
  ]);
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: what a person wrote after the undo is kept: redo halts, and goes on once that is settled", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }], ["set", { key: "b", value: "2" }]);
  expect((await undo(notes)).state).toBe("undone");
  edit(notes, { b: "a person's" });
  const halted = await redo(notes);
  expect(halted).toMatchObject({ state: "partial", outstanding: [1] });
  expect(halted.steps.map(({ kind, end }) => [kind, end])).toEqual([
    ["restore", "undone"],
    ["conflict", "not-sent"],
  ]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "a person's" });
  edit(notes, { b: "second" });
  expect((await redo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "2" });
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: a part of an undo is redone, the rest later", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }], ["set", { key: "b", value: "2" }], ["set", { key: "c", value: "3" }]);
  const undone = await undo(notes);
  expect((await redo(notes, "--only", "2")).outstanding).toEqual([1, 3]);
  expect(notes.state().notes).toEqual({ ...FIRST, b: "2" });
  expect((await undo(notes)).state).toBe("undone");
  expect((await redo(notes, undone.undoRun ?? "")).state).toBe("undone");
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", c: "3" });
  expect((await redo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "1", b: "2", c: "3" });
});

test("P3: a step of an undo that redo is to skip stays undone, and redo typed again goes one undo further back", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  await runOf(notes, ["set", { key: "b", value: "2" }]);
  for (let run = 0; run < 2; run++) expect((await undo(notes)).state).toBe("undone");
  expect(await redo(notes, "--skip", "1")).toMatchObject({ outstanding: [1] });
  expect(notes.state().notes).toEqual(FIRST);
  expect((await redo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ ...FIRST, b: "2" });
  expect((await notes.run("redo")).code).toBe(2);
});

test("P3: three redos at once send each call once, and together do everything again", async () => {
  using notes = makeNotes();
  await runOf(
    notes,
    ["set", { key: "a", value: "1" }],
    ...Array.from({ length: 5 }, (_, made) => ["create", { value: `${made}` }] as const),
  );
  const undone = await undo(notes);
  const sent = notes.received().length;
  await Promise.all([1, 2, 3].map(() => notes.run("redo", undone.undoRun ?? "", "--yes")));
  const calls = notes.received().slice(sent);
  expect(
    calls
      .filter(({ name }) => name === "create")
      .map(({ args }) => args["value"])
      .toSorted(),
  ).toEqual(["0", "1", "2", "3", "4"]);
  expect(calls.filter(({ name }) => name === "set")).toHaveLength(1);
  expect((await actions(notes, undone.run)).map(({ status }) => status)).toEqual(Array(6).fill("applied"));
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
  await expectIntact(notes);
});

test("P3: an undo across runs is redone as one, each call by the policy of its own run, and its runs can be undone anew", async () => {
  using notes = makeNotes();
  await runOf(notes, ["create", { value: "one's" }], ["set", { key: "a", value: "1" }]);
  notes.setRules(NOTES_RULES.replace(/ {2}- match: "notes.create"[\s\S]*?(?= {2}- match)/, ""));
  await runOf(notes, ["set", { key: "a", value: "2" }], ["set", { key: "b", value: "3" }]);
  expect(await undo(notes, "--since", "1h", "--all-runs")).toMatchObject({ state: "undone", run: null });
  expect(notes.state().notes).toEqual(FIRST);
  expect(await redo(notes, "--yes")).toMatchObject({ state: "undone" });
  expect(notes.state().notes).toEqual({ ...FIRST, n2: "one's", a: "2", b: "3" });
  expect((await runs(notes)).filter(({ kind }) => kind === "agent").map(({ state }) => state)).toEqual(["ended", "ended"]);
  for (let run = 0; run < 2; run++) expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
  await expectIntact(notes);
});

test("P3: runs that used different servers by one name are not undone as one", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  using other = makeNotes();
  notes.write("synartesis.yaml", readFileSync(join(other.folder, "synartesis.yaml")));
  await runOf(notes, ["set", { key: "a", value: "2" }]);
  const refused = await notes.run("undo", "--since", "1h", "--all-runs");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("different servers by the name of notes")]);
  for (let run = 0; run < 2; run++) expect((await undo(notes)).state).toBe("undone");
  expect([notes.state().notes, other.state().notes]).toEqual([FIRST, FIRST]);
});

test("undo of an undo or of a redo by its id is refused, and so is redo of a run; each names the way", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  const undone = await undo(notes);
  const redone = await redo(notes);
  const asked = async (...words: string[]) => (await notes.run(...words)).err;
  expect(await asked("undo", undone.undoRun ?? "")).toContain("redo undoes it");
  expect(await asked("undo", redone.undoRun ?? "")).toContain("itself a redo");
  expect(await asked("redo", undone.run)).toContain("is no undo");
  expect(await asked("redo", redone.undoRun ?? "")).toContain("is no undo");
});

test("P3: a redo that comes to nothing leaves the undo, and the record of it, as they were", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  const undone = await undo(notes);
  const before = await runs(notes);
  edit(notes, { a: "a person's" });
  expect((await redo(notes)).steps).toMatchObject([{ kind: "conflict", end: "not-sent" }]);
  expect(await runs(notes)).toEqual(before);
  expect((await actions(notes, undone.undoRun ?? "")).map(({ status }) => status)).toEqual(["applied"]);
  edit(notes, { a: "first" });
  expect((await redo(notes)).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("1");
});

test("P3: an undo that is at work can't be redone", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }], ["set", { key: "b", value: "2" }]);
  notes.trouble("set", "normal wait-after");
  const undoing = notes.start("undo", "--json");
  await until("the second inverse lands", () => notes.state().notes["a"] === "first");
  const refused = await notes.run("redo", "--yes");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("still at work")]);
  notes.letAnswer("set");
  expect((JSON.parse(await undoing.stdout.text()) as UndoDocument).state).toBe("undone");
  expect((await redo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "1", b: "2", c: "third" });
});
