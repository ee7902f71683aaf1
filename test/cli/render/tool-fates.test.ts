import { expect, test } from "bun:test";
import { toolFatesText } from "../../../src/cli/render/tool-fates.ts";
import { loadManifestText } from "../../../src/manifest/load.ts";

const MANIFEST = `version: 1
servers:
  notes: { command: notes }
tools:
  - match: "notes.get_*"
    class: readonly
  - match: "notes.set_note"
    class: reversible
    snapshot: { tool: "notes.get_note", args: { id: "$.id" } }
    inverse: { tool: "notes.set_note", args: { id: "$.id", text: "$snapshot.text" } }
  - match: "notes.query"
    class: irreversible
    gate: on_write
  - match: "notes.get_secret"
    class: readonly
    gate: always
  - match: "notes.tags"
    by: "$.action"
    cases:
      list: { class: readonly }
      clear: { class: irreversible }
`;

test("P5: a person sees what a policy means for each tool, one that it doesn't mention and one whose name is hostile too", () => {
  const loading = loadManifestText(MANIFEST, { directory: "/", env: {} });
  if (loading.kind === "invalid") throw new Error(loading.problems[0]?.message);
  const tools = ["get_note", "set_note", "query", "get_secret", "tags", "odd\u001b[2J"];
  expect(toolFatesText(loading.policy, "notes", tools, 200)).toBe(
    [
      "notes: 6 tools",
      "  only read, and pass: get_note",
      "  change something that undo puts back: set_note",
      "  held for you, unless the call only reads: query",
      "  held for you, or put back by undo, as the call's arguments say: tags",
      "  held for you, each time: get_secret, odd\\u001b[2J",
    ].join("\n"),
  );
});

test("of many tools the first are named, and the others counted; no line is wider than the terminal", () => {
  const loading = loadManifestText(MANIFEST, { directory: "/", env: {} });
  if (loading.kind === "invalid") throw new Error(loading.problems[0]?.message);
  const tools = Array.from({ length: 30 }, (_, index) => `get_thing_${index}`);
  const text = toolFatesText(loading.policy, "notes", tools, 40);
  expect(text).toContain("get_thing_19 and 10 more");
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(40);
});
