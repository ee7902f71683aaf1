// Is a saved plan carried out exactly as it was read, once, where it was made, and not at all where anything it saw is another by now?
import { expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { runOf } from "../support/agent.ts";
import { actions, expectIntact, runs, stepsOf, type UndoDocument, undo } from "../support/documents.ts";
import { edit, makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

/** A run that set a and b, with its plan saved as plan.json. */
async function planned(...words: readonly string[]): Promise<NotesSandbox> {
  const notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }], ["set", { key: "b", value: "2" }]);
  expect((await notes.run("undo", "--out", "plan.json", ...words)).code).toBe(0);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "2" });
  return notes;
}

test("P3: a saved plan is for its owner's eyes only, and is carried out once", async () => {
  using notes = await planned();
  expect(statSync(join(notes.folder, "plan.json")).mode & 0o777).toBe(0o600);
  const done = await undo(notes, "--plan", "plan.json");
  expect(done.state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
  expect((await notes.run("redo")).code).toBe(0);
  const again = await notes.run("undo", "--plan", "plan.json");
  expect([again.code, again.err]).toEqual([1, expect.stringContaining(`carried out before, by run ${done.undoRun}`)]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "2" });
  await expectIntact(notes);
});

test("P3: a plan is refused where what it saw is another by now, naming the step, and sends nothing", async () => {
  using notes = await planned();
  edit(notes, { a: "a person's" });
  const stale = await notes.run("undo", "--plan", "plan.json");
  expect([stale.code, stale.err]).toEqual([1, expect.stringContaining("stale: step 1 is another by now")]);
  expect(notes.state().notes).toEqual({ a: "a person's", b: "2", c: "third" });
  edit(notes, { a: "1" });
  expect((await undo(notes, "--plan", "plan.json")).state).toBe("undone");
});

test("P3: a plan that another undo has overtaken is refused", async () => {
  using notes = await planned();
  expect((await undo(notes, "--only", "2")).state).toBe("partial");
  const stale = await notes.run("undo", "--plan", "plan.json");
  expect([stale.code, stale.err]).toEqual([1, expect.stringContaining("step 2 is another by now")]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1" });
});

test("P3: two processes that carry out one plan at once do it once", async () => {
  using notes = await planned();
  const ends = await Promise.all([1, 2, 3].map(() => notes.run("undo", "--plan", "plan.json")));
  expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 1, 1]);
  expect(notes.state().notes).toEqual(FIRST);
  expect(notes.received().filter(({ name }) => name === "set")).toHaveLength(4);
  expect((await runs(notes)).filter(({ kind }) => kind === "undo")).toHaveLength(1);
});

test("P3: a plan of another journal is refused", async () => {
  using notes = await planned();
  const elsewhere = await notes.run("undo", "--plan", "plan.json", "--journal", "other.db");
  expect(elsewhere.code).not.toBe(0);
  using other = await planned();
  other.write("plan.json", readFileSync(join(notes.folder, "plan.json")));
  const refused = await other.run("undo", "--plan", "plan.json");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("another journal")]);
  expect(other.state().notes).toEqual({ ...FIRST, a: "1", b: "2" });
});

test.each<[string, (plan: Record<string, unknown>) => unknown]>([
  ["asks for less", (plan) => ({ ...plan, request: { ...(plan["request"] as object), selection: { only: ["1"], dependents: "alone" } } })],
  ["overwrites", (plan) => ({ ...plan, request: { ...(plan["request"] as object), overwrite: ["1"] } })],
  ["shows something else", (plan) => ({ ...plan, plan: {} })],
  ["has no request", (plan) => ({ ...plan, request: {} })],
  ["has marks that are none", (plan) => ({ ...plan, marks: [null, 1] })],
  ["has another id", (plan) => ({ ...plan, id: "another" })],
  ["is for redo", (plan) => ({ ...plan, kind: "redo" })],
  ["is of a later version", (plan) => ({ ...plan, version: 2 })],
  ["is a list", () => []],
  ["is a text", () => "plan"],
])("P3: a plan that somebody changed so that it %s is refused in plain words, and sends nothing", async (_, change) => {
  using notes = await planned();
  const file = join(notes.folder, "plan.json");
  notes.write("plan.json", JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>)));
  const refused = await notes.run("undo", "--plan", "plan.json", "--yes");
  expect([1, 2]).toContain(refused.code);
  expect(refused.err).toStartWith("synartesis: ");
  expect(refused.err).not.toContain("TypeError");
  expect(refused.err).not.toContain("bug");
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "2" });
});

test("a plan that isn't there, can't be written or would replace a file is refused in plain words", async () => {
  using notes = await planned();
  const asked = async (...words: string[]) => {
    const { code, err } = await notes.run("undo", ...words);
    expect(err).toStartWith("synartesis: ");
    return [code, err];
  };
  expect(await asked("--plan", "none.json")).toEqual([2, expect.stringContaining("none.json")]);
  expect(await asked("--out", "plan.json")).toEqual([2, expect.stringContaining("exists already")]);
  expect(await asked("--out", "notes.json/plan.json")).toEqual([expect.any(Number), expect.stringContaining("notes.json/plan.json")]);
  expect(await asked("--plan", "plan.json", "--only", "1")).toEqual([2, expect.stringContaining("--only")]);
  expect(await asked("--plan", "plan.json", "--keep-going")).toEqual([2, expect.stringContaining("--keep-going")]);
  expect(await asked("--plan", "plan.json", "someRun")).toEqual([2, expect.any(String)]);
  expect(await asked("--plan", "plan.json", "--out", "other.json")).toEqual([2, expect.any(String)]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1", b: "2" });
  chmodSync(join(notes.folder, "plan.json"), 0o644);
  expect((await notes.run("undo", "--plan", "plan.json", "--yes", "--by", "maria")).code).toBe(0);
});

test("P3: a plan with choices means the same whenever it is carried out", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }], ["set", { key: "b", value: "2" }], ["set", { key: "c", value: "3" }]);
  edit(notes, { b: "a person's" });
  expect((await notes.run("undo", "--out", "plan.json", "--skip", "3", "--overwrite", "2")).code).toBe(0);
  const unasked = await notes.run("undo", "--plan", "plan.json");
  expect([unasked.code, unasked.err]).toEqual([1, expect.stringContaining("--yes")]);
  expect(stepsOf(await undo(notes, "--plan", "plan.json", "--yes"))).toEqual([
    [3, "kept", null],
    [2, "restore", "undone"],
    [1, "restore", "undone"],
  ]);
  expect(notes.state().notes).toEqual({ ...FIRST, c: "3" });
});

test("P3: a saved redo is carried out by redo only, and its undo can be redone although its plan needed no look", async () => {
  using notes = makeNotes(NOTES_RULES.replace(/ {4}observe:.*\n/, ""));
  await runOf(notes, ["create", { value: "agent's" }]);
  expect((await notes.run("undo", "--out", "undo.json")).code).toBe(0);
  expect((await undo(notes, "--plan", "undo.json")).state).toBe("undone");
  expect((await notes.run("redo", "--out", "redo.json")).code).toBe(0);
  const wrong = await notes.run("undo", "--plan", "redo.json");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("the plan of a redo")]);
  expect((await notes.json<UndoDocument>("redo", "--plan", "redo.json", "--yes")).state).toBe("undone");
  expect(notes.state().notes).toEqual({ ...FIRST, n2: "agent's" });
  expect((await actions(notes, (await runs(notes)).at(-1)?.id ?? "")).map(({ status }) => status)).toEqual(["applied"]);
});
