// Does the shipped policy for mcp-server-git keep its word on the real server? HEAD, every ref, the index and every file are what they were after undo.
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stepsOf, undo } from "../support/documents.ts";
import { fillRepository, git, repositoryState } from "./git-world.ts";
import { installed } from "./installed.ts";
import { perform, prover } from "./proof.ts";

const PYTHON = installed("mcp-server-git", "python-servers/bin/python");

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "mcp-server-git",
  lacks: PYTHON.lacks,
  command: (root) => [PYTHON.path, "-m", "mcp_server_git", "--repository", root],
  plant: fillRepository,
  state: repositoryState,
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
