// Does the shipped filesystem policy keep its word on the real server? Two hundred mixed calls on a real folder are undone to the same bytes.
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { expectIntact, runs, stepsOf, type UndoDocument } from "../support/documents.ts";
import { type Chooser, seeds, withSeed } from "../support/random.ts";
import { makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";
import { filesIn, plant, treeOf } from "../support/tree.ts";

const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
const CALLS = 200;

const BINARY = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xfe, 0x80]);
const TEXTS: Readonly<Record<string, string>> = {
  "plain.txt": "one\ntwo\nthree\n",
  "no-newline.txt": "one\ntwo\nthree",
  "windows.txt": "one\r\ntwo\r\nthree\r\n",
  "mixed.txt": "one\r\ntwo\nthree\rfour\n\n\n",
  "bom.txt": "\ufeffone\ntwo\n",
  "empty.txt": "",
  "one-newline.txt": "\n",
  "unicode é 日本.txt": "日本語\n😀 e\u0301 \u00e9\n\u2028\u200b\n",
  "control.txt": "a\u0000b\u001b[31m\u007f\n\ttab \n",
  "json.txt": '{"content":"not this","$snapshot":"$.path"}',
  "sub/deep/inside.md": "# Title\n\ntext  \n",
  "sub/looks-like-a-number.txt": "12345678901234567890",
};

interface Files extends Sandbox {
  /** The folder that the server may touch. */
  readonly root: string;
  readonly command: readonly string[];
}

function makeFiles(files: Readonly<Record<string, string | Uint8Array>> = TEXTS): Files {
  const sandbox = makeSandbox();
  copyFileSync(join(ROOT, "manifests", "filesystem.yaml"), join(sandbox.folder, "synartesis.yaml"));
  const root = join(sandbox.folder, "files");
  mkdirSync(root);
  plant(root, files);
  return { ...sandbox, root, command: ["--", "node", SERVER, root] };
}

function start(files: Files): Promise<Agent> {
  return Agent.start(files, ["--server", "filesystem", ...files.command]);
}

async function undoFiles(files: Files, ...words: string[]): Promise<UndoDocument> {
  const [run] = (await runs(files)).filter(({ kind }) => kind === "agent");
  const ended = await files.run("undo", run?.id ?? "", ...words, "--json", ...files.command);
  return JSON.parse(ended.out) as UndoDocument;
}

/** One of the ways in which a path may be written. */
function spelled(choose: Chooser, files: Files, name: string): string {
  return choose.of([join(files.root, name), `${files.root}/./${name}`, `${files.root}//${name}`, `${files.root}/sub/../${name}`]);
}

/** An edit of a line that the file has; now and then of one that it doesn't have. */
function anEdit(choose: Chooser, content: string): { oldText: string; newText: string } {
  const lines = content.split(/\r?\n/).filter((line) => line !== "");
  const oldText = lines.length === 0 || choose.chance(10) ? "no such line" : choose.of(lines);
  return { oldText, newText: choose.of(["edited", "", "two\nlines", "windows\r\nlines", "$& $1 $$", "é"]) };
}

/** The next call on files that are there. `moved` are pairs of places between which files were moved before. */
function nextCall(choose: Chooser, files: Files, moved: (readonly [string, string])[]): readonly [string, Record<string, unknown>] {
  const names = filesIn(files.root);
  const name = choose.of(names);
  const path = spelled(choose, files, name);
  switch (choose.below(12)) {
    case 0:
      return ["read_text_file", { path }];
    case 1:
      return choose.of([
        ["list_directory", { path: files.root }],
        ["get_file_info", { path }],
        ["create_directory", { path: join(files.root, "made") }],
        ["write_file", { path: join(files.root, "new.txt"), content: "held, since nothing could delete it" }],
        ["write_file", { path: join(files.root, "../outside.txt"), content: "denied by the server" }],
      ] as const);
    case 2:
    case 3: {
      const back = moved.findLast(([, to]) => names.includes(to));
      if (back !== undefined && choose.chance(60)) return move(files, moved, back[1], back[0]);
      return move(
        files,
        moved,
        name,
        choose.chance(15) ? choose.of(names) : `${choose.of(["", "sub/", "sub/deep/"])}m${choose.below(30)}.txt`,
      );
    }
    case 4:
    case 5:
    case 6: {
      const edits = Array.from({ length: 1 + choose.below(2) }, () => anEdit(choose, readFileSync(join(files.root, name), "utf8")));
      return ["edit_file", { path, edits, dryRun: choose.chance(15) }];
    }
    default:
      return ["write_file", { path, content: choose.of([...Object.values(TEXTS), `${choose.below(1e6)}`, "x".repeat(5000)]) }];
  }
}

