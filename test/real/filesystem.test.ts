// Does the shipped filesystem policy keep its word on the real server? Every change of a real folder is undone to the same bytes and modes, created
// files and folders included; two hundred mixed calls too.
import { expect } from "bun:test";
import { appendFileSync, chmodSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { expectIntact, stepsOf, undo } from "../support/documents.ts";
import { type Chooser, seeds, withSeed } from "../support/random.ts";
import { ROOT } from "../support/sandbox.ts";
import { filesIn, plant, treeOf } from "../support/tree.ts";
import { type Call, perform, prover } from "./proof.ts";

const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
const CALLS = 200;

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
  "damaged.txt": "one\n\ufffd\n",
  "json.txt": '{"content":"not this","$snapshot":"$.path"}',
  "sub/deep/inside.md": "# Title\n\ntext  \n",
  "sub/looks-like-a-number.txt": "12345678901234567890",
};
const BYTES: Readonly<Record<string, Uint8Array>> = {
  "image.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xfe, 0x80]),
  "cut.txt": new Uint8Array([0x6f, 0x6e, 0x65, 0xc3, 0x0a]),
  "latin.txt": new Uint8Array([0x6f, 0x6e, 0x65, 0x0d, 0x0a, 0xe9]),
};
const ALL = [...Object.keys(TEXTS), ...Object.keys(BYTES)];

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "filesystem",
  command: (root) => ["node", SERVER, root],
  plant(root) {
    plant(root, { ...TEXTS, ...BYTES });
    chmodSync(join(root, "plain.txt"), 0o640);
    chmodSync(join(root, "image.png"), 0o755);
  },
  state: (root) => Object.entries(treeOf(root)).map(([name, content]) => [name, content, statSync(join(root, name)).mode]),
});

/** A place in the folder, however it is spelled. */
const at = (root: string, ...names: readonly string[]) => join(root, ...names);

test("P3: every kind of text and every other kind of bytes comes back from being overwritten", () =>
  prove((root) => ALL.map((name) => ["write_file", { path: at(root, name), content: "overwritten\n" }])));

test("P3: likewise from being edited, where the server turns line ends and damages what is no text", () =>
  prove((root) =>
    ALL.filter((name) => /^one/m.test(readFileSync(at(root, name), "latin1").replace(/^\u00ef\u00bb\u00bf/, ""))).map((name) => [
      "edit_file",
      { path: at(root, name), edits: [{ oldText: "one", newText: "1" }] },
    ]),
  ));

test("P3: created files and folders are gone again, and those that were there stay", () =>
  prove((root) => [
    ["write_file", { path: at(root, "new.txt"), content: "new\r\n" }],
    ["write_file", { path: at(root, "new.txt"), content: "again" }],
    ["create_directory", { path: at(root, "sub") }],
    ["create_directory", { path: at(root, "sub/a/b/c") }],
    ["write_file", { path: at(root, "sub/a/b/empty.txt"), content: "" }],
    ["create_directory", { path: "sub/a/d" }],
    ["write_file", { path: "relative.txt", content: "to the folder that the server was given" }],
  ]));

test("P3: files, whatever is in them, and folders are moved back", () =>
  prove((root) => [
    ["move_file", { source: at(root, "plain.txt"), destination: at(root, "sub/plain.txt") }],
    ["move_file", { source: at(root, "image.png"), destination: at(root, "plain.txt") }],
    ["create_directory", { path: at(root, "made") }],
    ["move_file", { source: at(root, "sub"), destination: at(root, "made/sub") }],
    ["edit_file", { path: at(root, "made/sub/plain.txt"), edits: [{ oldText: "one", newText: "1" }] }],
  ]));

test("P3: calls that the server refuses, and an edit that is only tried, leave nothing to undo", async () => {
  using place = await make();
  const before = await place.state();
  const path = at(place.root, "plain.txt");
  const edits = [{ oldText: "one", newText: "1" }];
  const refused: readonly Call[] = [
    ["move_file", { source: path, destination: at(place.root, "image.png") }],
    ["move_file", { source: at(place.root, "nothing"), destination: at(place.root, "new.txt") }],
    ["edit_file", { path, edits: [{ oldText: "no such line", newText: "" }] }],
    ["edit_file", { path: at(place.root, "nothing"), edits }],
    ["write_file", { path: at(place.root, "sub"), content: "over a folder" }],
    ["write_file", { path: at(place.root, "no/such/folder.txt"), content: "" }],
    ["write_file", { path: at(place.root, "../outside.txt"), content: "" }],
    ["create_directory", { path: at(place.root, "plain.txt") }],
  ];
  await using agent = await Agent.start(place);
  for (const [tool, args] of refused) expect([tool, args, (await agent.call(tool, args)).isError]).toEqual([tool, args, true]);
  expect((await agent.call("edit_file", { path, edits, dryRun: true })).isError).toBeFalsy();
  await agent.end();
  const { steps } = await undo(place, "--dry-run");
  expect(steps.filter(({ kind }) => kind !== "skip" && kind !== "done")).toEqual([]);
  expect(await place.state()).toEqual(before);
});

test("P3: lines, modes and files that a person changed in between are kept", () =>
  proveKept(
    (root) => [
      ["edit_file", { path: at(root, "plain.txt"), edits: [{ oldText: "one", newText: "1" }] }],
      ["write_file", { path: at(root, "json.txt"), content: "{}" }],
      ["create_directory", { path: at(root, "made") }],
      ["write_file", { path: at(root, "made/new.txt"), content: "new" }],
    ],
    ({ root }) => {
      appendFileSync(at(root, "plain.txt"), "a person's\n");
      chmodSync(at(root, "json.txt"), 0o600);
      writeFileSync(at(root, "a-person's.txt"), "");
    },
  ));

