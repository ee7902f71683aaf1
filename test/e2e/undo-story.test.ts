// What do list, show and a plan tell of what was undone, done again and decided, and by whom? Through the executable.
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { runs, undo } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

/** An agent's whole run: these values for a note, one after the other. Gives the run's id. */
async function runOfSets(notes: NotesSandbox, ...sets: readonly (readonly [key: string, value: string])[]): Promise<string> {
  const agent = await Agent.start(notes);
  for (const [key, value] of sets) await agent.call("set", { key, value });
  await agent.end();
  const [latest] = await runs(notes);
  return latest?.id ?? "";
}

/** The lines that `show` has for each call of a run, without the moments. */
async function story(notes: NotesSandbox, run: string): Promise<readonly (readonly string[])[]> {
  const shown = (await notes.run("show", run)).out.trimEnd().split("\n");
  const calls: string[][] = [];
  for (const line of shown.slice(5)) {
    if (/^ +\d+ /.test(line)) calls.push([line.replace(/^ +\d+ +\S+ +/, "")]);
    else calls.at(-1)?.push(line.trim().replace(/, (just now|\d+[smhd] ago)$/, ""));
  }
  return calls;
}

test("show tells of each call which undo put it back, which redo did it again, what was left and what was overwritten, and by whom", async () => {
  using notes = makeNotes();
  const run = await runOfSets(notes, ["a", "1"], ["b", "2"], ["c", "3"]);
  notes.setState({ ...notes.state(), notes: { ...notes.state().notes, c: "a person's" } });
  const undone = await undo(notes, "--skip", "2", "--overwrite", "3", "--by", "maria", "--yes");
  expect(await story(notes, run)).toEqual([
    ["notes.set  reversible  undone (put back, and read back)", '{"key":"a","value":"1"}', `put back by undo ${undone.undoRun} (maria)`],
    [
      "notes.set  reversible  applied",
      '{"key":"b","value":"2"}',
      'undo: notes.set {"key":"b","value":"second"}',
      "left as it is from then on, as decided by maria",
    ],
    [
      "notes.set  reversible  undone (put back over a later change, as asked, and read back)",
      '{"key":"c","value":"3"}',
      "to be put back over later changes, as decided by maria",
      `put back by undo ${undone.undoRun} (maria)`,
    ],
  ]);
  const redone = (await notes.json<{ undoRun: string }>("redo", "--by", "ines", "--yes")).undoRun;
  const [first] = await story(notes, run);
  expect(first?.slice(-2)).toEqual([`put back by undo ${undone.undoRun} (maria)`, `done again by redo ${redone} (ines)`]);
  expect((await story(notes, redone))[0]?.at(-1)).toBe(`does 1 of run ${run} again, which 2 of undo ${undone.undoRun} put back`);
  expect((await story(notes, undone.undoRun ?? ""))[1]?.slice(-2)).toEqual([
    `puts back 1 of run ${run}`,
    `taken back by redo ${redone} (ines)`,
  ]);
  expect((await notes.run("show", redone)).out).toContain(`redo of undo ${undone.undoRun}, by ines, on notes`);
  const { actions } = await notes.json<{ actions: Record<string, unknown>[] }>("show", run);
  expect(actions[0]).toMatchObject({
    passages: [
      { kind: "undo", run: undone.undoRun, by: "maria", tookEffect: true },
      { kind: "redo", run: redone, by: "ines", tookEffect: true },
    ],
    decisions: [],
  });
  expect(actions[1]).toMatchObject({ passages: [], decisions: [{ kind: "deny", by: "maria", reasons: ["skip"] }] });
});

test("an undo of several runs is called one, and names them", async () => {
  using notes = makeNotes();
  const first = await runOfSets(notes, ["a", "1"]);
  const second = await runOfSets(notes, ["b", "2"]);
  const shown = await notes.run("undo", "--since", "10m", "--all-runs", "--dry-run");
  expect(shown.out).toMatch(
    new RegExp(
      `^Undo of 2 runs \\(2 calls\\)\n {2}run ${second} \\(test-agent 1\\)\n {2}run ${first} \\(test-agent 1\\)\n${second.slice(0, 8)}:1 ~`,
    ),
  );
  const { undoRun } = await undo(notes, "--since", "10m", "--all-runs", "--by", "maria");
  expect((await notes.run("list")).out.split("\n")[1]).toContain("undo of 2 runs");
  expect((await notes.run("show")).out).toContain(`undo of 2 runs (${second}, ${first}), by maria`);
  expect((await runs(notes))[0]).toMatchObject({ id: undoRun, undoes: null, undoesRuns: [second, first] });
});