function move(files: Files, moved: (readonly [string, string])[], from: string, to: string): readonly [string, Record<string, unknown>] {
  moved.push([from, to]);
  return ["move_file", { source: join(files.root, from), destination: join(files.root, to) }];
}

test(`P3: ${CALLS} mixed calls on a real folder, through the real server, are undone to the same bytes`, async () => {
  for (const seed of seeds(20260801)) {
    await withSeed(seed, async (choose) => {
      using files = makeFiles();
      const before = treeOf(files.root);
      const agent = await start(files);
      const moved: (readonly [string, string])[] = [];
      const done = new Map<string, number>();
      for (let made = 0; made < CALLS; made++) {
        const [tool, args] = nextCall(choose, files, moved);
        const { isError } = await agent.call(tool, args);
        if (!isError) done.set(tool, (done.get(tool) ?? 0) + 1);
      }
      await agent.end();
      for (const tool of ["write_file", "edit_file", "move_file"]) expect(done.get(tool)).toBeGreaterThan(9);
      expect(treeOf(files.root)).not.toEqual(before);
      const undone = await undoFiles(files);
      expect({ state: undone.state, outstanding: undone.outstanding }).toEqual({ state: "undone", outstanding: [] });
      expect(treeOf(files.root)).toEqual(before);
      await expectIntact(files);
    });
  }
}, 90_000);

test("P3: every kind of text comes back byte by byte from being overwritten and edited", async () => {
  using files = makeFiles();
  const before = treeOf(files.root);
  const agent = await start(files);
  for (const [name, content] of Object.entries(TEXTS)) {
    const path = join(files.root, name);
    const line = content.split(/\r?\n/).find((each) => each !== "");
    if (line !== undefined) await agent.call("edit_file", { path, edits: [{ oldText: line, newText: "edited" }] });
    expect((await agent.call("write_file", { path, content: "overwritten" })).isError).toBeFalsy();
  }
  await agent.end();
  expect(Object.values(treeOf(files.root)).filter((bytes) => bytes === Buffer.from("overwritten").toString("hex"))).toHaveLength(
    Object.keys(TEXTS).length,
  );
  expect((await undoFiles(files)).state).toBe("undone");
  expect(treeOf(files.root)).toEqual(before);
});

test("P2: a binary file is neither overwritten nor edited: its bytes could not be put back as text", async () => {
  using files = makeFiles({ "image.png": BINARY, "cut.txt": new Uint8Array([0x61, 0xc3, 0x0a]), "plain.txt": "one\n" });
  const before = treeOf(files.root);
  const agent = await start(files);
  for (const name of ["image.png", "cut.txt"]) {
    const path = join(files.root, name);
    expect(textOf(await agent.call("write_file", { path, content: "text" }))).toContain("U+FFFD");
    expect(textOf(await agent.call("edit_file", { path, edits: [{ oldText: "a", newText: "b" }] }))).toContain("U+FFFD");
  }
  // A move carries the bytes along, whatever they are.
  const moved = { source: join(files.root, "image.png"), destination: join(files.root, "moved.png") };
  expect((await agent.call("move_file", moved)).isError).toBeFalsy();
  await agent.end();
  expect((await undoFiles(files)).state).toBe("undone");
  expect(treeOf(files.root)).toEqual(before);
});