test("P3: what a person wrote into an agent's file, or put into its folder, stays there, and undo says so", async () => {
  using place = await make();
  const { root } = place;
  await perform(place, [["write_file", { path: at(root, "new.txt"), content: "the agent's" }]]);
  appendFileSync(at(root, "new.txt"), ", and a person's");
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(readFileSync(at(root, "new.txt"), "utf8")).toBe("the agent's, and a person's");
  await perform(place, [["create_directory", { path: at(root, "made/here") }]]);
  writeFileSync(at(root, "made/here/a person's.txt"), "");
  expect(await undo(place, "--yes")).toMatchObject({ state: "partial", steps: [{ seq: 1, end: "refused" }] });
  expect(readdirSync(at(root, "made/here"))).toEqual(["a person's.txt"]);
  await perform(place, [["write_file", { path: at(root, "image.png"), content: "the agent's" }]]);
  writeFileSync(at(root, "image.png"), "a person's");
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(readFileSync(at(root, "image.png"), "utf8")).toBe("a person's");
});

test("P3: nothing is moved back over what a person put there, and what they put in its place isn't moved", async () => {
  using place = await make();
  const [from, to] = [at(place.root, "plain.txt"), at(place.root, "moved.txt")];
  await perform(place, [["move_file", { source: from, destination: to }]]);
  writeFileSync(from, "a person's\n");
  expect(await undo(place, "--yes")).toMatchObject({ state: "partial", steps: [{ seq: 1, end: "refused" }] });
  expect([readFileSync(from, "utf8"), readFileSync(to, "utf8")]).toEqual(["a person's\n", "one\ntwo\nthree\n"]);
  renameSync(from, to);
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(readFileSync(to, "utf8")).toBe("a person's\n");
});

test("P3: a link that was moved is not put back by halves", async () => {
  using place = await make();
  const { root } = place;
  symlinkSync("plain.txt", at(root, "link"));
  await perform(place, [["move_file", { source: at(root, "link"), destination: at(root, "moved.txt") }]]);
  expect((await undo(place, "--yes")).state).toBe("partial");
  expect(readFileSync(at(root, "moved.txt"), "utf8")).toBe("one\ntwo\nthree\n");
});

/** One of the ways in which a path may be written. */
function spelled(choose: Chooser, root: string, name: string): string {
  return choose.of([`${root}/${name}`, name, `${root}/./${name}`, `${root}//${name}`, `${root}/sub/../${name}`]);
}

/** An edit of a line that the file has; now and then of one that it doesn't have. */
function anEdit(choose: Chooser, content: string): { oldText: string; newText: string } {
  const lines = content.split(/\r?\n/).filter((line) => line !== "");
  const oldText = lines.length === 0 || choose.chance(10) ? "no such line" : choose.of(lines);
  return { oldText, newText: choose.of(["edited", "", "two\nlines", "windows\r\nlines", "$& $1 $$", "é"]) };
}

/** The next call on what is there. */
function nextCall(choose: Chooser, root: string): Call {
  const name = choose.of(filesIn(root));
  const path = spelled(choose, root, name);
  const fresh = `${choose.of(["", "sub/", "sub/deep/", "made/1/", "made/2/3/"])}f${choose.below(40)}`;
  switch (choose.below(12)) {
    case 0:
      return choose.of([
        ["read_text_file", { path }],
        ["list_directory", { path: root }],
        ["write_file", { path: at(root, "../outside.txt"), content: "denied by the server" }],
      ] as const);
    case 1:
      return ["create_directory", { path: spelled(choose, root, choose.of(["made", "made/1", "made/2/3", "sub/other"])) }];
    case 2:
    case 3:
      return ["write_file", { path: spelled(choose, root, fresh), content: `${choose.below(1e6)}` }];
    case 4:
      return ["move_file", { source: path, destination: spelled(choose, root, choose.chance(15) ? choose.of(filesIn(root)) : fresh) }];
    case 5:
      return choose.of([
        ["move_file", { source: at(root, "made/1"), destination: at(root, "sub/1") }],
        ["move_file", { source: at(root, "sub/1"), destination: at(root, "made/1") }],
      ] as const);
    case 6:
    case 7:
    case 8: {
      const edits = Array.from({ length: 1 + choose.below(2) }, () => anEdit(choose, readFileSync(at(root, name), "utf8")));
      return ["edit_file", { path, edits, dryRun: choose.chance(15) }];
    }
    default:
      return ["write_file", { path, content: choose.of([...Object.values(TEXTS), `${choose.below(1e6)}`, "x".repeat(5000)]) }];
  }
}

test(`P3: ${CALLS} mixed calls on a real folder, through the real server, are undone to the same bytes and modes`, async () => {
  for (const seed of seeds(20260801)) {
    await withSeed(seed, async (choose) => {
      using place = await make();
      const before = await place.state();
      const agent = await Agent.start(place);
      const done = new Map<string, number>();
      for (let made = 0; made < CALLS; made++) {
        const [tool, args] = nextCall(choose, place.root);
        const { isError } = await agent.call(tool, args);
        if (!isError) done.set(tool, (done.get(tool) ?? 0) + 1);
      }
      await agent.end();
      for (const tool of ["write_file", "edit_file", "move_file", "create_directory"]) expect(done.get(tool)).toBeGreaterThan(4);
      expect(await place.state()).not.toEqual(before);
      const undone = await undo(place, "--yes");
      expect({ state: undone.state, outstanding: undone.outstanding }).toEqual({ state: "undone", outstanding: [] });
      expect(await place.state()).toEqual(before);
      await expectIntact(place);
    });
  }
});

declareProofs();
