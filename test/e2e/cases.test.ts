// Which rule governs where it depends on an argument, or on what was there? As a user meets it, with the real proxy, server and undo.
import { expect, test } from "bun:test";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions, type UndoDocument, untilCaptured } from "../support/documents.ts";
import { edit, makeNotes } from "../support/notes.ts";

const READS = `
  - { match: "notes.get", class: readonly }
`;
const SNAPSHOT = `{ tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }`;
const BACK = `{ tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }`;
const AWAY = `{ tool: "notes.remove", args: { key: "$.key" } }`;

const BY_KEY = `${READS}
  - match: "notes.set"
    by: "$.key"
    snapshot: ${SNAPSHOT}
    cases:
      a: { class: reversible, inverse: ${BACK} }
      b: { class: irreversible }
`;

test("P5: the argument says which rule governs; a value that has no case is held, and passes once it is approved", async () => {
  using notes = makeNotes(BY_KEY);
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "new" });
  const held = heldId(await agent.call("set", { key: "b", value: "new" }));
  const other = await agent.call("set", { key: "c", value: "new" });
  expect(textOf(other)).toContain("has no case for what this call says it would do");
  expect(notes.state().notes).toEqual({ a: "new", b: "second", c: "third" });
  expect((await actions(notes)).map(({ class: kind, status, reason }) => [kind, status, reason])).toEqual([
    ["reversible", "applied", null],
    ["irreversible", "held", "gate-always"],
    ["irreversible", "held", "no-case"],
  ]);
  expect((await notes.run("approve", heldId(other))).code).toBe(0);
  expect((await notes.run("deny", held)).code).toBe(0);
  await agent.call("set", { key: "c", value: "new" });
  expect(notes.state().notes["c"]).toBe("new");
  await agent.end();
  expect(await notes.json<UndoDocument>("undo", "--yes")).toMatchObject({ state: "partial" });
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "new" });
});

const CREATING = `${READS}
  - match: "notes.set"
    class: reversible
    resource: "note:$.key"
    snapshot: ${SNAPSHOT}
    inverse: ${BACK}
    when_absent: { inverse: ${AWAY} }
`;

test("what wasn't there before is taken away by undo, what was there is put back, both unasked", async () => {
  using notes = makeNotes(CREATING);
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "fresh", value: "one" });
  await agent.call("set", { key: "a", value: "two" });
  await agent.call("set", { key: "fresh", value: "three" });
  expect((await actions(notes)).map(({ class: kind, status }) => [kind, status])).toEqual(Array(3).fill(["reversible", "applied"]));
  await agent.end();
  const undone = await notes.json<UndoDocument>("undo", "--yes");
  expect(undone).toMatchObject({ state: "undone" });
  expect(undone.steps.map(({ end, verified }) => [end, verified])).toEqual(Array(3).fill(["undone", true]));
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
  expect((await notes.run("redo", "--yes")).code).toBe(0);
  expect(notes.state().notes).toEqual({ a: "two", b: "second", c: "third", fresh: "three" });
});

test("P3: what a call made anew and a person has changed since is left to them", async () => {
  using notes = makeNotes(CREATING);
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "fresh", value: "one" });
  await untilCaptured(notes);
  edit(notes, { fresh: "a person's" });
  await agent.end();
  expect(await notes.json<UndoDocument>("undo", "--yes")).toMatchObject({ state: "partial", halt: 1 });
  expect(notes.state().notes["fresh"]).toBe("a person's");
});

const OVERWRITING = `${READS}
  - match: "notes.set"
    class: irreversible
    snapshot: ${SNAPSHOT}
    when_absent: { class: compensable, inverse: ${AWAY} }
`;

test("P6: where it would overwrite, the call waits for a person; that approval is for nothing else", async () => {
  using notes = makeNotes(OVERWRITING);
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("set", { key: "a", value: "new" }));
  expect(textOf(await agent.call("set", { key: "fresh", value: "new" }))).toContain("fresh");
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third", fresh: "new" });
  expect((await notes.run("approve", held)).code).toBe(0);
  edit(notes, { a: undefined });
  await agent.call("set", { key: "a", value: "new" }); // nothing is there any more: it needs no approval, and spends none
  expect((await actions(notes)).map(({ status, class: kind }) => [kind, status])).toEqual([
    ["irreversible", "approved"],
    ["compensable", "applied"],
    ["compensable", "applied"],
  ]);
  await agent.call("set", { key: "a", value: "new" });
  expect((await actions(notes)).at(-1)).toMatchObject({ class: "irreversible", status: "permanent" });
  await agent.end();
  expect(await notes.json<UndoDocument>("undo", "--yes")).toMatchObject({ state: "partial" });
});
