// Does a server that has no way back get one from the files companion? The real filesystem server through the executable, its folder compared byte for
// byte with what was there before.
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

const OVERWRITES = `
  - match: "fs.write_file"
    class: reversible
    resource: "file:$.path"
    snapshot: { tool: "fs-files.read", args: { path: "$.path" } }
    inverse:
      tool: "fs-files.write_if"
      args:
        path: "$.path"
        text: { from: "$snapshot.text", missing: null }
        content: { from: "$snapshot.content", missing: null }
        mode: "$snapshot.mode"
        if_digest: "$current.digest"
  - match: "fs.create_directory"
    class: compensable
    resource: "file:$.path"
    snapshot: { tool: "fs-files.stat", args: { path: "$.path" } }
    ignore: [missing_parents]
    inverse: { tool: "fs-files.remove_dir_if_empty", args: { path: "$.path" } }
`;

const CREATES = `
  - match: "fs.write_file"
    class: compensable
    resource: "file:$.path"
    snapshot: { tool: "fs-files.stat", args: { path: "$.path" } }
    inverse: { tool: "fs-files.delete_if", args: { path: "$.path", digest: "$current.digest" } }
`;

/** A folder below the sandbox's, which both servers may touch. */
function makeFolder(rules: string): Sandbox & { readonly root: string } {
  const sandbox = makeSandbox();
  const root = join(sandbox.folder, "root");
  mkdirSync(root);
  // `synartesis` isn't on the PATH: in a manifest it is this program.
  const servers = [
    `  fs: { command: ${JSON.stringify(Bun.which("node"))}, args: ${JSON.stringify([SERVER, root])} }`,
    `  fs-files: { command: synartesis, args: [companion, files, --root, ${JSON.stringify(root)}], hidden: true }`,
  ];
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n${servers.join("\n")}\ntools:${rules}`);
  return { ...sandbox, root };
}

async function callAll(sandbox: Sandbox, ...calls: readonly (readonly [string, object])[]): Promise<void> {
  await using agent = await Agent.start(sandbox);
  for (const [name, args] of calls) expect(await agent.call(name, args)).not.toHaveProperty("isError", true);
}

test.each([
  ["CRLF without a final newline", Buffer.from("a\r\nb")],
  ["a text with a replacement character", Buffer.from("a\uFFFDb\n")],
  ["bytes that are no text", Buffer.from([0, 0xff, 0xc3, 0x28, 0x0d, 0x0a])],
])("P3: an overwritten file is restored byte for byte, with its mode: %s", async (_name, before) => {
  using folder = makeFolder(OVERWRITES);
  const path = join(folder.root, "f");
  writeFileSync(path, before);
  chmodSync(path, 0o640);
  await callAll(folder, ["write_file", { path, content: "the agent's\n" }]);
  expect(readFileSync(path, "utf8")).toBe("the agent's\n");
  const undone = await folder.run("undo", "--yes");
  expect([undone.code, readFileSync(path).equals(before), statSync(path).mode & 0o777]).toEqual([0, true, 0o640]);
});

test("P3: what others had changed before a merged undo is still there after its redo, and after it is undone again", async () => {
  using folder = makeFolder(OVERWRITES);
  const path = join(folder.root, "f");
  const lines = (third: string, fifth: string) => `one\ntwo\n${third}\nfour\n${fifth}\n`;
  writeFileSync(path, lines("three", "five"));
  await callAll(folder, ["write_file", { path, content: lines("THREE", "five") }]);
  writeFileSync(path, lines("THREE", "a person's"));
  const undo = async (...words: string[]) => [(await folder.run(...words, "--yes")).code, readFileSync(path, "utf8")];
  expect(await undo("undo")).toEqual([0, lines("three", "a person's")]);
  expect(await undo("redo")).toEqual([0, lines("THREE", "a person's")]);
  expect(await undo("undo")).toEqual([0, lines("three", "a person's")]);
  writeFileSync(path, lines("three", "changed since"));
  expect(await undo("redo")).toEqual([0, lines("THREE", "changed since")]);
});

test("P3: a created file is deleted by undo, and made again by redo", async () => {
  using folder = makeFolder(CREATES);
  const path = join(folder.root, "new");
  await callAll(folder, ["write_file", { path, content: "the agent's\n" }]);
  expect((await folder.run("undo", "--yes")).code).toBe(0);
  expect(existsSync(path)).toBe(false);
  expect((await folder.run("redo", "--yes")).code).toBe(0);
  expect(readFileSync(path, "utf8")).toBe("the agent's\n");
});

test("P3: a created file that a person has changed since stays", async () => {
  using folder = makeFolder(CREATES);
  const path = join(folder.root, "new");
  await callAll(folder, ["write_file", { path, content: "the agent's\n" }]);
  writeFileSync(path, "a person's");
  expect((await folder.run("undo", "--yes")).code).toBe(1);
  expect(readFileSync(path, "utf8")).toBe("a person's");
});

test("P3: a folder that was made is removed only if it is empty", async () => {
  using folder = makeFolder(OVERWRITES);
  const [kept, empty] = [join(folder.root, "kept"), join(folder.root, "empty")];
  await callAll(folder, ["create_directory", { path: empty }], ["create_directory", { path: kept }]);
  writeFileSync(join(kept, "f"), "a person's");
  const undone = await folder.run("undo", "--yes", "--keep-going");
  expect([undone.code, existsSync(empty), readFileSync(join(kept, "f"), "utf8")]).toEqual([1, false, "a person's"]);
});

test("P3: the manifest in docs/companions.md puts new and overwritten files and folders back, and check has nothing against its rules", async () => {
  using sandbox = makeSandbox();
  const example = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, "docs/companions.md"), "utf8"))?.[1] ?? "";
  const started = `command: ${JSON.stringify(Bun.which("node"))}\n    args: [${JSON.stringify(SERVER)}, "."]`;
  const manifest = example.replace(/command: npx\n {4}args: .*/, started);
  expect(manifest).toContain(started);
  sandbox.write("synartesis.yaml", manifest);
  const [old, made, folder] = ["old", "made", "d/e/f"].map((name) => join(sandbox.folder, name)) as [string, string, string];
  writeFileSync(old, "a person's\r\n");
  const calls = [
    ["write_file", { path: made, content: "the agent's" }],
    ["write_file", { path: old, content: "the agent's" }],
    ["create_directory", { path: folder }],
  ] as const;
  await callAll(sandbox, ...calls);
  expect([readFileSync(made, "utf8"), readFileSync(old, "utf8"), existsSync(folder)]).toEqual(["the agent's", "the agent's", true]);
  const undone = await sandbox.run("undo", "--yes");
  expect([undone.code, existsSync(made), readFileSync(old, "utf8"), existsSync(join(sandbox.folder, "d"))]).toEqual([
    0,
    false,
    "a person's\r\n",
    false,
  ]);
  const check = await sandbox.json<{ errors: number; findings: readonly { message: string }[] }>("check");
  // The example shows two of the server's tools.
  expect([check.errors, check.findings.filter(({ message }) => !message.startsWith("no rule mentions"))]).toEqual([0, []]);
});
