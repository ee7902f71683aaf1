// What is the state of a repository, as far as undo goes? Where HEAD is, what is staged, whether files differ, which stashes there are; or where one ref
// is. Nothing in it changes by itself.
import type { JsonObject } from "../../core/json.ts";
import { copyIndex, NOT_INTO_SUBMODULES, treeOf } from "./index-file.ts";
import { type Repository, underWay } from "./repository.ts";

/** Where HEAD is: the commit (null before the first one), and the branch (null where it is detached). */
export interface Head {
  readonly head: string | null;
  readonly branch: string | null;
}

/** Looks where HEAD is. */
export function headOf(repository: Repository): Head {
  const branch = repository.refs(["symbolic-ref", "--quiet", "HEAD"]);
  return { head: refAt(repository, "HEAD"), branch: branch.ok ? branch.out.replace(/^refs\/heads\//, "") : null };
}

/** Gives what a ref points at: the tag object where it is an annotated tag. Null where there is no such ref. */
export function refAt(repository: Repository, ref: string): string | null {
  const found = repository.refs(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  return found.ok ? found.out : null;
}

/** Lists the stashes, the latest first. */
export function stashesOf(repository: Repository): readonly string[] {
  const listed = repository.refs(["rev-list", "--walk-reflogs", "refs/stash", "--"]);
  return listed.ok && listed.out !== "" ? listed.out.split("\n") : [];
}

/** Whether files of the working tree differ from what is staged, and that from HEAD. */
export interface Changes {
  readonly index_tree: string | null;
  readonly dirty: boolean;
  readonly staged: boolean;
}

/** Looks what differs. */
export function changesOf(repository: Repository, head: string | null): Changes {
  using copy = copyIndex(repository);
  const tree = treeOf(repository, copy);
  const { index } = copy;
  const dirty = !repository.files(["diff-files", "--quiet", ...NOT_INTO_SUBMODULES], { index }).ok;
  const staged =
    head === null
      ? repository.files(["ls-files", "--cached"], { index }).out !== ""
      : !repository.files(["diff-index", ...NOT_INTO_SUBMODULES, "--cached", "--quiet", head, "--"], { index }).ok;
  return { index_tree: tree, dirty, staged };
}

/** Shows the whole state. */
export function stateOf(repository: Repository): JsonObject {
  const { head, branch } = headOf(repository);
  const where = { exists: true, head, branch, checkout: branch ?? head, under_way: underWay(repository) ?? null };
  return { ...where, ...changesOf(repository, head), stashes: [...stashesOf(repository)] };
}

/** Shows where one ref is; `missing` lists it, by the name that it was asked for, where it isn't there. */
export function refState(repository: Repository, ref: string, name: string): JsonObject {
  const at = refAt(repository, ref);
  return at === null ? { exists: false, missing: [name] } : { exists: true, at, missing: [] };
}
