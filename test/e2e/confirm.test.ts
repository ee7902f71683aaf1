// Is an undo borne out by a second, independent read, where the policy names one? What that shows otherwise is never called undone.
import { expect, test } from "bun:test";
import { Agent, runOf } from "../support/agent.ts";
import { actions, undo } from "../support/documents.ts";
import { edit, makeNotes, NOTES_RULES } from "../support/notes.ts";

const confirmedBy = (read: string) => NOTES_RULES.replaceAll("    resource:", `    confirm: ${read}\n    resource:`);
const BY_LIST = confirmedBy('{ tool: "notes.list" }');

interface EndDocument {
  readonly steps: readonly {
    readonly kind: string;
    readonly end: string;
    readonly endReason: string | null;
    readonly endDetail: string | null;
    readonly endShownBy: readonly string[];
    readonly verified: boolean;
  }[];
  readonly state: string;
  readonly run: string;
}

test("P3: what was put back is shown by the second read too, and the report names both", async () => {
  using notes = makeNotes(BY_LIST);
  await runOf(notes, ["set", { key: "a", value: "agent's" }]);
  expect((await notes.run("show")).out).toContain("an undo is to be confirmed by notes.list");
  const { out } = await notes.run("undo", "--yes");
  expect(out).toContain("shown by notes.get, notes.list");
  expect(await actions(notes)).toMatchObject([{ tool: "set", status: "applied" }]);
  expect(notes.state().notes["a"]).toBe("first");
});

test("P3: where the second read shows something else the step is stuck, and stays so until it doesn't, or a person decides", async () => {
  using notes = makeNotes(BY_LIST);
  await runOf(notes, ["set", { key: "a", value: "agent's" }]);
  edit(notes, { x: "somebody's" });
  const otherwise = 'notes.list shows something else than before the call: notes.x is "somebody\'s", expected nothing there';
  const stuck = { end: "stuck", endReason: "read-back-differs", endDetail: otherwise };
  const first = await notes.json<EndDocument>("undo");
  expect(first).toMatchObject({ state: "partial", steps: [{ kind: "restore", ...stuck }] });
  expect(notes.state().notes["a"]).toBe("first");
  expect(await actions(notes, first.run)).toMatchObject([{ status: "stuck", reason: "read-back-differs", detail: otherwise }]);
  expect(await notes.json<EndDocument>("undo")).toMatchObject({ state: "partial", steps: [{ kind: "done", ...stuck }] });
  edit(notes, { x: undefined });
  expect(await undo(notes)).toMatchObject({ state: "undone", steps: [{ kind: "done" }] });

  await runOf(notes, ["set", { key: "a", value: "once more" }]);
  edit(notes, { x: "somebody's" });
  const again = await undo(notes);
  expect(again.state).toBe("partial");
  expect((await undo(notes, "--overwrite", "1", "--yes")).state).toBe("undone");
  expect(await actions(notes, again.run)).toMatchObject([{ status: "undone" }]);
});

test("P3: a second read that can't be made is said, and nothing is called verified by it", async () => {
  using notes = makeNotes(confirmedBy('{ tool: "notes.get", args: { key: "none" } }'));
  await runOf(notes, ["set", { key: "a", value: "agent's" }]);
  expect((await notes.run("show")).out).toContain("an undo can't be confirmed by notes.get: notes.get answered:");
  const done = await notes.json<EndDocument>("undo");
  expect(done).toMatchObject({ state: "undone", steps: [{ end: "undone", verified: false, endShownBy: [] }] });
  expect(done.steps[0]?.endDetail).toContain("notes.get couldn't be read before the call: notes.get answered");
  expect(await actions(notes, done.run)).toMatchObject([{ status: "undone", reason: "compensated" }]);
});

test("P3: where somebody changed the same thing besides, the second read may show that: it is said, and not called verified", async () => {
  using notes = makeNotes(`
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.list" }
    inverse:
      - { tool: "notes.set", args: { key: a, value: "$snapshot.notes.a" } }
      - { tool: "notes.set", args: { key: b, value: "$snapshot.notes.b" } }
    confirm: { tool: "notes.list" }
`);
  await runOf(notes, ["set", { key: "a", value: "agent's" }]);
  edit(notes, { b: "somebody's" });
  const done = await notes.json<EndDocument>("undo");
  expect(done).toMatchObject({ state: "undone", steps: [{ kind: "merge", end: "undone", verified: false }] });
  expect(done.steps[0]?.endDetail).toContain('notes.b is "somebody\'s"');
  expect(notes.state().notes).toMatchObject({ a: "first", b: "somebody's" });
});

test("P3: an offset that nothing else could show is verified by the second read, and done over when it is done again", async () => {
  using notes = makeNotes(BY_LIST.replace(/ +observe: .*\n/, ""));
  await runOf(notes, ["create", { value: "new" }]);
  expect(await notes.json<EndDocument>("undo")).toMatchObject({
    state: "undone",
    steps: [{ kind: "compensate", end: "undone", verified: true, endShownBy: ["notes.list"] }],
  });
  expect(await notes.json<EndDocument>("redo", "--yes")).toMatchObject({ state: "undone" });
});

test("P3: through the session that goes on, the second read is made as it was before the call, by a tool that may write too", async () => {
  using notes = makeNotes(BY_LIST.replace('  - { match: "notes.list", class: readonly }\n', ""), ["--memory"]);
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "agent's" });
  expect(await notes.json<EndDocument>("undo", "--live")).toMatchObject({
    state: "undone",
    steps: [{ verified: true, endShownBy: ["notes.get", "notes.list"] }],
  });
  await agent.end();
});
