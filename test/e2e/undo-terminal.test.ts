// What does undo do at a terminal? It shows its plan and asks before it sends anything, wherever its output goes; no is no.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { until } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE } from "../support/sandbox.ts";
import { atTerminal } from "../support/terminal.ts";

const QUESTION = "Put this back? [y/N]";

async function changed(): Promise<NotesSandbox> {
  const notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  return notes;
}

test("P3: undo asks at a terminal, also where its output is piped; only yes puts back", async () => {
  for (const line of ['exec "$0" undo', '"$0" undo | cat', '"$0" undo >/dev/null']) {
    using notes = await changed();
    const no = atTerminal(notes, line, EXECUTABLE);
    await until("it asks", () => no.screen().includes(QUESTION));
    expect(no.screen()).toContain("Plan: 1 to put back");
    no.type("\n");
    await no.child.exited;
    expect(no.screen()).toContain("nothing was put back");
    expect(notes.state().notes["a"]).toBe("1");
    const yes = atTerminal(notes, line, EXECUTABLE);
    await until("it asks", () => yes.screen().includes(QUESTION));
    yes.type("y\n");
    await yes.child.exited;
    expect(notes.state().notes["a"]).toBe("first");
  }
});

test("P3: Ctrl-C at the question ends undo at once with 130, and nothing is put back", async () => {
  using notes = await changed();
  const asked = atTerminal(notes, 'exec "$0" undo', EXECUTABLE);
  await until("it asks", () => asked.screen().includes(QUESTION));
  asked.type("\u0003");
  expect(await asked.child.exited).toBe(130);
  expect(notes.state().notes["a"]).toBe("1");
  expect((await notes.run("undo")).code).toBe(0);
});

test("undo doesn't ask where its plan sends nothing", async () => {
  using notes = await changed();
  notes.setState({ ...notes.state(), notes: { a: "a person's" } });
  const told = atTerminal(notes, 'exec "$0" undo', EXECUTABLE);
  expect(await told.child.exited).toBe(1);
  expect(told.screen()).not.toContain(QUESTION);
  expect(told.screen()).toContain("still standing: 1");
});

test("what the server says on stderr isn't mixed into the undo; its last words are told where a step comes to nothing", async () => {
  using notes = makeNotes();
  const command = ["sh", "-c", 'echo "the server is talking" >&2; exec "$@"', "sh", ...notes.command];
  const [program, ...args] = command;
  notes.write(
    "synartesis.yaml",
    `version: 1\nservers:\n  notes:\n    command: ${program}\n    args: ${JSON.stringify(args)}\ntools:${NOTES_RULES}`,
  );
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  notes.trouble("set", "error-before");
  const failed = await notes.run("undo");
  expect([failed.code, failed.err]).toEqual([1, "notes printed last:\nthe server is talking\n"]);
  const done = await notes.run("undo");
  expect([done.code, done.err]).toEqual([0, ""]);
});

test("at a terminal a long look and a long undo say how far they are, on one line that goes away", async () => {
  using notes = await changed();
  for (const [tool, line, what] of [
    ["get", '"$0" undo --dry-run', "looking at what is there now"],
    ["get", '"$0" undo --dry-run | cat', "looking at what is there now"],
    ["set", '"$0" undo --yes', "putting back"],
  ] as const) {
    notes.trouble(tool, "wait-after");
    const slow = atTerminal(notes, line, EXECUTABLE, 60);
    await until("it says how far it is", () => slow.screen().includes(`${what}: 0 of 1 (Ctrl-C ends this)`));
    notes.letAnswer(tool);
    expect(await slow.child.exited).toBe(0);
    // What the line said is written over by blanks before anything else is.
    expect(slow.screen()).toMatch(/ends this\)\r +\r(?!.*ends this)/s);
    for (const shown of slow.screen().split(/[\r\n]/)) expect(shown.length).toBeLessThanOrEqual(60);
  }
});

test("in a pipe no progress is told, however long it takes", async () => {
  using notes = await changed();
  const isTaken = (name: string) => () => !existsSync(join(notes.folder, `notes.json.get${name}`));
  notes.trouble("get", "wait-after");
  const silent = notes.start("undo", "--dry-run");
  await until("the first one waits", isTaken(""));
  notes.trouble("get", "wait-after");
  const aloud = atTerminal(notes, 'exec "$0" undo --dry-run', EXECUTABLE);
  // By then the first one has waited longer.
  await until("the second one says so", () => aloud.screen().includes("looking at what is there now"));
  for (let answers = 0; answers < 2; answers++) {
    notes.letAnswer("get");
    await until("an answer is let through", isTaken(".go"));
  }
  expect(await Promise.all([silent.exited, aloud.child.exited])).toEqual([0, 0]);
  expect(await silent.stderr.text()).toBe("");
});

test("P3: who agrees to put back over somebody's change agrees to that change: what is written while it is asked is kept", async () => {
  using notes = await changed();
  notes.setState({ ...notes.state(), notes: { ...notes.state().notes, a: "shown" } });
  const terminal = atTerminal(notes, 'exec "$0" undo --overwrite 1', EXECUTABLE);
  await until("it asks", () => terminal.screen().includes(QUESTION));
  notes.setState({ ...notes.state(), notes: { ...notes.state().notes, a: "not shown" } });
  terminal.type("y\n");
  await terminal.child.exited;
  expect(notes.state().notes["a"]).toBe("not shown");
  const agreed = atTerminal(notes, 'exec "$0" undo --overwrite 1', EXECUTABLE);
  await until("it asks", () => agreed.screen().includes(QUESTION));
  agreed.type("y\n");
  await agreed.child.exited;
  expect(notes.state().notes["a"]).toBe("first");
});