test("P5: a write that would create a file is held, and after it was approved it is named as permanent", async () => {
  using files = makeFiles({ "plain.txt": "one\n" });
  const agent = await start(files);
  const call = { path: join(files.root, "new.txt"), content: "new" };
  const held = await agent.call("write_file", call);
  expect(textOf(held)).toContain("doesn't exist yet");
  expect(filesIn(files.root)).toEqual(["plain.txt"]);
  expect((await files.run("approve", heldId(held))).code).toBe(0);
  expect((await agent.call("write_file", call)).isError).toBeFalsy();
  await agent.end();
  const undone = await undoFiles(files);
  expect(undone.steps.map(({ kind, reason }) => [kind, reason])).toEqual([
    ["permanent", "state-absent"],
    ["skip", "changed-nothing"],
  ]);
  expect(undone).toMatchObject({ state: "partial", outstanding: [2] });
});

test("P3: a person's edit of one byte is kept, and undo goes no further", async () => {
  using files = makeFiles();
  const agent = await start(files);
  await agent.call("write_file", { path: join(files.root, "plain.txt"), content: "agent's\n" });
  await agent.call("write_file", { path: join(files.root, "windows.txt"), content: "agent's\n" });
  await agent.end();
  writeFileSync(join(files.root, "windows.txt"), "agent's\r\n");
  expect(stepsOf(await undoFiles(files))[0]).toEqual([2, "conflict", "not-sent"]);
  expect(readFileSync(join(files.root, "windows.txt"), "utf8")).toBe("agent's\r\n");
  expect(readFileSync(join(files.root, "plain.txt"), "utf8")).toBe("agent's\n");
});

test("P3: a file that was moved away and whose place a person has filled is not moved over it", async () => {
  using files = makeFiles({ "a.txt": "moved\n" });
  const agent = await start(files);
  await agent.call("move_file", { source: join(files.root, "a.txt"), destination: join(files.root, "b.txt") });
  await agent.end();
  writeFileSync(join(files.root, "a.txt"), "a person's\n");
  const undone = await undoFiles(files);
  expect(undone.state).toBe("partial");
  expect(readFileSync(join(files.root, "a.txt"), "utf8")).toBe("a person's\n");
  expect(readFileSync(join(files.root, "b.txt"), "utf8")).toBe("moved\n");
});

test("P3: a text that a person has put where another was moved to stays there, and undo halts", async () => {
  using files = makeFiles({ "a.txt": "moved\n" });
  const agent = await start(files);
  await agent.call("move_file", { source: join(files.root, "a.txt"), destination: join(files.root, "b.txt") });
  await agent.end();
  writeFileSync(join(files.root, "b.txt"), "a person's\n");
  expect(stepsOf(await undoFiles(files))).toEqual([[1, "conflict", "not-sent"]]);
  expect(filesIn(files.root)).toEqual(["b.txt"]);
  writeFileSync(join(files.root, "b.txt"), BINARY);
  expect(stepsOf(await undoFiles(files))).toEqual([[1, "conflict", "not-sent"]]);
  writeFileSync(join(files.root, "b.txt"), "moved\n");
  expect((await undoFiles(files)).steps[0]).toMatchObject({ kind: "compensate", end: "undone", verified: true });
  expect(filesIn(files.root)).toEqual(["a.txt"]);
});

test("a folder and a binary file are moved back, unverified: what they hold can't be read", async () => {
  using files = makeFiles({ "folder/inside.txt": "one\n", "image.png": BINARY });
  const before = treeOf(files.root);
  const agent = await start(files);
  await agent.call("move_file", { source: join(files.root, "folder"), destination: join(files.root, "elsewhere") });
  await agent.call("move_file", { source: join(files.root, "image.png"), destination: join(files.root, "elsewhere/moved.png") });
  await agent.end();
  const plan = await undoFiles(files, "--dry-run");
  expect(plan.steps.map(({ kind, verified }) => [kind, verified])).toEqual([
    ["compensate", false],
    ["compensate", false],
  ]);
  const undone = await undoFiles(files);
  expect(undone.steps.map(({ end, verified }) => [end, verified])).toEqual([
    ["undone", false],
    ["undone", false],
  ]);
  expect(treeOf(files.root)).toEqual(before);
});
