// Does the shipped policy for @cyanheads/git-mcp-server keep its word on the real server? HEAD, branches, tags, stashes, the index, remotes and every file are
// what they were after undo.
import { expect } from "bun:test";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { stepsOf, undo } from "../support/documents.ts";
import { plant } from "../support/tree.ts";
import { fillRepository, git, repositoryState } from "./git-world.ts";
import { installed } from "./installed.ts";
import { perform, prover } from "./proof.ts";

const SERVER = installed("@cyanheads/git-mcp-server", "node-servers/node_modules/@cyanheads/git-mcp-server/dist/index.js");

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "git-mcp-server",
  lacks: SERVER.lacks,
  command: () => ["node", SERVER.path],
  env: (root) => ({ MCP_TRANSPORT_TYPE: "stdio", GIT_BASE_DIR: root, GIT_SIGN_COMMITS: "false" }),
  /** Beside what every repository here has: nobody's unfinished work in files that differ, a tag of each kind, a stash, and a remote that is ahead. */
  plant(root) {
    fillRepository(root);
    git(root, "tag", "light", "side");
    git(root, "tag", "-a", "-m", "annotated", "full");
    const remote = join(root, "../remote.git");
    git(root, "clone", "-q", "--bare", ".", remote);
    git(root, "remote", "add", "origin", "../remote.git");
    git(root, "worktree", "add", "-q", "--detach", "../ahead");
    const ahead = join(root, "../ahead");
    plant(ahead, { "pulled.txt": "pulled\n" });
    git(ahead, "add", ".");
    git(ahead, "commit", "-q", "-m", "ahead");
    git(ahead, "push", "-q", remote, "HEAD:main");
    git(root, "worktree", "remove", "--force", ahead);
  },
  state: (root) => ({ ...(repositoryState(root) as object), remotes: git(root, "remote", "-v") }),
});

/** Calls in the repository of a place. */
const calls = (root: string, ...listed: readonly (readonly [string, object?])[]) =>
  listed.map(([tool, args = {}]) => [tool, { path: root, ...args }] as const);

/** Throws a person's work away, for calls that want none of it. */
function clean(root: string): void {
  git(root, "reset", "-q", "--hard");
  rmSync(join(root, "new.txt"));
}

test("P3: what was staged, unstaged and committed is as it was, and a person's staged work stays staged", () =>
  prove((root) =>
    calls(
      root,
      ["git_add", { paths: ["a.txt"] }],
      ["git_reset", { paths: ["staged.txt"] }],
      ["git_commit", { message: "one" }],
      ["git_commit", { message: "two", filesToStage: ["new.txt", "staged.txt"] }],
      ["git_commit", { message: "two, better", amend: true }],
      ["git_reset", { mode: "soft", target: "HEAD~1" }],
      ["git_reset", { mode: "mixed", target: "HEAD~1" }],
      ["git_reset"],
      ["git_add", { all: true }],
    ),
  ));

test("P3: branches that were made, forced elsewhere, renamed and deleted are as they were, and so is what is checked out", () =>
  prove((root) =>
    calls(
      root,
      ["git_branch", { mode: "create", branchName: "feature/new" }],
      ["git_branch", { mode: "create", branchName: "side", startPoint: "main", force: true }],
      ["git_branch", { mode: "rename", branchName: "side", newBranchName: "renamed" }],
      ["git_branch", { mode: "rename", branchName: "main", newBranchName: "trunk" }],
      ["git_branch", { mode: "delete", branchName: "feature/new" }],
      ["git_branch", { mode: "list" }],
      ["git_checkout", { target: "made", createBranch: true }],
      ["git_checkout", { target: "renamed" }],
      ["git_checkout", { target: "light" }],
      ["git_checkout", { target: git(root, "rev-parse", "main").trim() }],
    ),
  ));

test("P3: a branch that a checkout made of a remote's is gone again", () =>
  prove((root) => {
    git(root, "push", "-q", "origin", "main:refs/heads/theirs");
    git(root, "fetch", "-q");
    return calls(root, ["git_checkout", { target: "theirs" }]);
  }));

test("P3: tags of both kinds are as they were: new ones, moved ones, deleted ones", () =>
  prove((root) =>
    calls(
      root,
      ["git_tag", { mode: "create", tagName: "v1" }],
      ["git_tag", { mode: "create", tagName: "v2", message: "annotated" }],
      ["git_tag", { mode: "create", tagName: "light", commit: "main", force: true }],
      ["git_tag", { mode: "delete", tagName: "full" }],
      ["git_tag", { mode: "list" }],
    ),
  ));

test("P3: work that was stashed is there again, staged as it was, and a stash that was dropped too", async () => {
  await prove((root) => calls(root, ["git_stash", { mode: "push", message: "put away", includeUntracked: true }]));
  await prove((root) => {
    git(root, "stash", "push", "-q", "-m", "a person's");
    return calls(root, ["git_stash", { mode: "list" }], ["git_stash", { mode: "drop", stashRef: "stash@{0}" }]);
  });
});

test("P3: a merge, a cherry-pick, a rebase and a pull are taken back, files and all", async () => {
  for (const call of [
    ["git_merge", { branch: "side" }],
    ["git_cherry_pick", { commits: ["side"] }],
    ["git_rebase", { upstream: "side" }],
    ["git_pull", { remote: "origin", branch: "main" }],
  ] as const)
    await prove((root) => {
      clean(root);
      return calls(root, call);
    });
});

