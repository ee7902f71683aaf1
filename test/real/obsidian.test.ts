// Does the shipped Obsidian policy keep its word on the real server? Every note in the vault has the bytes that it had after undo.
import { expect } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { stepsOf, undo } from "../support/documents.ts";
import { BUN } from "../support/sandbox.ts";
import { filesIn, plant } from "../support/tree.ts";
import { installed } from "./installed.ts";
import { perform, prover } from "./proof.ts";

const SERVER = installed("obsidian-mcp", "node-servers/node_modules/obsidian-mcp/dist/main.js");

/** Bytes by note; the server's own journal and trash lie in the vault too. */
const notesIn = (root: string) =>
  filesIn(root)
    .filter((name) => !name.startsWith(".obsidian-mcp/"))
    .map((name) => [name, readFileSync(join(root, name)).toString("hex")]);

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "obsidian",
  lacks: SERVER.lacks,
  // It needs a newer Node than others do; this runtime serves as one.
  command: (root) => [BUN, SERVER.path, "serve", "--vault", `notes=${root}`],
  plant(root) {
    mkdirSync(join(root, ".obsidian"));
    plant(root, {
      "a.md": "# A\n\nSee [[b]] and [[sub/c|the third]].\n",
      "b.md": "first\r\nsecond\r\nno newline",
      "sub/c.md": "---\ntags:\n  - old\naliases: [x]\n---\n\n#inline and text  \n",
      "empty.md": "",
      "unicode é.md": "日本語 😀 e\u0301\n\u2028\n",
    });
  },
  state: notesIn,
});

const vault = "notes";

test("P3: notes that were created, also in new folders, are gone again", () =>
  prove([
    ["obsidian_create_note", { vault, path: "new.md", content: "agent's\n" }],
    ["obsidian_create_note", { vault, path: "x/y/new.md", content: "" }],
    ["obsidian_edit_note", { vault, path: "new.md", operation: "append", content: "more" }],
  ]));

test("P3: notes that were edited have every byte as it was", () =>
  prove([
    ["obsidian_edit_note", { vault, path: "b.md", operation: "append", content: "\nmore\n" }],
    ["obsidian_edit_note", { vault, path: "b.md", operation: "replace", content: "x" }],
    ["obsidian_edit_note", { vault, path: "empty.md", operation: "prepend", content: "x" }],
    ["obsidian_edit_note", { vault, path: "unicode é.md", operation: "replace", content: "" }],
  ]));

test("P3: tags that were added and removed leave no trace", () =>
  prove([
    ["obsidian_add_tags", { vault, paths: ["b.md"], tags: ["new"] }],
    ["obsidian_remove_tags", { vault, paths: ["sub/c.md"], tags: ["old", "inline"] }],
    ["obsidian_manage_tags", { vault, operation: "add", paths: ["a.md"], tags: ["x"], location: "both" }],
  ]));

test("P3: notes that were deleted come back, and those that were moved go back, links to them too", () =>
  prove([
    ["obsidian_delete_note", { vault, path: "empty.md" }],
    ["obsidian_move_note", { vault, source: "b.md", destination: "sub/moved.md" }],
    ["obsidian_move_note", { vault, source: "sub/c.md", destination: "third.md", update_links: false }],
    ["obsidian_delete_note", { vault, path: "a.md", reason: "not needed" }],
  ]));

test("P3: what a person wrote in other lines and other notes is kept", () =>
  proveKept(
    [
      ["obsidian_edit_note", { vault, path: "a.md", operation: "append", content: "agent's\n" }],
      ["obsidian_create_note", { vault, path: "new.md", content: "agent's\n" }],
    ],
    ({ root }) => {
      writeFileSync(join(root, "a.md"), readFileSync(join(root, "a.md"), "utf8").replace("# A", "# A, by a person"));
      appendFileSync(join(root, "b.md"), "by a person");
    },
  ));

test("P3: a new note that a person has changed since stays, and a deleted one that they made again too", async () => {
  using place = await make();
  await perform(place, [["obsidian_create_note", { vault, path: "new.md", content: "agent's\n" }]]);
  appendFileSync(join(place.root, "new.md"), "a person's\n");
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await place.state()).toEqual(before);
  rmSync(join(place.root, "new.md"));
  await perform(place, [["obsidian_delete_note", { vault, path: "empty.md" }]]);
  writeFileSync(join(place.root, "empty.md"), "a person's\n");
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(readFileSync(join(place.root, "empty.md"), "utf8")).toBe("a person's\n");
});

test("P5: what has no way back changes nothing without a person", async () => {
  using place = await make();
  writeFileSync(join(place.root, "long.md"), "x".repeat(30_000));
  const before = await place.state();
  await using agent = await Agent.start(place);
  for (const [tool, args] of [
    ["obsidian_create_directory", { vault, path: "made" }],
    ["obsidian_rename_tag", { vault, old_tag: "old", new_tag: "new" }],
    ["obsidian_add_tags", { vault, paths: ["a.md", "b.md"], tags: ["x"] }],
    ["obsidian_delete_note", { vault, path: "b.md", backlink_action: "mark_broken" }],
    ["obsidian_delete_note", { vault, path: "b.md", mode: "permanent", confirm_path: "b.md" }],
    ["obsidian_edit_note", { vault, path: "long.md", operation: "append", content: "x" }],
  ] as const) {
    expect(textOf(await agent.call(tool, args))).toContain("Synartesis");
    expect(await place.state()).toEqual(before);
  }
});

declareProofs();
