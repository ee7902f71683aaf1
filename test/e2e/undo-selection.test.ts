// Which steps does undo take and leave? What a person chooses by number, server, resource and time, and for single steps where undo halts.
import { expect, test } from "bun:test";
import { Agent, runOf } from "../support/agent.ts";
import { actions, runs, stepsOf, undo, until, untilCaptured } from "../support/documents.ts";
import { edit, makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

/** Sets a, b and c, then creates n1, changes it, and sets b again. */
async function sixCalls(): Promise<NotesSandbox> {
  const notes = makeNotes();
  await runOf(
    notes,
    ["set", { key: "a", value: "1" }],
    ["set", { key: "b", value: "2" }],
    ["set", { key: "c", value: "3" }],
    ["create", { value: "4" }],
    ["set", { key: "n1", value: "5" }],
    ["set", { key: "b", value: "6" }],
  );
  return notes;
}
const LEFT = { a: "1", b: "6", c: "3", n1: "5" };

/** The numbers of the steps that were put back. */
async function putBack(notes: NotesSandbox, ...words: readonly string[]): Promise<readonly number[]> {
  const { steps } = await undo(notes, ...words);
  return steps.filter(({ end }) => end === "undone").map(({ seq }) => seq);
}

async function refusal(notes: NotesSandbox, ...words: readonly string[]): Promise<readonly [number, string]> {
  const before = notes.state();
  const { code, err } = await notes.run("undo", ...words);
  expect(notes.state()).toEqual(before);
  return [code, err];
}

test("P3: --from leaves what is newer, --to what is older; both together the rest", async () => {
  using notes = await sixCalls();
  expect(await putBack(notes, "--from", "5", "--to", "4")).toEqual([5, 4]);
  expect(notes.state().notes).toEqual({ a: "1", b: "6", c: "3" });
  expect(await putBack(notes, "--to", "3")).toEqual([6, 3]);
  expect(await putBack(notes)).toEqual([2, 1]);
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: --only takes those by number or by id, in any order, and undoes them newest first", async () => {
  using notes = await sixCalls();
  const [, second] = await actions(notes);
  expect(await putBack(notes, "--only", `1,${second?.id.toUpperCase()}`, "--only", "6")).toEqual([6, 2, 1]);
  expect(notes.state().notes).toEqual({ ...FIRST, c: "3", n1: "5" });
});

test("P3: what isn't there is refused in words that say what is, and a number is never taken for an id", async () => {
  using notes = await sixCalls();
  for (let seq = 7; seq < 40; seq++) expect(await refusal(notes, "--only", String(seq))).toEqual([2, expect.stringContaining("1 to 6")]);
  expect(await refusal(notes, "--from", "2", "--to", "5")).toEqual([2, expect.stringContaining("older than --to 5")]);
  expect(await refusal(notes, "--server", "files")).toEqual([2, expect.stringContaining("it used notes")]);
  expect(await refusal(notes, "--resource", "note:z")).toEqual([2, expect.stringContaining("notes:note:a")]);
  expect(await refusal(notes, "--only", "1", "--alone", "--with-dependents")).toEqual([2, expect.stringContaining("together")]);
  expect(await refusal(notes, "--since", "soon")).toEqual([2, expect.stringContaining("--since soon")]);
  expect(await refusal(notes, "--all-runs")).toEqual([2, expect.stringContaining("--since")]);
  expect(await refusal(notes, "--skip", "1", "--overwrite", "1")).toEqual([2, expect.stringContaining("at once")]);
});

test("P3: --resource takes what touched that thing, written as the plan names it or without the server", async () => {
  for (const name of ["notes:note:b", "note:b", "note:./b"]) {
    using notes = await sixCalls();
    expect(await putBack(notes, "--resource", name)).toEqual([6, 2]);
    expect(notes.state().notes).toEqual({ ...LEFT, b: "second" });
  }
});

test("P3: what builds on a chosen step is named, by what, and only taken along or left by a person's word", async () => {
  using notes = await sixCalls();
  expect(await refusal(notes, "--only", "2")).toEqual([1, expect.stringContaining("6 changed notes:note:b after 2")]);
  const created = await refusal(notes, "--only", "4");
  expect(created).toEqual([1, expect.stringMatching(/5 (uses "n1", which 4 brought|changed notes:note:n1 after 4)/)]);
  expect(created[1]).toMatch(/--with-dependents.*--alone/);
  expect(await putBack(notes, "--only", "4", "--with-dependents")).toEqual([5, 4]);
  expect(notes.state().notes).toEqual({ a: "1", b: "6", c: "3" });
  expect((await undo(notes, "--only", "2", "--alone")).steps.at(-2)).toMatchObject({ seq: 2, kind: "conflict", end: "not-sent" });
  expect(notes.state().notes["b"]).toBe("6");
});

test("P3: a halt stops all that is older; with --keep-going only what is connected to it", async () => {
  for (const [words, back] of [
    [[], [6]],
    [["--keep-going"], [6, 3, 2, 1]],
  ] as const) {
    using notes = await sixCalls();
    edit(notes, { n1: "a person's" });
    expect(await putBack(notes, ...words)).toEqual(back);
    expect(notes.state().notes["n1"]).toBe("a person's");
    const [, run] = await runs(notes);
    expect((await undo(notes, "--dry-run")).run).toBe(run?.id ?? "");
    edit(notes, { n1: "5" });
    expect((await undo(notes)).state).toBe("undone");
    expect(notes.state().notes).toEqual(FIRST);
  }
});

test("P3: --skip leaves a step from then on: undo goes past it and further back, and only --only takes it again", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "c", value: "older" }]);
  await runOf(notes, ["set", { key: "a", value: "1" }], ["send", { to: "ada" }], ["set", { key: "b", value: "2" }]);
  edit(notes, { b: "a person's" });
  const [run] = await runs(notes);
  const skipped = await notes.run("undo", "--skip", "2,3", "--by", "maria"); // the second was held: there is nothing to leave
  expect([skipped.code, skipped.err]).toEqual([0, ""]);
  expect(notes.state().notes).toEqual({ ...FIRST, b: "a person's", c: "older" });
  expect((await runs(notes)).find(({ id }) => id === run?.id)?.state).toBe("partial");
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes["c"]).toBe("third");
  expect((await notes.run("undo")).err).toContain("skipped by choice");
  expect(stepsOf(await undo(notes, run?.id ?? "")).filter(([, , end]) => end === "undone")).toEqual([]);
  edit(notes, { b: "2" });
  expect(await putBack(notes, run?.id ?? "", "--only", "3")).toEqual([3]);
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: --overwrite puts back over a person's edit, only that step's, and unasked only with --yes", async () => {
  using notes = await sixCalls();
  edit(notes, { b: "a person's", a: "another's" });
  expect(await refusal(notes, "--overwrite", "6")).toEqual([1, expect.stringContaining("--yes")]);
  expect(await refusal(notes, "--overwrite", "6", "--json")).toEqual([1, expect.stringContaining("--yes")]);
  expect(await putBack(notes, "--overwrite", "6", "--yes", "--by", "maria")).toEqual([6, 5, 4, 3, 2]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "another's" });
  const [, run] = await runs(notes);
  expect((await actions(notes, run?.id ?? "")).at(-1)).toMatchObject({ status: "undone", reason: "overwritten" });
});

