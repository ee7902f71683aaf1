// What if an undo needs several servers and can't have one of them, or it isn't as it was? Only what it did, and what that builds on, has to wait.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Agent, runOf } from "../support/agent.ts";
import { expectIntact, stepsOf, undo } from "../support/documents.ts";
import { makeNotes } from "../support/notes.ts";
import { makeTwoNotes } from "../support/two-notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

test("P3: a server that isn't there halts only its own steps, and they are done once it is there again", async () => {
  using notes = makeTwoNotes();
  await runOf(
    notes,
    ["left__set", { key: "a", value: "1" }],
    ["right__set", { key: "a", value: "2" }],
    ["left__set", { key: "b", value: "3" }],
  );
  notes.trouble("right", "start", "die");
  const done = await undo(notes);
  expect(stepsOf(done)).toEqual([
    [3, "restore", "undone"],
    [2, "unknown", "not-sent"],
    [1, "restore", "undone"],
  ]);
  expect(done.steps[1]?.reason).toBe("server-unavailable");
  expect(done).toMatchObject({ state: "partial", outstanding: [2] });
  expect([notes.state("left").notes, notes.state("right").notes["a"]]).toEqual([FIRST, "2"]);
  expect(await undo(notes)).toMatchObject({ state: "undone" });
  expect(notes.state("right").notes).toEqual(FIRST);
  await expectIntact(notes);
});

test("P3: a server of which a variable isn't set halts only its own steps, and is named with it", async () => {
  using notes = makeTwoNotes();
  const manifest = await Bun.file(join(notes.folder, "synartesis.yaml")).text();
  notes.write("synartesis.yaml", manifest.replace("  right: {", `  right: { env: { TOKEN: "\${NOTES_TOKEN}" },`));
  notes.env["NOTES_TOKEN"] = "t";
  await runOf(notes, ["right__set", { key: "a", value: "1" }], ["left__set", { key: "a", value: "2" }]);
  delete notes.env["NOTES_TOKEN"];
  const { out, code } = await notes.run("undo");
  expect([code, out]).toEqual([1, expect.stringContaining("NOTES_TOKEN")]);
  expect([notes.state("left").notes, notes.state("right").notes["a"]]).toEqual([FIRST, "1"]);
  notes.env["NOTES_TOKEN"] = "t";
  expect(await undo(notes)).toMatchObject({ state: "undone" });
});

test("P3: what a step builds on isn't put back while that step's server isn't there; the dry run says the same", async () => {
  using notes = makeTwoNotes();
  await runOf(notes, ["left__create", { value: "agent's" }], ["left__set", { key: "a", value: "1" }], ["right__create", { value: "n1" }]);
  notes.trouble("right", "start", "die");
  const plan = (await undo(notes, "--dry-run")) as { steps: readonly { seq: number; blockedBy?: { seq: number } | null }[] };
  expect(plan.steps.map(({ seq, blockedBy }) => [seq, blockedBy?.seq ?? null])).toEqual([
    [3, null],
    [2, null],
    [1, 3],
  ]);
  for (const words of [[], ["--json"]]) {
    notes.trouble("right", "start", "die");
    expect((await notes.run("undo", ...words)).code).toBe(1);
    expect(notes.state("left").notes).toEqual({ ...FIRST, n1: "agent's" });
  }
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state("left").notes).toEqual(FIRST);
});

test("P3: a server that dies in the middle of an undo leaves a step unknown; with --keep-going only its own steps wait for it", async () => {
  using notes = makeTwoNotes();
  await runOf(
    notes,
    ["left__set", { key: "a", value: "1" }],
    ["right__set", { key: "a", value: "2" }],
    ["right__set", { key: "b", value: "3" }],
  );
  notes.trouble("right", "set", "die-after");
  const done = await undo(notes, "--keep-going");
  expect(done.steps.map(({ seq, kind, reason, end }) => [seq, kind, reason, end])).toEqual([
    [3, "restore", "as-left", "unknown"],
    [2, "unknown", "server-unavailable", "not-sent"],
    [1, "restore", "as-left", "undone"],
  ]);
  expect(done.outstanding).toEqual([2, 3]);
  const again = await undo(notes);
  expect(again.steps.map(({ seq, kind, reason }) => [seq, kind, reason])).toEqual([
    [3, "done", "was-put-back"],
    [2, "restore", "as-left"],
    [1, "done", "undone-before"],
  ]);
  expect(again.state).toBe("undone");
  expect([notes.state("left").notes, notes.state("right").notes]).toEqual([FIRST, FIRST]);
});

test("only the servers that a step needs are started", async () => {
  using notes = makeTwoNotes();
  await runOf(notes, ["left__set", { key: "a", value: "1" }], ["right__get", { key: "a" }], ["right__set", { key: "b", value: "2" }]);
  notes.trouble("right", "start", "die");
  expect((await undo(notes, "--server", "left")).steps.map(({ kind }) => kind)).toEqual(["kept", "kept", "restore"]);
  expect(notes.state("left").notes).toEqual(FIRST);
  expect(existsSync(join(notes.folder, "right.json.start"))).toBe(true);
});

test("P3: a tool that takes other arguments by now isn't called, unless today's is asked for", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.request("tools/list");
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("create", { value: "agent's" });
  await agent.end();
  notes.env["NOTES_SET_TAKES"] = "reason";
  const refused = await notes.run("undo");
  expect(refused.code).toBe(1);
  expect(refused.out).toContain("notes.set takes other arguments than when the run used it");
  expect(notes.state().notes).toEqual({ ...FIRST, a: "1" });
  expect((await undo(notes, "--replan")).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});
