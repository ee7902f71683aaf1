// Does the shipped policy for @wonderwhy-er/desktop-commander keep its word on the real server? Every file, byte by byte, its mode and the server's settings are
// what they were after undo.
import { expect } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { actions, stepsOf, undo } from "../support/documents.ts";
import { plant, treeOf } from "../support/tree.ts";
import { installed } from "./installed.ts";
import { perform, prover } from "./proof.ts";

const SERVER = installed("desktop-commander", "node-servers/node_modules/@wonderwhy-er/desktop-commander/dist/index.js");

const SETTINGS = {
  blockedCommands: ["sudo"],
  allowedDirectories: [],
  defaultShell: "/bin/sh",
  telemetryEnabled: false, // It would be sent to somebody outside.
  fileWriteLineLimit: 50,
  fileReadLineLimit: 1000,
};

/** Where the server keeps its settings, among much that it counts by itself. */
const settingsIn = (root: string) => join(root, "..", "home/.claude-server-commander/config.json");

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "desktop-commander",
  lacks: SERVER.lacks,
  command: () => ["node", SERVER.path],
  env: (root) => ({ HOME: join(root, "..", "home"), DC_FLAG_URL: "http://127.0.0.1:1/" }), // It would ask its makers.
  plant: (root) => {
    plant(root, {
      "a.txt": "one\ntwo\nthree\n",
      "same.txt": "one\ntwo\nthree\n",
      "windows.txt": "a\r\nb\r\nc",
      "binary.dat": new Uint8Array([0, 255, 13, 10, 128, 0]),
      "long.txt": Buffer.from(`${Array.from({ length: 3000 }, (_, line) => `line ${line}`).join("\n")}\ncaf\xe9`, "latin1"),
      "folder/b.txt": "é 日本\n",
      "empty/gone": "",
    });
    chmodSync(join(root, "a.txt"), 0o640);
    plant(join(root, ".."), { "home/.claude-server-commander/config.json": JSON.stringify(SETTINGS) });
  },
  state: (root) => {
    const settings = JSON.parse(readFileSync(settingsIn(root), "utf8")) as Record<string, unknown>;
    const files = treeOf(root);
    return {
      files,
      modes: Object.keys(files).map((name) => statSync(join(root, name)).mode),
      settings: Object.keys(SETTINGS).map((key) => settings[key]),
    };
  },
});

test("P3: files that were written, appended to and edited have every byte and their mode as before, and new ones are gone", () =>
  prove((root) => {
    const at = (name: string) => ({ path: join(root, name) });
    return [
      ["write_file", { ...at("a.txt"), content: "agent's\n", mode: "rewrite" }],
      ["write_file", { ...at("a.txt"), content: "more\n", mode: "append" }],
      ["write_file", { ...at("new.txt"), content: "agent's" }],
      ["edit_block", { file_path: join(root, "windows.txt"), old_string: "b", new_string: "B" }],
      ["edit_block", { file_path: join(root, "long.txt"), old_string: "line 2500", new_string: "agent's" }],
      ["edit_block", { file_path: join(root, "new.txt"), old_string: "agent's", new_string: "x" }],
      ["write_file", { ...at("folder/b.txt"), content: "", mode: "rewrite" }],
    ];
  }));

test("P3: what was moved is back, and what it was moved onto too, even where that was the same", () =>
  prove((root) => {
    const move = (source: string, destination: string) =>
      ["move_file", { source: join(root, source), destination: join(root, destination) }] as const;
    return [
      move("a.txt", "folder/a.txt"),
      move("windows.txt", "binary.dat"),
      move("folder/a.txt", "same.txt"),
      move("folder", "elsewhere"),
      move("binary.dat", "elsewhere/b.txt"),
    ];
  }));

test("P3: folders that were made are gone again, and one that was there stays", () =>
  prove((root) => [
    ["create_directory", { path: join(root, "x/y/z") }],
    ["create_directory", { path: join(root, "folder") }],
    ["create_directory", { path: join(root, "x/w") }],
    ["write_file", { path: join(root, "x/y/new.txt"), content: "agent's" }],
  ]));

test("P3: settings are as they were", () =>
  prove([
    ["set_config_value", { key: "fileWriteLineLimit", value: 70 }],
    ["set_config_value", { key: "fileReadLineLimit", value: 2000 }],
    ["set_config_value", { key: "fileWriteLineLimit", value: 90 }],
  ]));

test("P3: what a person wrote in other lines and other files is kept", () =>
  proveKept(
    (root) => [
      ["edit_block", { file_path: join(root, "a.txt"), old_string: "one", new_string: "agent's" }],
      ["move_file", { source: join(root, "windows.txt"), destination: join(root, "moved.txt") }],
      ["create_directory", { path: join(root, "x") }],
    ],
    ({ root }) => {
      writeFileSync(join(root, "a.txt"), readFileSync(join(root, "a.txt"), "utf8").replace("three", "a person's"));
      plant(root, { "folder/b.txt": "a person's", "folder/new.txt": "a person's" });
    },
  ));

test("P3: a new file that a person has changed since stays, as does a folder with something of theirs in it", async () => {
  using place = await make();
  const { root } = place;
  await perform(place, [["write_file", { path: join(root, "new.txt"), content: "agent's" }]]);
  writeFileSync(join(root, "new.txt"), "a person's");
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  await perform(place, [["create_directory", { path: join(root, "x") }]]);
  writeFileSync(join(root, "x/own.txt"), "a person's");
  const before = await place.state();
  await undo(place, "--yes");
  expect(await place.state()).toEqual(before);
});

test("P5: commands, other paths, URLs and what the agent may do are a person's to decide", async () => {
  using place = await make();
  const before = await place.state();
  await using agent = await Agent.start(place);
  for (const [tool, args] of [
    ["start_process", { command: "touch x", timeout_ms: 1000 }],
    ["write_file", { path: "relative.txt", content: "x" }],
    ["write_file", { path: join(place.folder, "outside.txt"), content: "x" }],
    ["move_file", { source: join(place.root, "a.txt"), destination: "~/a.txt" }],
    ["read_file", { path: "http://127.0.0.1:1/", isUrl: true }],
    ["set_config_value", { key: "allowedDirectories", value: ["/"] }],
    ["set_config_value", { key: "blockedCommands", value: [] }],
  ] as const) {
    expect(await agent.call(tool, args)).toMatchObject({ isError: true });
    expect(await place.state()).toEqual(before);
  }
});

test("an edit that finds nothing counts as failed, although the server says so in a plain result", async () => {
  using place = await make();
  await perform(place, [["edit_block", { file_path: join(place.root, "a.txt"), old_string: "not there", new_string: "x" }]]);
  expect(await actions(place)).toMatchObject([{ status: "failed" }]);
});

declareProofs();
