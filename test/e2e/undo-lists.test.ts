// How is a call put back whose inverse is several calls? In order, each one in the record; what comes to nothing in the middle says how far it came,
// and is gone on with.
import { expect, test } from "bun:test";
import type { ShowDocument } from "../crash/scene.ts";
import { Agent } from "../support/agent.ts";
import { CLEAR_RULE, edit, makeNotes, type NotesSandbox } from "../support/notes.ts";

const READS = `
  - { match: "notes.get", class: readonly }
  - { match: "notes.list", class: readonly }
`;
/** Clearing all notes, and writing three of them back one by one. */
const CLEARING = `${READS}
${CLEAR_RULE}`;
/** The same, for each that was there. */
const EACH = `${READS}
  - match: "notes.clear"
    class: compensable
    inverse: { for_each: "$result.cleared[]", tool: "notes.set", args: { key: "$item.key", value: "$item.value" } }
    resource: "notes"
`;
/** Writing one note, with two put back. */
const PAIR = (second: string) => `${READS}
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.list", absent_when: ["nothing"] }
    inverse:
      - { tool: "notes.set", args: { key: a, value: "$snapshot.notes.a" } }
      - { tool: "notes.set", args: { key: b, value: "${second}" } }
    resource: "notes"
`;

interface UndoDocument {
  readonly run: string;
  readonly state: string;
  readonly undoRun: string;
  readonly steps: {
    kind: string;
    reason: string;
    end: string | null;
    endDetail: string | null;
    inverses: { tool: string; args: object }[];
    inverse: object | null;
    done: number;
  }[];
}

const THREE = { a: "first", b: "second", c: "third" };

async function run(notes: NotesSandbox, tool: string, args: Record<string, string> = {}): Promise<void> {
  await using agent = await Agent.start(notes);
  await agent.call(tool, args);
}

/** The calls of a tool since so many, as the server got them. */
function sent(notes: NotesSandbox, tool: string, from = 0): object[] {
  const calls = notes.received().filter(({ name }) => name === tool);
  return calls.slice(from).map(({ args }) => args);
}

const SETS = Object.entries(THREE).map(([key, value]) => ({ key, value }));

test("P3: several calls put a call back in order, each in the record as an action of the undo, and it is read back", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  expect(notes.state().notes).toEqual({});
  const done = await notes.json<UndoDocument>("undo");
  expect(done).toMatchObject({ state: "undone", steps: [{ kind: "restore", end: "undone", done: 0, inverse: { args: { key: "a" } } }] });
  expect(done.steps[0]?.inverses.map(({ args }) => args)).toEqual(SETS);
  expect(sent(notes, "set")).toEqual(SETS);
  expect(notes.state().notes).toEqual(THREE);
  const { actions } = await notes.json<ShowDocument>("show", done.undoRun);
  expect(actions.map(({ tool, status, args }) => [tool, status, args])).toEqual(SETS.map((args) => ["set", "applied", args]));
});

test("P3: what several calls put back is done again by the agent's call, and can be undone again", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  await notes.json("undo");
  expect(await notes.json<UndoDocument>("redo", "--yes")).toMatchObject({
    state: "undone",
    steps: [{ reason: "sent-again", end: "undone" }],
  });
  expect(notes.state().notes).toEqual({});
  expect(sent(notes, "clear")).toHaveLength(2);
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ state: "undone" });
  expect(notes.state().notes).toEqual(THREE);
  expect(sent(notes, "set")).toEqual([...SETS, ...SETS]);
  expect(await notes.json<UndoDocument>("redo", "--yes")).toMatchObject({ state: "undone" });
  expect(notes.state().notes).toEqual({});
});

test("P3: where the second of three calls is refused, undo halts, says how far it came, and goes on with the rest when it is called again", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  notes.trouble("set", "normal error-before");
  const halted = await notes.json<UndoDocument>("undo");
  expect(halted).toMatchObject({ state: "partial", steps: [{ end: "stuck" }] });
  expect(halted.steps[0]?.endDetail).toStartWith("1 of 3 calls done, then notes.set:");
  expect(notes.state().notes).toEqual({ a: "first" });
  const plan = await notes.run("undo", "--dry-run");
  expect(plan.out).toContain("1 of its 3 calls is done already");
  const done = await notes.json<UndoDocument>("undo");
  expect(done).toMatchObject({ state: "undone", steps: [{ kind: "restore", done: 1, end: "undone" }] });
  expect(sent(notes, "set")).toEqual([SETS[0], SETS[1], SETS[1], SETS[2]] as object[]);
  expect(notes.state().notes).toEqual(THREE);
  expect(await notes.json<UndoDocument>("redo", "--yes")).toMatchObject({ state: "undone" });
  expect(notes.state().notes).toEqual({});
});

test("P3: what a person wrote since over what the first calls had put back stays, like what they wrote elsewhere", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  notes.trouble("set", "normal error-before");
  await notes.json("undo");
  edit(notes, { a: "a person's", d: "theirs" });
  // What is put back of a is now somebody's: only b and c are still to come.
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ steps: [{ done: 1, end: "undone" }] });
  expect(notes.state().notes).toEqual({ ...THREE, a: "a person's", d: "theirs" });
});

test("P3: what a person wrote where a call is still to come is a conflict, and nothing is sent", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  notes.trouble("set", "normal error-before");
  await notes.json("undo");
  edit(notes, { b: "a person's" });
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({
    state: "partial",
    steps: [{ kind: "conflict", reason: "changed-since" }],
  });
  expect(sent(notes, "set")).toHaveLength(2);
  expect(notes.state().notes).toEqual({ a: "first", b: "a person's" });
});

