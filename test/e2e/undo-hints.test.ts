// Does what is printed about a halt, typed as it stands, do what it says? To that run and to nothing else; and what is asked for by number says why it
// can't be done.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { actions, runs, undo, until } from "../support/documents.ts";
import { edit, makeNotes, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE } from "../support/sandbox.ts";
import { atTerminal } from "../support/terminal.ts";

/** An agent's whole run: these values for a note, one after the other. Gives the run's id. */
async function runOfSets(notes: NotesSandbox, ...sets: readonly (readonly [key: string, value: string])[]): Promise<string> {
  const agent = await Agent.start(notes);
  for (const [key, value] of sets) await agent.call("set", { key, value });
  await agent.end();
  return (await runs(notes))[0]?.id ?? "";
}

/** The command that is printed below these words. */
function commandBelow(output: string, words: string): string {
  const lines = output.split("\n");
  const command = lines[lines.findIndex((line) => line.includes(words)) + 1]?.trim() ?? "";
  expect(command).toContain("synartesis");
  return command;
}

/** Types a command as it was printed. */
function typed(notes: NotesSandbox, command: string): number {
  return Bun.spawnSync(["sh", "-c", command], { cwd: notes.folder, env: notes.env }).exitCode;
}

test("P3: what a plan and a halt say to type hits their run and what was chosen of it, also when another run has come since", async () => {
  for (const words of [
    ["--only", "2,3", "--alone", "--dry-run"],
    ["--only", "2,3", "--alone"],
  ]) {
    using notes = makeNotes();
    await runOfSets(notes, ["a", "1"], ["b", "2"], ["c", "3"]);
    edit(notes, { c: "a person's" });
    const { out } = await notes.run("undo", ...words);
    const skip = commandBelow(out, "To leave it as it is:");
    await runOfSets(notes, ["a", "later"]);
    expect(typed(notes, skip)).toBe(0);
    expect(notes.state().notes).toEqual({ a: "later", b: "second", c: "a person's" });
  }
});

test("P3: putting back over what others changed, and going on past a halt, work as printed", async () => {
  using notes = makeNotes();
  const run = await runOfSets(notes, ["a", "1"], ["b", "2"], ["c", "3"]);
  edit(notes, { c: "a person's" });
  const { out } = await notes.run("undo");
  expect(typed(notes, commandBelow(out, "To go on with what isn't connected to it:"))).toBe(1);
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "a person's" });
  const shown = (await notes.run("show", run)).out;
  for (const words of ["when that is settled, go on with:", "to leave it as it is:", "to put it back over what others changed:"])
    expect(commandBelow(shown, words)).toContain(run);
  expect(typed(notes, `${commandBelow(shown, "to put it back over what others changed:")} --yes`)).toBe(0);
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
});

test("of several runs undone together, a hint names the moment and the action's id", async () => {
  using notes = makeNotes();
  await runOfSets(notes, ["a", "1"]);
  await runOfSets(notes, ["b", "2"]);
  edit(notes, { b: "a person's" });
  const { out } = await notes.run("undo", "--since", "10m", "--all-runs", "--dry-run");
  expect(typed(notes, commandBelow(out, "To leave it as it is:"))).toBe(0);
  expect(notes.state().notes).toEqual({ a: "first", b: "a person's", c: "third" });
});

test("show says what to type about a step that the server refused, and that does it once it can be done", async () => {
  using notes = makeNotes();
  const run = await runOfSets(notes, ["a", "1"]);
  notes.trouble("set", "error-before");
  const { out } = await notes.run("undo");
  expect(out).toContain("the server refused, and nothing changed: ");
  expect(commandBelow(out, "To leave it as it is:")).toEndWith(`undo ${run} --skip 1`);
  expect(typed(notes, commandBelow(out, "When that is settled, go on with:"))).toBe(0);
  expect(notes.state().notes["a"]).toBe("first");
});

test("P4: show gives a call that isn't known to have happened with its id and the command that says what became of it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  notes.trouble("create", "hang-after");
  agent.request("tools/call", { name: "create", arguments: { value: "agent's" } }).catch(() => undefined); // nothing answers it
  await until("the server has the call", () => notes.received().some(({ name }) => name === "create"));
  expect((await notes.run("show")).out).not.toContain("resolve");
  await agent.crash();
  const [lost] = await actions(notes);
  const command = commandBelow((await notes.run("show")).out, "say what became of it, --applied or --not-applied:");
  expect(command).toEndWith(`resolve ${lost?.id} --applied`);
  expect(typed(notes, command)).toBe(0);
  expect((await notes.run("show")).out).not.toContain("resolve");
});

test("a call that was asked for by its number says why nothing is to be done with it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("get", { key: "a" });
  await agent.call("send", { to: "b" });
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  const said = async (seq: string) => (await notes.run("undo", "--only", seq, "--dry-run")).out;
  expect(await said("1")).toContain("   1 · skip  notes.get\n     a read: there is nothing to put back\n");
  expect(await said("2")).toContain("   2 · skip  notes.send\n     it waits for a person, and was not carried out\n");
  expect((await notes.run("undo", "--only", "2")).out).toContain("     it waits for a person, and was not carried out\n");
  expect(await said("3")).not.toContain("skip");
});

test("what was put back before is counted, not listed again", async () => {
  using notes = makeNotes();
  await runOfSets(notes, ["a", "1"], ["b", "2"], ["c", "3"]);
  await undo(notes, "--from", "3", "--to", "2");
  expect((await notes.run("undo", "--dry-run")).out).toContain("Plan: 1 to put back, 2 put back before\n");
  const { out } = await notes.run("undo");
  expect(out.match(/^ +\d+ [~=]/gm)).toHaveLength(1);
  expect(out).toContain("undone: 1 put back, 2 put back before.\n");
});

test("a plan isn't saved into a folder that doesn't exist, and none is made", async () => {
  using notes = makeNotes();
  await runOfSets(notes, ["a", "1"]);
  const { code, err } = await notes.run("undo", "--out", "plans/p.json");
  expect([code, err]).toEqual([1, expect.stringContaining("there is no folder")]);
  expect(existsSync(join(notes.folder, "plans"))).toBe(false);
});

test("at a terminal each step is one line after the question, with no field said twice", async () => {
  using notes = makeNotes();
  await runOfSets(notes, ["a", "1"], ["b", "2"]);
  const asked = atTerminal(notes, 'exec "$0" undo', EXECUTABLE);
  await until("it asks", () => asked.screen().includes("Put this back? [y/N]"));
  asked.type("y\n");
  expect(await asked.child.exited).toBe(0);
  const [plan = "", carriedOut = ""] = asked.screen().split("Put this back? [y/N]");
  expect(plan).toContain("it is as the agent left it");
  expect(carriedOut.match(/^ +\d ~ restore {2}notes\.set {2}notes:note:[ab]$/gm)).toHaveLength(2);
  expect(carriedOut).not.toContain("as the agent left it");
  expect(carriedOut).not.toContain("->");
});
