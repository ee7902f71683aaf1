// What does --replan do with an action that nothing could put back, once somebody has put it back by hand?
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterCrash, type UndoDocument } from "../crash/scene.ts";
import { Agent } from "../support/agent.ts";
import { makeNotes, NOTES_RULES } from "../support/notes.ts";

setDefaultTimeout(60_000);

test("P3: with --replan, an action that was permanent and is gone already counts as undone, without a call", async () => {
  using notes = makeNotes(
    NOTES_RULES.replace(
      'inverse: { tool: "notes.remove", args: { key: "$result.key" } }',
      'inverse: { tool: "notes.remove", args: { key: "$result.nowhere" } }',
    ),
  );
  await using agent = await Agent.start(notes);
  await agent.call("create", { value: "new" });
  await agent.end();
  const halted = await notes.json<UndoDocument>("undo");
  expect(halted.steps[0]).toMatchObject({ kind: "permanent", reason: "result-path-missing" });
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  notes.write("synartesis.yaml", manifest.replace("$result.nowhere", "$result.key"));
  notes.setState({ ...notes.state(), notes: { a: "first", b: "second", c: "third" } });
  const done = await notes.json<UndoDocument>("undo", "--replan", halted.run);
  expect(done.steps[0]).toMatchObject({ kind: "done", reason: "gone-already" });
  expect(done.state).toBe("undone");
  expect(notes.received().some(({ name }) => name === "remove")).toBe(false);
  await afterCrash(notes);
});
