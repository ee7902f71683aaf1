// Which repository is meant, and how is git run in it? One whose folder, git folder and shared git folder all lie in the roots. Its own configuration is only
// in force where refs are read and moved, never where git looks at files: that is done from a git folder of ours (stand-in.ts).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../refusal.ts";
import type { Roots } from "../roots.ts";
import { type Git, type GitEnd, type GitOptions, runGit, said } from "./run-git.ts";
import { makeStandIn, type StandIn } from "./stand-in.ts";

/** A repository with a working tree; to be disposed of, which leaves nothing behind. */
export interface Repository extends Disposable {
  /** The top of its working tree, real path. */
  readonly folder: string;
  readonly gitFolder: string;
  /** Runs git for its refs and their logs. Never for files or what is staged: its configuration is in force. */
  refs(words: readonly string[]): GitEnd;
  /** Runs git for its objects, files and index (its own, or the one at `index`), with no configuration that could name a program. */
  files(words: readonly string[], options?: FilesOptions): GitEnd;
}

export interface FilesOptions extends Pick<GitOptions, "input" | "limit"> {
  /** Absolute path of another index. */
  readonly index?: string;
}

/** Opens a repository by its path; undefined: the only root. @throws Refusal where it is none, or reaches outside of the roots */
export function openRepository(git: Git, roots: Roots, only: string | undefined, path: string | undefined): Repository {
  const asked = path ?? only;
  if (asked === undefined) throw new Refusal("there are several roots: say which repository with `repo`");
  return repositoryAt(git, realFolder(roots, asked), (folder) => realFolder(roots, folder));
}

/** Opens the repository whose top is here. `check` is given each of its folders first, and may throw. @throws Refusal where it is none */
export function repositoryAt(git: Git, place: string, check: (folder: string) => void): Repository {
  // Without naming the git folder: so git itself refuses what belongs to somebody else.
  const asked = ["rev-parse", "--show-toplevel", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir"];
  const [folder = "", gitFolder = "", commonFolder = ""] = said(runGit(git, asked, { cwd: place })).split("\n");
  for (const each of [folder, gitFolder, commonFolder]) check(each);
  if (folder !== place) throw new Refusal(`${place} is not the top of a repository: that is ${folder}`);
  const where = { GIT_DIR: gitFolder, GIT_WORK_TREE: folder };
  let made: StandIn | undefined; // where only refs are looked at, none is needed
  const standIn = () => {
    made ??= makeStandIn({ gitFolder, commonFolder }, said(runGit(git, ["config", "--list", "-z"], { cwd: folder, env: where })));
    return made;
  };
  return {
    folder,
    gitFolder,
    refs: (words) => runGit(git, words, { cwd: folder, env: where }),
    files(words, { index = join(gitFolder, "index"), ...options } = {}) {
      const { env, settings } = standIn();
      return runGit(git, words, { ...options, cwd: folder, settings, env: { ...env, GIT_WORK_TREE: folder, GIT_INDEX_FILE: index } });
    },
    [Symbol.dispose]: () => made?.[Symbol.dispose](),
  };
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
