// Does the shipped policy for mcp-server-git keep its word on the real server? HEAD, every ref, the index and every file are what they were after undo.
import { expect } from "bun:test";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stepsOf, undo } from "../support/documents.ts";
import { plant, treeOf } from "../support/tree.ts";
import { installed } from "./installed.ts";
import { perform, prover } from "./proof.ts";

const PYTHON = installed("mcp-server-git", "python-servers/bin/python");

/** Runs git past the proxy, with nobody's configuration. @throws where it fails */
function git(root: string, ...words: readonly string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: root, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-C", root, ...words], { env });
  if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.toString();
}

/** Two commits on main, a branch `side` with a file of its own, and a person's work: one change staged, one not, one file new. */
function fill(root: string): void {
  git(root, "init", "-q", "-b", "main");
  for (const [key, value] of [
    ["user.name", "Test"],
    ["user.email", "test@example.test"],
  ] as const)
    git(root, "config", key, value);
  plant(root, { "a.txt": "one\ntwo\n", "windows.txt": "a\r\nb\r\n", "folder/b.txt": "b\n" });
  git(root, "add", ".");
  git(root, "commit", "-q", "-m", "first");
  git(root, "branch", "side");
  appendFileSync(join(root, "folder/b.txt"), "more\n");
  git(root, "commit", "-q", "-a", "-m", "second");
  git(root, "checkout", "-q", "side");
  plant(root, { "side.txt": "side\n" });
  git(root, "add", ".");
  git(root, "commit", "-q", "-m", "on the side");
  git(root, "checkout", "-q", "main");
  plant(root, { "staged.txt": "a person's, staged\n", "new.txt": "a person's\n" });
  git(root, "add", "staged.txt");
  appendFileSync(join(root, "a.txt"), "a person's\n");
}

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "mcp-server-git",
  lacks: PYTHON.lacks,
  command: (root) => [PYTHON.path, "-m", "mcp_server_git", "--repository", root],
  plant: fill,
  state: (root) => ({
    head: git(root, "rev-parse", "--symbolic-full-name", "HEAD"),
    refs: git(root, "for-each-ref"),
    index: git(root, "ls-files", "--stage"),
    files: Object.entries(treeOf(root)).filter(([name]) => name !== ".git" && !name.startsWith(".git/")),
  }),
});

/** Calls in the repository of a place. */
const calls = (root: string, ...listed: readonly (readonly [string, object?])[]) =>
  listed.map(([tool, args = {}]) => [tool, { repo_path: root, ...args }] as const);

test("P3: what was staged is unstaged, and a person's staged work stays staged", () =>
  prove((root) => calls(root, ["git_add", { files: ["a.txt"] }], ["git_add", { files: ["."] }])));

test("P3: what was unstaged is staged again", () => prove((root) => calls(root, ["git_reset"])));

test("P3: a commit is taken back, and what was staged is staged again", () =>
  prove((root) =>
    calls(root, ["git_commit", { message: "one" }], ["git_add", { files: ["new.txt"] }], ["git_commit", { message: "two" }]),
  ));

test("P3: a new branch is gone again, and a checkout goes back to the branch or commit that was there", () =>
  prove((root) =>
    calls(
      root,
      ["git_create_branch", { branch_name: "feature/new" }],
      ["git_checkout", { branch_name: "feature/new" }],
      ["git_checkout", { branch_name: "side" }],
      ["git_checkout", { branch_name: git(root, "rev-parse", "main").trim() }],
      ["git_create_branch", { branch_name: "other", base_branch: "side" }],
      ["git_checkout", { branch_name: "other" }],
    ),
  ));

test("P3: what a person changed in files and on other branches in between is kept", () =>
  proveKept(
    (root) => calls(root, ["git_commit", { message: "the agent's" }], ["git_create_branch", { branch_name: "agent" }]),
    ({ root }) => {
      writeFileSync(join(root, "windows.txt"), "a person's\r\n");
      git(root, "branch", "-f", "side", git(root, "rev-list", "--max-parents=0", "side").trim());
    },
  ));

test("P3: a person's newer commit, and what they staged since, stay where they are", async () => {
  using place = await make();
  await perform(place, calls(place.root, ["git_commit", { message: "the agent's" }]));
  git(place.root, "commit", "-q", "-a", "-m", "a person's");
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await place.state()).toEqual(before);
  using other = await make();
  await perform(other, calls(other.root, ["git_add", { files: ["a.txt"] }]));
  git(other.root, "add", "new.txt");
  const staged = await other.state();
  expect(stepsOf(await undo(other, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await other.state()).toEqual(staged);
});

declareProofs();