test("P3: remotes are as they were", () =>
  prove((root) =>
    calls(
      root,
      ["git_remote", { mode: "add", name: "fork", url: "https://example.test/fork.git" }],
      ["git_remote", { mode: "set-url", name: "fork", url: "https://example.test/other.git" }],
      ["git_remote", { mode: "rename", name: "fork", newName: "upstream" }],
      ["git_remote", { mode: "remove", name: "upstream" }],
      ["git_remote", { mode: "list" }],
      ["git_remote", { mode: "add", name: "last", url: "https://example.test/last.git" }],
    ),
  ));

test("P3: what a person changed in files and on other branches in between is kept", () =>
  proveKept(
    (root) => calls(root, ["git_commit", { message: "the agent's" }], ["git_branch", { mode: "create", branchName: "agent" }]),
    ({ root }) => {
      writeFileSync(join(root, "windows.txt"), "a person's\r\n");
      git(root, "branch", "-f", "side", git(root, "rev-list", "--max-parents=0", "side").trim());
    },
  ));

test("P3: a person's newer commit, newer stash and newer tag stay where they are", async () => {
  for (const [call, person] of [
    [["git_commit", { message: "the agent's" }], (root: string) => git(root, "commit", "-q", "-a", "-m", "a person's")],
    [["git_tag", { mode: "create", tagName: "v1" }], (root: string) => git(root, "tag", "-f", "v1", "side")],
    [
      ["git_stash", { mode: "push" }],
      (root: string) => {
        appendFileSync(join(root, "a.txt"), "more of a person's\n");
        git(root, "stash", "push", "-q");
      },
    ],
  ] as const) {
    using place = await make();
    await perform(place, calls(place.root, call));
    person(place.root);
    const before = await place.state();
    expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
    expect(await place.state()).toEqual(before);
  }
});

test("P3: a merge that a person's uncommitted change is in the way of is not taken back over it", async () => {
  using place = await make();
  const { root } = place;
  clean(root);
  await perform(place, calls(root, ["git_merge", { branch: "side" }]));
  appendFileSync(join(root, "side.txt"), "a person's\n");
  const before = await place.state();
  expect((await undo(place, "--yes")).state).toBe("partial");
  expect(await place.state()).toEqual(before);
});

test("P3: a merge that ended in conflicts is named, and left to a person, also once it was committed", async () => {
  const conflict = (root: string) => {
    clean(root);
    git(root, "checkout", "-q", "side");
    writeFileSync(join(root, "folder/b.txt"), "another\n");
    git(root, "commit", "-q", "-a", "-m", "in the way");
    git(root, "checkout", "-q", "main");
  };
  using open = await make();
  conflict(open.root);
  const before = await open.state();
  await perform(open, calls(open.root, ["git_merge", { branch: "side" }]));
  expect(await undo(open, "--yes")).toMatchObject({ state: "partial", outstanding: [1] });
  git(open.root, "merge", "--abort");
  expect(await undo(open, "--yes")).toMatchObject({ state: "undone" });
  expect(await open.state()).toEqual(before);

  using ended = await make();
  conflict(ended.root);
  const solved = calls(ended.root, ["git_add", { paths: ["folder/b.txt"] }], ["git_commit", { message: "merged" }]);
  await perform(ended, [...calls(ended.root, ["git_merge", { branch: "side" }]), ...solved]);
  const { outstanding, steps } = await undo(ended, "--yes");
  expect(outstanding).toEqual([1, 2, 3]);
  expect(steps[0]).toMatchObject({ seq: 3, end: "refused", endDetail: expect.stringContaining("a merge was under way") });
});

test("init knows the server by its tools, and check finds no error in the policy", async () => {
  using place = await make();
  const init = ["init", "mine", "--manifest", "mine.yaml", "--root", place.root, "--json", "--", "node", SERVER.path];
  expect(await place.json<object>(...init)).toMatchObject({ policy: "git-mcp-server", held: 0 });
  expect(await place.run("check", "--manifest", "mine.yaml")).toMatchObject({
    code: 0,
    out: expect.stringContaining("0 errors"),
  });
});

test("P5: what has no way back, or names no repository, changes nothing without a person", async () => {
  using place = await make();
  const { root } = place;
  mkdirSync(join(root, "../elsewhere"));
  const before = await place.state();
  await using agent = await Agent.start(place);
  expect((await agent.call("git_set_working_dir", { path: root })).isError).toBeFalsy();
  for (const [tool, args] of [
    ["git_commit", { message: "in the session's repository" }],
    ["git_commit", { path: ".", message: "in the session's repository" }],
    ["git_tag", { mode: "create", tagName: "v1" }],
    ["git_remote", { mode: "add", name: "x", url: "https://example.test/x.git", path: "." }],
    ["git_branch", { path: root }],
    ["git_reset", { path: root, mode: "hard", confirmed: true }],
    ["git_checkout", { path: root, target: "main", paths: ["a.txt"] }],
    ["git_checkout", { path: root, target: "side", force: true }],
    ["git_clean", { path: root, force: true }],
    ["git_stash", { path: root, mode: "clear" }],
    ["git_merge", { path: root, branch: "side", squash: true }],
    ["git_push", { path: root, remote: "origin", branch: "main" }],
    ["git_init", { path: join(root, "../elsewhere") }],
    ["git_set_working_dir", { path: join(root, "../elsewhere"), initializeIfNotPresent: true }],
    ["git_worktree", { path: root, mode: "add", worktreePath: join(root, "tree") }],
  ] as const) {
    const answer = await agent.call(tool, args);
    expect([tool, args, answer.isError, textOf(answer)]).toEqual([tool, args, true, expect.stringContaining("by Synartesis")]);
    expect(await place.state()).toEqual(before);
  }
  expect(textOf(await agent.call("git_status"))).toContain("main");
  expect((await agent.call("git_clear_working_dir", { confirm: "Y" })).isError).toBeFalsy();
});

declareProofs();
