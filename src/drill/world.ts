// What is in the folders of a companion, byte by byte? Names, kinds, modes and digests; of a repository where its refs are and what is staged,
// since git keeps old objects by design. Reads only; no link is followed.
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { copyIndex } from "../companion/git/index-file.ts";
import { repositoryAt } from "../companion/git/repository.ts";
import type { Git } from "../companion/git/run-git.ts";
import { Refusal } from "../companion/refusal.ts";
import { sha256 } from "../core/digest.ts";
import type { Difference } from "./outcome.ts";

/** What is at each path, in words that are the same exactly where it is the same. */
export type World = ReadonlyMap<string, string>;

/** Looks at the folders. Without git a repository is folders and files as well. */
export function worldOf(folders: readonly string[], git: Git | undefined): World {
  const world = new Map<string, string>();
  const isOnly = folders.length === 1;
  for (const folder of folders) walk(folder, { from: isOnly ? folder : "", git, world });
  return world;
}

/** Lists where two worlds differ. */
export function worldDifferences(before: World, after: World): readonly Difference[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }));
}

interface Walk {
  /** Paths are told relative to it; "": as they are. */
  readonly from: string;
  readonly git: Git | undefined;
  readonly world: Map<string, string>;
}

function walk(path: string, within: Walk): void {
  const { from, git, world } = within;
  for (const name of readdirSync(path).sort()) {
    const place = join(path, name);
    const told = from === "" ? place : relative(from, place);
    const repository = name === ".git" && git !== undefined ? shownOf(realpathSync(path), git) : undefined;
    if (repository !== undefined) {
      for (const [what, shown] of Object.entries(repository)) world.set(`${told} (${what})`, shown);
      continue;
    }
    const status = lstatSync(place);
    const mode = (status.mode & 0o7777).toString(8).padStart(4, "0");
    if (status.isDirectory()) {
      world.set(told, `folder ${mode}`);
      walk(place, within);
    } else if (status.isSymbolicLink()) world.set(told, `link to ${readlinkSync(place)}`);
    else if (status.isFile()) world.set(told, `file ${mode}, ${status.size} bytes, sha256 ${sha256(readFileSync(place))}`);
    else world.set(told, `special file ${mode}`);
  }
}

const REFS: Readonly<Record<string, readonly string[]>> = {
  HEAD: ["symbolic-ref", "--quiet", "HEAD"],
  "its commit": ["rev-parse", "--verify", "--quiet", "HEAD"],
  refs: ["for-each-ref", "--format=%(refname) %(objectname)"],
  stashes: ["rev-list", "--walk-reflogs", "refs/stash", "--"],
};

/** Where git doesn't take it for a repository, it is an ordinary folder. */
function shownOf(folder: string, git: Git): Readonly<Record<string, string>> | undefined {
  try {
    using repository = repositoryAt(git, folder, () => undefined);
    using copy = copyIndex(repository);
    const shown = Object.entries(REFS).map(([what, words]) => [what, repository.refs(words).out] as const);
    return { ...Object.fromEntries(shown), staged: repository.files(["ls-files", "--stage"], { index: copy.index }).out };
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
