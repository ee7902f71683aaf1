// What does a repository look like to the tests of git servers? Filled with history and with a person's work, and read without a server.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { plant, treeOf } from "../support/tree.ts";

const MOMENT = "2026-08-01T12:00:00Z";

/** Runs git past the proxy, with nobody's configuration, always at the same moment: the same work gives the same commits. @throws where it fails */
export function git(root: string, ...words: readonly string[]): string {
  const own = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_DATE: MOMENT, GIT_COMMITTER_DATE: MOMENT };
  const env = { PATH: process.env["PATH"] ?? "", HOME: root, ...own };
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-C", root, ...words], { env });
  if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.toString();
}

/** Two commits on main, a branch `side` with a file of its own, and a person's work: one change staged, one not, one file new. */
export function fillRepository(root: string): void {
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

/** Where HEAD is, every branch, tag and stash, what is staged, and every file. What a fetch has brought doesn't count. */
export function repositoryState(root: string): unknown {
  return {
    head: git(root, "rev-parse", "--symbolic-full-name", "HEAD"),
    refs: git(root, "for-each-ref", "refs/heads", "refs/tags"),
    stashes: git(root, "stash", "list", "--format=%H %gs"),
    index: git(root, "ls-files", "--stage"),
    files: Object.entries(treeOf(root)).filter(([name]) => name !== ".git" && !name.startsWith(".git/")),
  };
}
