// An agent's run through the executable, and its undo: what is put back, what halts, what is named.
import { expect, test } from "bun:test";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { makeNotes } from "../support/notes.ts";

interface UndoDocument {
  readonly state: string | null;
  readonly outstanding: number[] | null;
  readonly steps: { seq: number; kind: string; reason: string; end: string | null; conflicts: { path: string }[] }[];
}

test("P3: a run is put back newest first and read back", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const before = notes.state();
  await agent.call("set", { key: "a", value: "1" });
  await agent.call("set", { key: "b", value: "2" });
  await agent.call("set", { key: "a", value: "3" });
  await agent.call("create", { value: "new" });
  await agent.end();
  const plan = await notes.json<UndoDocument>("undo", "--dry-run");
  expect(plan.steps.map(({ seq, kind }) => [seq, kind])).toEqual([
    [4, "compensate"],
    [3, "restore"],
    [2, "restore"],
    [1, "restore"],
  ]);
  const done = await notes.json<UndoDocument>("undo");
  expect(done.state).toBe("undone");
  expect(notes.state().notes).toEqual(before.notes);
});

test("P3: what a person wrote since is kept, and undo halts and shows it", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "agent's" });
  await agent.end();
  notes.setState({ ...notes.state(), notes: { ...notes.state().notes, a: "a person's" } });
  const done = await notes.run("undo");
  expect(done.code).toBe(1);
  expect(done.out).toContain('"first"');
  expect(done.out).toContain(`"agent's"`);
  expect(done.out).toContain(`"a person's"`);
  expect(notes.state().notes["a"]).toBe("a person's");
});

test("P6: a held call passes once, after a person approved it, and its denial is told", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  expect(heldId(await agent.call("send", { to: "ada" }))).toBe(held);
  expect(notes.state().sent).toEqual([]);
  expect((await notes.run("approve", held)).code).toBe(0);
  expect((await agent.call("send", { to: "ada" })).isError).toBeUndefined();
  const again = await agent.call("send", { to: "ada" });
  expect(notes.state().sent).toEqual(["ada"]);
  expect((await notes.run("deny", heldId(again), "--reason", "once is enough")).code).toBe(0);
  expect(textOf(await agent.call("send", { to: "ada" }))).toContain("once is enough");
  expect(heldId(await agent.call("send", { to: "ada" }))).not.toBe(held);
});
