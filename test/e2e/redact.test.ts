// Does a secret reach the record? Every byte of the journal is looked through, its values unpacked, after each kind of call and after an undo.
import { expect, test } from "bun:test";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { expectIntact, journalFile, type UndoDocument, undo, untilCaptured } from "../support/documents.ts";
import { everythingIn } from "../support/journal-bytes.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";

const SECRET = "correct-horse-7";

const RULES = `
  - { match: "notes.get", class: readonly, redact: "$result.value" }
  - { match: "notes.list", class: readonly }
  - { match: "notes.remove", class: irreversible, redact: "$result.value" }
  - match: "notes.create"
    class: compensable
    redact: ["$.value", "$result.value", "$snapshot.value"]
    inverse: { tool: "notes.remove", args: { key: "$result.key" } }
    observe: { tool: "notes.get", args: { key: "$result.key" }, absent_when: ["no such note"] }
  - { match: "notes.send", class: irreversible, redact: ["$.to", "$result.sent"] }
`;

const everythingRecorded = (notes: NotesSandbox) => everythingIn(journalFile(notes));

test("P7: a redacted value is nowhere in the record, and the agent and the server still get it", async () => {
  using notes = makeNotes(RULES);
  {
    await using agent = await Agent.start(notes);
    expect(textOf(await agent.call("create", { value: SECRET }))).toContain(SECRET);
    expect(textOf(await agent.call("get", { key: "n1" }))).toContain(SECRET);
    await untilCaptured(notes);
    const held = heldId(await agent.call("send", { to: SECRET }));
    expect((await notes.run("gates")).out).toMatch(/\[redacted: 15 characters, [0-9a-f]{16}\]/);
    expect((await notes.run("approve", held)).code).toBe(0);
    notes.trouble("send", "error-after");
    await agent.call("send", { to: SECRET });
    await agent.call("send", { to: `${SECRET}!` });
    expect(
      notes
        .received()
        .filter(({ name }) => name === "send")
        .map(({ args }) => args["to"]),
    ).toEqual([SECRET]);
  }
  expect(everythingRecorded(notes)).toContain("[redacted: 15 characters");
  expect(everythingRecorded(notes)).not.toContain(SECRET);
  for (const words of [["list"], ["show"], ["gates"], ["show", "--json"]]) expect((await notes.run(...words)).out).not.toContain(SECRET);
  await expectIntact(notes);
});

test("P3: what was made with a redacted value is undone, and what somebody made of it since is seen by its mark", async () => {
  using notes = makeNotes(RULES);
  {
    await using agent = await Agent.start(notes);
    await agent.call("create", { value: SECRET });
    await agent.call("create", { value: "other-secret" });
    await untilCaptured(notes);
  }
  const state = notes.state();
  notes.setState({ ...state, notes: { ...state.notes, n1: "a person's own" } });
  const first = await undo(notes, "--yes", "--keep-going");
  expect(first.steps.map(({ seq, end }) => [seq, end])).toEqual([
    [2, "undone"],
    [1, "not-sent"],
  ]);
  expect(first.steps[1]).toMatchObject({ kind: "conflict" });
  expect(notes.state().notes["n1"]).toBe("a person's own");
  expect(everythingRecorded(notes)).not.toMatch(/correct-horse-7|other-secret/);
});

test("redo says that what was redacted can't be sent again, and sends nothing", async () => {
  using notes = makeNotes(RULES);
  {
    await using agent = await Agent.start(notes);
    await agent.call("create", { value: SECRET });
    await untilCaptured(notes);
  }
  expect(await undo(notes, "--yes")).toMatchObject({ state: "undone" });
  const before = notes.received().length;
  const redo = await notes.json<UndoDocument>("redo", "--yes");
  expect(redo.steps.map(({ kind, reason }) => [kind, reason])).toEqual([["permanent", "redacted"]]);
  expect(
    notes
      .received()
      .slice(before)
      .filter(({ name }) => name === "create"),
  ).toEqual([]);
  expect((await notes.run("redo", "--dry-run")).out.replace(/\s+/g, " ")).toContain("keeps a part of its arguments out of the record");
});
