// Which run and which steps does undo mean, and when does it refuse? What a person may ask of it, through the executable.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Agent } from "../support/agent.ts";
import { actions, expectIntact, journalFile, runs, stepsOf, undo, untilCaptured } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

/** An agent's whole run: these values for a note, one after the other. */
async function runOfSets(notes: NotesSandbox, sets: readonly (readonly [key: string, value: string])[]): Promise<void> {
  const agent = await Agent.start(notes);
  for (const [key, value] of sets) expect((await agent.call("set", { key, value })).isError).toBeUndefined();
  await agent.end();
}

test("P3: --dry-run changes nothing: not the world, not the record", async () => {
  using notes = makeNotes();
  await runOfSets(notes, [
    ["a", "1"],
    ["b", "2"],
    ["a", "3"],
  ]);
  const before = { state: notes.state(), runs: await runs(notes), actions: await actions(notes) };
  const events = (await notes.json<{ events: number }>("audit", "verify")).events;
  const head = readFileSync(journalFile(notes).replace("journal.db", "journal.head"), "utf8");
  const plan = await undo(notes, "--dry-run");
  expect(stepsOf(plan)).toEqual([
    [3, "restore", null],
    [2, "restore", null],
    [1, "restore", null],
  ]);
  expect((await notes.run("undo", "--dry-run")).out).toContain("Plan: 3 to put back");
  expect({ state: notes.state(), runs: await runs(notes), actions: await actions(notes) }).toEqual(before);
  expect((await notes.json<{ events: number }>("audit", "verify")).events).toBe(events);
  expect(readFileSync(journalFile(notes).replace("journal.db", "journal.head"), "utf8")).toBe(head);
});

test("P3: --to leaves what is older, the run is partial, and undo typed again does the rest of it", async () => {
  using notes = makeNotes();
  await runOfSets(notes, [["c", "another run's"]]);
  await runOfSets(notes, [
    ["a", "1"],
    ["b", "2"],
    ["a", "3"],
    ["b", "4"],
  ]);
  const ended = await notes.run("undo", "--to", "3");
  expect(ended.code).toBe(0);
  expect(ended.out).toContain("1-2 (2 kept as asked)");
  expect(notes.state().notes).toEqual({ a: "1", b: "2", c: "another run's" });
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ ...FIRST, c: "another run's" });
  const [run] = (await runs(notes)).filter(({ kind }) => kind === "agent");
  expect((await notes.run("undo", run?.id ?? "", "--to", "9")).code).toBe(2);
  expect((await notes.run("undo", run?.id ?? "", "--to", "0")).code).toBe(2);
});

test("undo typed again goes one run further back, and never forward", async () => {
  using notes = makeNotes();
  for (const value of ["1", "2", "3"]) await runOfSets(notes, [["a", value]]);
  const order = (await runs(notes)).map(({ id }) => id);
  const undone: string[] = [];
  for (const value of ["2", "1", "first"]) {
    const done = await undo(notes);
    undone.push(done.run);
    expect(notes.state().notes["a"]).toBe(value);
  }
  expect(undone).toEqual(order);
  const nothing = await notes.run("undo");
  expect(nothing.code).toBe(2);
  expect(nothing.err).toContain("no run left to undo");
  expect(notes.state().notes["a"]).toBe("first");
  await expectIntact(notes);
});

test("P3: what can't be put back is stepped over and named, and the run is partial; then undo goes further back", async () => {
  using notes = makeNotes();
  await runOfSets(notes, [["c", "older"]]);
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("send", { to: "ada" });
  expect((await notes.run("approve", "--by", "maria")).code).toBe(0);
  await agent.call("send", { to: "ada" });
  await agent.call("set", { key: "b", value: "2" });
  await agent.end();
  const ended = await notes.run("undo");
  expect(ended.code).toBe(1);
  expect(ended.out).toContain("permanent");
  expect(ended.out).toContain("approved by maria");
  expect(notes.state()).toMatchObject({ notes: { ...FIRST, c: "older" }, sent: ["ada"] });
  const [, run] = await runs(notes);
  expect(run?.state).toBe("partial");
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
  expect((await undo(notes, run?.id ?? "")).outstanding).toEqual([3]);
});

test("P3: a run whose agent is connected is refused without --live, and carried out with it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await untilCaptured(notes);
  const refused = await notes.run("undo");
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("still connected");
  expect((await notes.run("undo", "--dry-run")).out).toContain("Plan: 1 to put back"); // a look disturbs nobody
  expect(notes.state().notes["a"]).toBe("1");
  expect((await undo(notes, "--live")).steps).toMatchObject([{ kind: "restore", end: "undone" }]);
  expect(notes.state().notes["a"]).toBe("first");
  await agent.call("set", { key: "a", value: "2" });
  await agent.end();
  expect((await undo(notes)).steps.map(({ seq, kind }) => [seq, kind])).toEqual([
    [2, "restore"],
    [1, "done"],
  ]);
  expect(notes.state().notes["a"]).toBe("first");
});

test("P3: a number means an action of the latest run: once that is undone, the same words don't hit an older run", async () => {
  using notes = makeNotes();
  await runOfSets(notes, [["a", "1"]]);
  await runOfSets(notes, [["b", "2"]]);
  expect((await notes.run("undo", "--only", "1")).code).toBe(0);
  const again = await notes.run("undo", "--only", "1");
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("numbers could mean another run")]);
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1" });
});

