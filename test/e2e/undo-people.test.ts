// What if undo isn't alone: people edit, a second undo runs, the undo itself is cut off? Nobody's newer work is lost, and nothing is sent twice.
import { expect, test } from "bun:test";
import { Agent, crashWithServers, runOf } from "../support/agent.ts";
import { actions, expectIntact, runs, stepsOf, type UndoDocument, undo, until, untilCaptured } from "../support/documents.ts";
import { edit, makeNotes, NOTES_RULES, type NotesSandbox, REMOVE_RULE } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

/** The changing calls that reached the server. */
function changes(notes: NotesSandbox): readonly { name: string; args: Record<string, string> }[] {
  return notes.received().filter(({ name }) => name !== "get");
}

test("P3: what a person wrote into a record that the agent created is kept, and undo halts", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("create", { value: "agent's" });
  await agent.end();
  edit(notes, { n1: "a person's" });
  const done = await undo(notes);
  expect(stepsOf(done).slice(0, 1)).toEqual([[2, "conflict", "not-sent"]]);
  expect(done.steps[0]?.conflicts).toEqual([{ path: "value", before: null, left: "agent's", now: "a person's" }]);
  expect(done.state).toBe("partial");
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", n1: "a person's" });
  // The person takes the edit back: undo goes on from there.
  edit(notes, { n1: "agent's" });
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: a record that the agent created and a person has deleted stays deleted, without a call", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("create", { value: "agent's" });
  await agent.end();
  edit(notes, { n1: undefined });
  expect(stepsOf(await undo(notes))).toEqual([[1, "done", "not-sent"]]);
  expect(changes(notes)).toHaveLength(1);
});

test("P3: a record that the agent deleted and a person made anew is kept, and undo halts", async () => {
  using notes = makeNotes(NOTES_RULES + REMOVE_RULE);
  const agent = await Agent.start(notes);
  await agent.call("remove", { key: "a" });
  await agent.end();
  edit(notes, { a: "a person's" });
  const done = await undo(notes);
  expect(stepsOf(done)).toEqual([[1, "conflict", "not-sent"]]);
  expect(done.steps[0]?.conflicts).toMatchObject([{ before: { value: "first" }, left: null, now: { value: "a person's" } }]);
  expect(notes.state().notes["a"]).toBe("a person's");
  edit(notes, { a: "first" });
  expect(stepsOf(await undo(notes))).toEqual([[1, "done", "not-sent"]]);
  expect(changes(notes)).toHaveLength(1);
});

test("P3: a record that the agent changed and a person has deleted isn't made anew", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  edit(notes, { a: undefined });
  expect(stepsOf(await undo(notes))).toEqual([[1, "done", "not-sent"]]);
  expect(Object.keys(notes.state().notes)).toEqual(["b", "c"]);
});

test("P3: what was deleted when it was to be put back, and is there again, is somebody's, and only put back over by a person's word", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  edit(notes, { a: undefined });
  // It is known by an error alone: a person sees whether that says so.
  expect((await notes.run("undo", "--dry-run")).out).toContain("known by the server's words:");
  const gone = await undo(notes);
  expect(gone).toMatchObject({ state: "undone", steps: [{ kind: "done", reason: "deleted-since" }] });
  expect((await undo(notes, gone.run)).steps).toMatchObject([{ kind: "done", reason: "deleted-since" }]);
  for (const again of ["1", "a person's"]) {
    edit(notes, { a: again });
    expect((await undo(notes, gone.run)).steps).toMatchObject([{ kind: "done", reason: "deleted-since" }]);
    expect(notes.state().notes["a"]).toBe(again);
  }
  edit(notes, { a: "1" });
  expect((await undo(notes, gone.run, "--overwrite", "1", "--yes")).steps).toMatchObject([{ kind: "restore", end: "undone" }]);
  expect(notes.state().notes).toEqual(FIRST);
  await expectIntact(notes);
});