test("P3: a conflict with another run's later call names it, and the command that it shows undoes that first", async () => {
  using notes = makeNotes();
  const earlier = await runOfSets(notes, ["a", "1"]);
  const later = await runOfSets(notes, ["b", "2"], ["a", "3"]);
  const halted = (await notes.run("undo", earlier, "--dry-run")).out;
  expect(halted).toContain(`changed since by ${later.slice(0, 8)}:2, a call of run ${later}; to undo that first:\n`);
  const [, command = ""] = /^ +(\S.* undo \S+ --only .*)$/m.exec(halted) ?? [];
  expect(Bun.spawnSync(["sh", "-c", command], { cwd: notes.folder, env: notes.env }).exitCode).toBe(0);
  expect((await undo(notes, earlier)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "first", b: "2", c: "third" });
});

test("P3: what an undo sent, and what didn't come to what was meant, is never told as put back", async () => {
  using notes = makeNotes(NOTES_RULES.replace("$snapshot.value", "was: $snapshot.value"));
  const run = await runOfSets(notes, ["a", "1"]);
  const { undoRun } = await undo(notes, "--by", "maria");
  const [call] = await story(notes, run);
  expect(call).toContain(`undo ${undoRun} (maria) was at it, and isn't known to have come to what was meant`);
  expect((await story(notes, undoRun ?? ""))[0]?.at(-1)).toBe(`was to put back 1 of run ${run}`);
  const [action] = (await notes.json<{ actions: Record<string, unknown>[] }>("show", run)).actions;
  expect(action).toMatchObject({ passages: [{ status: "applied", tookEffect: false }] });
});

test("what a halt keeps from being reached is named at the end, with the step in the way", async () => {
  using notes = makeNotes();
  const run = await runOfSets(notes, ["a", "1"], ["b", "2"], ["c", "3"]);
  notes.setState({ ...notes.state(), notes: { ...notes.state().notes, b: "a person's" } });
  const { out, code } = await notes.run("undo", run);
  expect(code).toBe(1);
  expect(out).toContain("partly undone: 1 put back; still standing: 1-2.\nNot reached because of 2: 1.\nHalted at 2. When that is settled");
});

test("P3: what a plan comes with is said before anybody agrees: who approved a call, what undoing costs, until when it can be done", async () => {
  const terms = 'undo: { within: 2h, side_effects: "watchers are told", cost: "a credit" }';
  const gated = NOTES_RULES.replace('    resource: "note:$.key"', `    resource: "note:$.key"\n    gate: always\n    ${terms}`);
  using notes = makeNotes(gated.replace("class: irreversible", 'class: irreversible\n    undo: { remedy: "write again" }'));
  const agent = await Agent.start(notes);
  for (const [tool, args] of [
    ["set", { key: "a", value: "1" }],
    ["send", { to: "b" }],
  ] as const) {
    await agent.call(tool, args);
    await notes.run("approve", "--by", "maria", "--unknown-client");
    await agent.call(tool, args);
  }
  await agent.end();
  const { out } = await notes.run("undo", "--dry-run");
  expect(out.match(/approved by maria, [-\d]+ [:\d]+ \((just now|\d+s ago)\)/g)).toHaveLength(2);
  for (const words of ["     side effects: watchers are told\n", "     cost: a credit\n", "     suggested: write again\n"])
    expect(out).toContain(words);
  expect(out).toMatch(/\n {5}can be undone until [-\d]+ [:\d]+ \(in 2h\)\n/);
  expect(out).toMatch(/\nSide effects: 2\nCosts something: 2\nCloses first: 2, in 2h \(.*\)\nPlan: 1 to put back, 1 permanent\n$/);
  const plan = await notes.json<{ closesFirst: unknown; steps: Record<string, unknown>[] }>("undo", "--dry-run");
  expect(plan.closesFirst).toMatchObject({ seq: 2, until: expect.any(String) });
  expect(plan.steps.find(({ tool }) => tool === "set")).toMatchObject({
    approvedAt: expect.any(String),
    changes: [{ path: "value", from: "1", to: "first" }],
    terms: { within: 7_200_000, sideEffects: "watchers are told", cost: "a credit" },
  });
});