test("a call is made for each element of a list; the plan shows them all", async () => {
  using notes = makeNotes(EACH, ["--clear"]);
  await run(notes, "clear");
  const plan = await notes.run("undo", "--dry-run");
  expect(plan.out).toContain('sends notes.set {"key":"a","value":"first"}');
  expect(plan.out).toContain('then notes.set {"key":"c","value":"third"}');
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ state: "undone", steps: [{ kind: "compensate" }] });
  expect(sent(notes, "set")).toEqual(SETS);
});

test("where the list has no elements, no call is made, and the plan says so", async () => {
  using notes = makeNotes(EACH, ["--clear"]);
  notes.setState({ next: 1, notes: {}, sent: [] });
  await run(notes, "clear");
  const plan = await notes.run("undo", "--dry-run");
  expect(plan.out).toContain("there was nothing that would have to be put back");
  const done = await notes.json<UndoDocument>("undo");
  expect(done).toMatchObject({ state: "undone", steps: [{ kind: "done", reason: "no-call", inverse: null, inverses: [] }] });
  expect(sent(notes, "set")).toEqual([]);
});

test("P3: a merged state goes into all of the calls that read what was there", async () => {
  using notes = makeNotes(PAIR("$snapshot.notes.b"));
  await run(notes, "set", { key: "a", value: "the agent's" });
  edit(notes, { b: "a person's" });
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ state: "undone", steps: [{ kind: "merge" }] });
  expect(notes.state().notes).toEqual({ a: "first", b: "a person's", c: "third" });
  expect(sent(notes, "set", 1)).toEqual([
    { key: "a", value: "first" },
    { key: "b", value: "a person's" },
  ]);
});

test("P3: a later call has in it what is there when it is its turn", async () => {
  using notes = makeNotes(PAIR("a is $current.notes.a"));
  await run(notes, "set", { key: "a", value: "the agent's" });
  await notes.json<UndoDocument>("undo");
  expect(sent(notes, "set", 1)).toEqual([
    { key: "a", value: "first" },
    { key: "b", value: "a is first" },
  ]);
});

test("P4: of a call in the middle whose reply is lost a person says what became of it, and the rest is made after that", async () => {
  using notes = makeNotes(EACH, ["--clear"]);
  await run(notes, "clear");
  notes.trouble("set", "normal die-after");
  const halted = await notes.json<UndoDocument>("undo");
  expect(halted).toMatchObject({ state: "partial", steps: [{ end: "unknown" }] });
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ steps: [{ kind: "unknown", reason: "undo-not-known" }] });
  expect(sent(notes, "set")).toHaveLength(2);
  const { actions } = await notes.json<{ actions: { id: string; status: string }[] }>("show", halted.undoRun);
  const open = actions.find(({ status }) => status === "unknown");
  expect((await notes.run("resolve", open?.id ?? "", "--applied")).code).toBe(0);
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ state: "undone", steps: [{ end: "undone", done: 2 }] });
  expect(sent(notes, "set")).toEqual(SETS);
  expect(notes.state().notes).toEqual(THREE);
});

test("P3: two undos at once make each of several calls once", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  await Promise.all([notes.run("undo"), notes.run("undo")]);
  expect(sent(notes, "set")).toEqual(SETS);
  expect(notes.state().notes).toEqual(THREE);
});

test("P3: while the agent is connected, several calls go through its session, one after the other", async () => {
  using notes = makeNotes(CLEARING, ["--clear", "--idempotent"]);
  await using agent = await Agent.start(notes);
  await agent.call("clear", {});
  expect(await notes.json<UndoDocument>("undo", "--live")).toMatchObject({ state: "undone", steps: [{ end: "undone" }] });
  expect(sent(notes, "set")).toEqual(SETS);
  expect(notes.state().notes).toEqual(THREE);
});

test("P3: what was begun by the recorded calls is ended by them, whatever today's policy says", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  notes.trouble("set", "normal error-before");
  await notes.run("undo");
  notes.setRules(CLEARING.replace('key: b, value: "$snapshot.notes.b"', 'key: z, value: "$snapshot.notes.b"'));
  expect(await notes.json<UndoDocument>("undo", "--replan")).toMatchObject({ state: "undone" });
  expect(notes.state().notes).toEqual(THREE);
});

test("show says of each of several calls which one it is, and of what they put back only what came of it", async () => {
  using notes = makeNotes(CLEARING, ["--clear"]);
  await run(notes, "clear");
  notes.trouble("set", "normal error-before");
  const { undoRun, run: cleared } = await notes.json<UndoDocument>("undo");
  expect((await notes.run("show", undoRun)).out).toContain(": call 1 of 3");
  await notes.json("undo");
  const told = (await notes.run("show", cleared)).out;
  expect(told).toContain("made call 1 of the 3 that put it back");
  expect(told.match(/put back by/g)).toHaveLength(1);
});

test.each([
  ["inverse: []", "`inverse` must not be empty"],
  ['inverse: [{ tool: "notes.set", for_each: "all" }]', "`for_each` must be a single reference to a list"],
  ['inverse: { tool: "notes.set", args: { key: "$item.key" } }', "`$item.key`: only within `for_each` is there an `$item`"],
  ['inverse: { for_each: "$snapshot.notes[]", tool: "notes.set" }', "the rule declares no `snapshot`"],
])("%s is told with its place", async (inverse, what) => {
  using notes = makeNotes(`${READS}\n  - match: "notes.create"\n    class: compensable\n    ${inverse}\n`);
  const checked = await notes.run("check");
  expect(checked.code).toBe(2);
  expect(checked.out + checked.err).toMatch(/synartesis\.yaml:\d+:\d+/);
  expect(checked.out + checked.err).toContain(what);
});