test("P3: an edit made between the plan and its step is kept", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("set", { key: "b", value: "2" });
  await agent.end();
  notes.trouble("set", "wait-after");
  const undoing = notes.start("undo", "--json");
  await until("the first inverse lands", () => notes.state().notes["b"] === "second");
  edit(notes, { a: "a person's" });
  notes.letAnswer("set");
  const done = JSON.parse(await undoing.stdout.text()) as UndoDocument;
  expect(stepsOf(done)).toEqual([
    [2, "restore", "undone"],
    [1, "conflict", "not-sent"],
  ]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "a person's" });
});

test("P3: an edit made after a step was looked at, while the one before it isn't over, is kept: it is looked at again", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("set", { key: "b", value: "2" });
  await agent.end();
  const reads = () => notes.received().filter(({ name }) => name === "get");
  notes.trouble("set", "wait-after");
  const undoing = notes.start("undo", "--json");
  await until("the first inverse lands", () => notes.state().notes["b"] === "second");
  const before = reads().length;
  notes.trouble("get", "wait-after"); // the read-back
  notes.letAnswer("set");
  await until("the look of the second step", () => reads().length === before + 2);
  const looked = performance.now();
  await until("that look to be old", () => performance.now() > looked + 100);
  edit(notes, { a: "a person's" });
  notes.letAnswer("get");
  const done = JSON.parse(await undoing.stdout.text()) as UndoDocument;
  expect(
    reads()
      .slice(before)
      .map(({ args }) => args["key"]),
  ).toEqual(["b", "a", "a"]);
  expect(stepsOf(done)).toEqual([
    [2, "restore", "undone"],
    [1, "conflict", "not-sent"],
  ]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "a person's" });
});

test("P3: two undos of one run at once send each inverse once, and together put everything back", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  for (const key of ["a", "b", "c"]) await agent.call("set", { key, value: `${key}1` });
  for (let made = 0; made < 12; made++) await agent.call("create", { value: `${made}` });
  await agent.end();
  const [run] = await runs(notes);
  const sent = changes(notes).length;
  const ends = await Promise.all([1, 2, 3].map(() => notes.run("undo", run?.id ?? "", "--json")));
  const documents = ends.map(({ out }) => JSON.parse(out) as UndoDocument);
  expect(changes(notes).length - sent).toBe(15);
  expect(
    new Set(
      changes(notes)
        .slice(sent)
        .map((call) => JSON.stringify(call)),
    ).size,
  ).toBe(15);
  expect(notes.state().notes).toEqual(FIRST);
  expect(documents.map(({ state }) => state)).toContain("undone");
  const undone = documents.flatMap(({ steps }) => steps.filter(({ end }) => end === "undone").map(({ seq }) => seq));
  expect(undone.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  expect((await runs(notes)).find(({ id }) => id === run?.id)?.state).toBe("undone");
  await expectIntact(notes);
});

test("P3: while one undo is at a step, a second one leaves that step alone and says so", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  notes.trouble("set", "wait-after");
  const first = notes.start("undo", "--json");
  await until("the first inverse lands", () => notes.state().notes["a"] === "first");
  const [run] = await runs(notes).then((all) => all.filter(({ kind }) => kind === "agent"));
  const second = await undo(notes, run?.id ?? "");
  expect(second.steps).toMatchObject([{ kind: "unknown", reason: "still-running", end: "not-sent" }]);
  notes.letAnswer("set");
  expect((JSON.parse(await first.stdout.text()) as UndoDocument).state).toBe("undone");
  expect(changes(notes)).toHaveLength(2);
});

