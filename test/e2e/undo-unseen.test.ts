// What does undo make of a state that it can't see, or can't believe yet? It claims nothing that no read has shown, and says what it doesn't know.
import { expect, test } from "bun:test";
import { Agent, runOf } from "../support/agent.ts";
import { expectIntact, stepsOf, undo, until } from "../support/documents.ts";
import { makeNotes, NOTES_RULES } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

/** Whatever `get` says, no error of it is known to mean that a created note is gone. */
const WITHOUT_WORDS = NOTES_RULES.replace('args: { key: "$result.key" }, absent_when: ["no such note"]', 'args: { key: "$result.key" }');

test("P3: an error that the policy has no words for is no absence: nothing is called gone, and undo halts", async () => {
  using notes = makeNotes(WITHOUT_WORDS);
  await runOf(notes, ["create", { value: "agent's" }]);
  notes.setState({ ...notes.state(), notes: FIRST });
  const done = await undo(notes);
  expect(done.steps[0]).toMatchObject({ kind: "conflict", reason: "state-unreadable" });
  expect(done.state).toBe("partial");
  // With the words, it can be told.
  notes.setRules(NOTES_RULES);
  expect((await undo(notes, "--replan")).steps[0]).toMatchObject({ kind: "done", reason: "gone-already" });
});

test("P3: what was removed, and is then answered with such an error, counts as undone but not as verified", async () => {
  using notes = makeNotes(WITHOUT_WORDS);
  await runOf(notes, ["create", { value: "agent's" }]);
  const done = await undo(notes);
  expect(done.steps[0]).toMatchObject({ kind: "compensate", end: "undone", verified: false });
  expect(done.state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: a write that no read shows is called done only once a read can't lag any more", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "first" }]);
  const reads = () => notes.received().filter(({ name }) => name === "get").length;
  const before = reads();
  const undoing = undo(notes);
  await until("undo has looked more than once", () => reads() > before + 1);
  // What the agent wrote shows up only now.
  notes.setState({ ...notes.state(), notes: { ...FIRST, a: "shown late" } });
  const done = await undoing;
  expect(done.steps[0]).toMatchObject({ kind: "conflict", reason: "post-state-missing", end: "not-sent" });
  notes.setState({ ...notes.state(), notes: FIRST });
  const again = await undo(notes);
  expect(again.steps[0]).toMatchObject({ kind: "done", reason: "no-trace", end: "not-sent" });
  expect(again.state).toBe("undone");
  // And if it shows up later still, nobody has called it put back.
  notes.setState({ ...notes.state(), notes: { ...FIRST, a: "shown later still" } });
  const late = await undo(notes, again.run);
  expect(late.steps[0]).toMatchObject({ kind: "conflict", reason: "post-state-missing", end: "not-sent" });
  expect([late.state, late.outstanding]).toEqual(["partial", [1]]);
  await expectIntact(notes);
});

test("P3: a call that failed by the tool's own word only is shown, counted and named, and halts nothing", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  notes.trouble("create", "error-after");
  expect((await agent.call("create", { value: "made all the same" })).isError).toBe(true);
  await agent.end();
  const plan = (await notes.run("undo", "--dry-run")).out;
  expect(plan).toContain("nothing shows whether it changed something all the same");
  expect(plan).toContain("Plan: 1 to put back, 1 failed, which nothing verifies");
  expect((await undo(notes, "--dry-run")).steps[0]).toMatchObject({ kind: "skip", reason: "failed-unverified" });
  const done = await notes.run("undo");
  expect(done.code).toBe(0);
  expect(done.out).toContain("Failed by the tool's own word, which nothing verifies: 2.");
});

test("P3: a run of which that is all is named once, and then no more", async () => {
  using notes = makeNotes();
  notes.trouble("create", "error-after");
  await runOf(notes, ["create", { value: "made all the same" }]);
  expect(stepsOf(await undo(notes))).toEqual([[1, "skip", "not-sent"]]);
  expect((await notes.run("undo")).code).toBe(2);
});

test("P3: with --replan, a rule that reads otherwise now doesn't hide what a person has changed", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "agent's" }]);
  notes.setState({ ...notes.state(), notes: { ...FIRST, a: "a person's" } });
  notes.setRules(NOTES_RULES.replace('snapshot: { tool: "notes.get", args: { key: "$.key" }', 'snapshot: { tool: "notes.list", args: {}'));
  expect((await undo(notes, "--replan")).steps[0]).toMatchObject({ kind: "conflict", reason: "changed-since" });
  expect(notes.state().notes["a"]).toBe("a person's");
  notes.setState({ ...notes.state(), notes: { ...FIRST, a: "agent's" } });
  expect((await undo(notes, "--replan")).steps[0]).toMatchObject({ kind: "restore", end: "undone" });
  expect(notes.state().notes).toEqual(FIRST);
});
