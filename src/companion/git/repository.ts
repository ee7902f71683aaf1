// Which repository is meant, and how is git run in it? One whose folder, git folder and shared git folder all lie in the roots. What its configuration would
// start is turned off by name.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../refusal.ts";
import type { Roots } from "../roots.ts";
import { type Git, type GitEnd, runGit, said } from "./run-git.ts";

/** A repository with a working tree. */
export interface Repository {
  /** The top of its working tree, real path. */
  readonly folder: string;
  readonly gitFolder: string;
  /** Whether its configuration names programs that working on files would start; nothing is written into its working tree then. */
  readonly hasDrivers: boolean;
  /** Runs git in it. */
  git(words: readonly string[], env?: Readonly<Record<string, string>>): GitEnd;
}

/** Opens a repository by its path; undefined: the only root. @throws Refusal where it is none, or reaches outside of the roots */
export function openRepository(git: Git, roots: Roots, only: string | undefined, path: string | undefined): Repository {
  const asked = path ?? only;
  if (asked === undefined) throw new Refusal("there are several roots: say which repository with `repo`");
  const place = realFolder(roots, asked);
  // Without naming the git folder: so git itself refuses what belongs to somebody else.
  const found = runGit(git, ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir"], {
    cwd: place,
  });
  const [folder = "", gitFolder = "", commonFolder = ""] = said(found).split("\n");
  for (const each of [folder, gitFolder, commonFolder]) realFolder(roots, each);
  if (folder !== place) throw new Refusal(`${place} is not the top of a repository: that is ${folder}`);
  const where = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
  const names = said(runGit(git, ["config", "--list", "--name-only", "-z"], { cwd: folder, env: where })).split("\0");
  const drivers = names.filter((name) => DRIVER.test(name));
  const settings = drivers.flatMap((name) => [`${name}=`]).concat(required(drivers));
  return {
    folder,
    gitFolder,
    hasDrivers: drivers.length > 0,
    git: (words, env) => runGit(git, words, { cwd: folder, settings, env: { ...where, ...env } }),
  };
}

/** Programs that git starts for the contents of files. */
const DRIVER = /^(filter\..+\.(clean|smudge|process)|merge\..+\.driver|diff\..+\.(command|textconv))$/;

function required(drivers: readonly string[]): readonly string[] {
  return drivers.filter((name) => name.startsWith("filter.")).map((name) => `${name.slice(0, name.lastIndexOf("."))}.required=false`);
}

function realFolder(roots: Roots, path: string): string {
  const found = roots.find(path, "follow");
  if (found.kind === "nowhere") throw new Refusal(`there is nothing at ${found.path}`);
  using place = found.place;
  return place.path;
}

/** Says what is under way in a repository; undefined where nothing is. */
export function underWay({ gitFolder }: Repository): string | undefined {
  const marks = {
    MERGE_HEAD: "a merge",
    CHERRY_PICK_HEAD: "a cherry-pick",
    REVERT_HEAD: "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
  };
  return Object.entries(marks).find(([name]) => existsSync(join(gitFolder, name)))?.[1];
}