test("P3: --live without a run means one whose agent is connected, and no other", async () => {
  using notes = makeNotes();
  await runOfSets(notes, [["a", "1"]]);
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "b", value: "2" });
  await untilCaptured(notes);
  expect((await undo(notes, "--live")).state).toBe("undone");
  const again = await notes.run("undo", "--live");
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("no run of an agent that is connected")]);
  expect(notes.state().notes["a"]).toBe("1");
});

test("a run that changed nothing is passed over, whether it read, was held or was denied; where none is left, that is said", async () => {
  using notes = makeNotes();
  await runOfSets(notes, [["a", "1"]]);
  const [changed] = await runs(notes);
  for (const tool of ["get", "send"]) {
    const agent = await Agent.start(notes);
    await agent.call(tool, { key: "a" });
    await agent.end();
  }
  await notes.run("deny");
  const connected = await Agent.start(notes);
  await connected.call("get", { key: "a" });
  expect((await undo(notes)).run).toBe(changed?.id ?? "");
  expect(notes.state().notes).toEqual(FIRST);
  await connected.end();
  const [latest] = (await runs(notes)).filter(({ kind }) => kind === "agent");
  const nothing = await notes.run("undo");
  expect(nothing.code).toBe(2);
  expect(nothing.err).toContain(`there is no run left to undo: the latest, ${latest?.id}, changed nothing`);
});

test("a run that was undone while its agent was connected is undone once the agent has gone, unless something stands again", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await untilCaptured(notes);
  expect((await undo(notes, "--live")).state).toBe("undone");
  const more = await Agent.start(notes);
  await more.call("set", { key: "b", value: "1" });
  await untilCaptured(notes);
  expect((await undo(notes, "--live")).state).toBe("undone");
  await more.call("set", { key: "c", value: "1" });
  await more.end();
  await agent.end();
  const states = (await runs(notes)).filter(({ kind }) => kind === "agent").map(({ state }) => state);
  expect(states).toEqual(["partial", "undone"]);
  expect((await undo(notes)).steps.map(({ end }) => end)).toEqual(["undone", "not-sent"]);
});

test("P3: --replan finds a way back that the recorded policy didn't have", async () => {
  using notes = makeNotes(NOTES_RULES.replace('key: "$result.key" } }\n    observe', 'key: "$result.id" } }\n    observe'));
  const agent = await Agent.start(notes);
  await agent.call("create", { value: "new" });
  await agent.end();
  const without = await undo(notes);
  expect(without.steps).toMatchObject([{ kind: "permanent", reason: "result-path-missing" }]);
  notes.setRules(NOTES_RULES);
  expect((await undo(notes, without.run)).state).toBe("partial");
  expect((await undo(notes, without.run, "--replan")).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: an inverse that puts back something else is stuck, never undone; --replan with the corrected policy puts it right", async () => {
  using notes = makeNotes(NOTES_RULES.replace("$snapshot.value", "was: $snapshot.value"));
  await runOfSets(notes, [["a", "1"]]);
  const wrong = await undo(notes);
  expect(wrong.steps).toMatchObject([{ kind: "restore", end: "stuck" }]);
  expect(wrong.state).toBe("partial");
  expect(await actions(notes, wrong.run)).toMatchObject([{ status: "stuck", reason: "read-back-differs" }]);
  expect(notes.state().notes["a"]).toBe("was: first");
  // What the wrong inverse left is nobody's edit, but nothing tells it from one: a person decides.
  expect((await notes.run("undo")).code).toBe(1);
  notes.setState({ ...notes.state(), notes: { ...FIRST, a: "1" } });
  notes.setRules(NOTES_RULES);
  expect((await undo(notes, "--replan")).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});

test("P3: a server that isn't the version that the run used is refused, unless today's is asked for", async () => {
  using notes = makeNotes();
  notes.env["NOTES_VERSION"] = "1";
  await runOfSets(notes, [["a", "1"]]);
  notes.env["NOTES_VERSION"] = "2";
  const refused = await notes.run("undo");
  expect(refused.code).toBe(1);
  expect(refused.out).toContain("notes is now notes 2, but the run used notes 1");
  expect(notes.state().notes["a"]).toBe("1");
  expect((await undo(notes, "--replan")).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("first");
});

test("a server that was wrapped in place is undone with its command after --, and with no other", async () => {
  using notes = makeNotes();
  const via = '  notes:\n    via: { client: claude-code, file: "client.json", name: notes }\n';
  notes.write("synartesis.yaml", `version: 1\nservers:\n${via}tools:${NOTES_RULES}`);
  const agent = await Agent.start(notes, ["--server", "notes", "--", ...notes.command]);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  const [run] = await runs(notes);
  const without = await notes.run("undo", run?.id ?? "");
  expect(without.code).toBe(2);
  expect(without.err).toContain("-- COMMAND ARGS...");
  const another = await notes.run("undo", run?.id ?? "", "--", ...notes.command, "--version", "2");
  expect(another.code).toBe(1);
  expect(another.out).toContain("not the one with which the run started notes");
  expect(notes.state().notes["a"]).toBe("1");
  const done = await notes.run("undo", run?.id ?? "", "--", ...notes.command);
  expect(done.code).toBe(0);
  expect(notes.state().notes).toEqual(FIRST);
  expect(readFileSync(journalFile(notes)).includes("notes-server.ts")).toBe(false);
});