for (const [word, kind] of [
  ["hang-after", "done"],
  ["hang-before", "restore"],
] as const) {
  test(`P3: an undo killed in the middle of a step (${word}) is taken up again without sending twice on a guess`, async () => {
    using notes = makeNotes();
    const agent = await Agent.start(notes);
    await agent.call("set", { key: "a", value: "1" });
    await agent.call("set", { key: "b", value: "2" });
    await agent.end();
    const sent = changes(notes).length;
    notes.trouble("set", word);
    const undoing = notes.start("undo");
    await until("the server has the first inverse", () => changes(notes).length === sent + 1);
    await crashWithServers(undoing.pid);
    const done = await undo(notes);
    expect(done.steps.map(({ seq, kind: judged }) => [seq, judged])).toEqual([
      [2, kind],
      [1, "restore"],
    ]);
    expect(done.state).toBe("undone");
    expect(notes.state().notes).toEqual(FIRST);
    const inverses = changes(notes).slice(sent);
    expect(inverses.filter(({ args }) => args["key"] === "b")).toHaveLength(kind === "done" ? 1 : 2);
    expect(inverses.filter(({ args }) => args["key"] === "a")).toHaveLength(1);
    expect((await actions(notes, done.run)).map(({ status }) => status)).toEqual(["undone", "undone"]);
    await expectIntact(notes);
  });
}

test("P3: an inverse that the server refuses changes nothing, halts undo, and can be tried again", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("set", { key: "b", value: "2" });
  await agent.end();
  notes.trouble("set", "error-before");
  const refused = await undo(notes);
  expect(stepsOf(refused)[0]).toEqual([2, "restore", "refused"]);
  expect(refused).toMatchObject({ state: "partial", outstanding: [1, 2] });
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "2" });
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: what another agent wrote since is kept: its run has to be undone first", async () => {
  using notes = makeNotes();
  await using first = await Agent.start(notes);
  await first.call("set", { key: "a", value: "1" });
  await untilCaptured(notes);
  await using second = await Agent.start(notes);
  await second.call("set", { key: "a", value: "2" });
  await first.call("set", { key: "b", value: "3" });
  await Promise.all([first.end(), second.end()]);
  const [later, earlier] = await runs(notes);
  const tooEarly = await undo(notes, earlier?.id ?? "");
  expect(stepsOf(tooEarly)).toEqual([
    [2, "restore", "undone"],
    [1, "conflict", "not-sent"],
  ]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "2" });
  expect((await undo(notes, later?.id ?? "")).state).toBe("undone");
  expect((await undo(notes, earlier?.id ?? "")).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
  await expectIntact(notes);
});

test("P3: the dry run foresees what undo does with a thing that somebody deleted, and with one of which a part is undone", async () => {
  using notes = makeNotes();
  const sets = ["1", "2", "3"].map((value) => ["set", { key: "a", value }] as const);
  await runOf(notes, ...sets);
  expect((await undo(notes, "--only", "3")).outstanding).toEqual([1, 2]);
  const kinds = async (...words: string[]) => (await undo(notes, ...words)).steps.map(({ kind }) => kind);
  expect(await kinds("--dry-run")).toEqual(["done", "restore", "restore"]);
  edit(notes, { a: undefined });
  expect(await kinds("--dry-run")).toEqual(["done", "done", "done"]);
  expect((await undo(notes)).state).toBe("undone");
  expect(Object.keys(notes.state().notes)).toEqual(["b", "c"]);
});

test("P3: what is gone was deleted by a later call that stands only if that call may have done it", async () => {
  for (const [later, kind] of [
    [["set", { key: "a", value: "2" }], "done"],
    [["remove", { key: "a" }], "conflict"],
  ] as const) {
    using notes = makeNotes(NOTES_RULES + REMOVE_RULE);
    await runOf(notes, ["set", { key: "a", value: "1" }], later);
    edit(notes, { a: undefined });
    for (const words of [["--dry-run"], []]) expect((await undo(notes, "--skip", "2", ...words)).steps[1]).toMatchObject({ kind });
    expect(Object.keys(notes.state().notes)).toEqual(["b", "c"]);
  }
});