test("P3: what is past its undo window is named and left; --try-expired tries it", async () => {
  using notes = makeNotes(NOTES_RULES.replace('resource: "note:$.key"', 'resource: "note:$.key"\n    undo: { within: 1s }'));
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  await until("the window has closed", async () => (await undo(notes, "--dry-run")).steps[0]?.kind === "expired");
  expect(await undo(notes)).toMatchObject({ state: "partial", outstanding: [1], steps: [{ kind: "expired", end: "not-sent" }] });
  expect(notes.state().notes["a"]).toBe("1");
  expect(await undo(notes, "--try-expired")).toMatchObject({ state: "undone" });
  expect(notes.state().notes).toEqual(FIRST);
});

test.each(['side_effects: "mails the customer"', 'cost: "5 EUR"'])(
  "P3: an undo with %s isn't done unasked in a pipe or with --json",
  async (terms) => {
    using notes = makeNotes(NOTES_RULES.replace('resource: "note:$.key"', `resource: "note:$.key"\n    undo: { ${terms} }`));
    await runOf(notes, ["set", { key: "a", value: "1" }], ["create", { value: "free" }]);
    expect(await refusal(notes)).toEqual([1, expect.stringContaining("--yes")]);
    expect(await refusal(notes, "--json")).toEqual([1, expect.stringContaining("--yes")]);
    expect((await notes.run("undo", "--dry-run")).code).toBe(0);
    expect((await notes.run("undo", "--only", "2")).code).toBe(0);
    expect((await notes.run("undo", "--yes")).code).toBe(0);
    expect(notes.state().notes).toEqual(FIRST);
  },
);

test("P3: --since --all-runs undoes what all agents did since then, in order of time, and leaves what is older", async () => {
  using notes = makeNotes();
  await using first = await Agent.start(notes);
  await first.call("set", { key: "a", value: "long ago" });
  const done = Date.now();
  await until("some seconds have passed", () => Date.now() > done + 6000);
  const began = Date.now();
  await first.call("set", { key: "a", value: "1" });
  await untilCaptured(notes);
  await using second = await Agent.start(notes);
  await second.call("set", { key: "a", value: "2" });
  await untilCaptured(notes);
  await first.call("set", { key: "b", value: "3" });
  await untilCaptured(notes, (await runs(notes)).at(-1)?.id ?? "");
  await second.call("set", { key: "c", value: "4" });
  await untilCaptured(notes);
  await first.call("set", { key: "a", value: "5" });
  await Promise.all([first.end(), second.end()]);
  // Four seconds more than it is: so long may the command take to start, on a busy machine.
  const since = `${Math.ceil((Date.now() - began) / 1000) + 4}s`;
  const ended = await notes.run("undo", "--since", since, "--all-runs");
  expect([ended.code, ended.err]).toEqual([0, ""]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "long ago" });
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: a conflict names the later run's call that changed the same thing", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  await runOf(notes, ["set", { key: "b", value: "2" }], ["set", { key: "a", value: "3" }]);
  const [later, earlier] = await runs(notes);
  const halted = await undo(notes, earlier?.id ?? "");
  expect(halted.steps[0]).toMatchObject({ kind: "conflict", changedBy: { run: later?.id, seq: 2 } });
});
