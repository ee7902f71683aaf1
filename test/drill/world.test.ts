// Is every byte of a folder seen, and of a repository what counts?
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findGit } from "../../src/companion/git/run-git.ts";
import { worldDifferences, worldOf } from "../../src/drill/world.ts";
import { makeSandbox } from "../support/sandbox.ts";

const GIT = findGit(process.env);

/** The places that differ after a change. */
function changed(change: (folder: string) => void): readonly string[] {
  using sandbox = makeSandbox();
  const folder = join(sandbox.folder, "root");
  mkdirSync(join(folder, "empty"), { recursive: true });
  writeFileSync(join(folder, "file"), "same");
  symlinkSync("file", join(folder, "link"));
  const before = worldOf([folder], GIT);
  change(folder);
  return worldDifferences(before, worldOf([folder], GIT)).map(({ path }) => path);
}

const CHANGES: Readonly<Record<string, (folder: string) => void>> = {
  file: (folder) => writeFileSync(join(folder, "file"), "seme"),
  empty: (folder) => rmSync(join(folder, "empty"), { recursive: true }),
  made: (folder) => mkdirSync(join(folder, "made")),
};
test.each(Object.entries(CHANGES))("a change of %s", (path, change) => {
  expect(changed(change)).toEqual([path]);
});

test("a change of mode, of where a link leads, and of nothing", () => {
  expect(changed((folder) => chmodSync(join(folder, "file"), 0o600))).toEqual(["file"]);
  expect(
    changed((folder) => {
      rmSync(join(folder, "link"));
      symlinkSync("empty", join(folder, "link"));
    }),
  ).toEqual(["link"]);
  expect(changed((folder) => writeFileSync(join(folder, "file"), "same"))).toEqual([]);
});

test("of a repository refs, what is staged and the state of its files count, and not what git keeps besides", () => {
  using sandbox = makeSandbox();
  const { folder } = sandbox;
  const git = (...words: string[]) => {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    const { exitCode, stderr } = Bun.spawnSync(["git", ...who, ...words], {
      cwd: folder,
      env: { PATH: sandbox.env["PATH"], HOME: join(folder, "home") },
    });
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  git("init", "-b", "main");
  writeFileSync(join(folder, "file"), "1");
  git("add", "file");
  git("commit", "-m", "one");
  const before = worldOf([folder], GIT);
  const differences = () => worldDifferences(before, worldOf([folder], GIT)).map(({ path }) => path);
  git("branch", "other");
  expect(differences()).toEqual([".git (refs)"]);
  git("branch", "-D", "other");
  git("commit", "--allow-empty", "-m", "two");
  expect(differences()).toEqual([".git (its commit)", ".git (refs)"]);
  git("reset", "--soft", "HEAD~1"); // the commit is still among git's objects
  expect(differences()).toEqual([]);
  git("checkout", "--detach");
  expect(differences()).toEqual([".git (HEAD)"]);
});
