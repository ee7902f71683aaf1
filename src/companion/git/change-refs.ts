// How is a branch, a tag or HEAD put back, only if it hasn't moved? By git's own compare-and-swap of a ref. Never moves a branch under somebody's feet,
// and never overwrites a file that differs.
import type { JsonObject } from "../../core/json.ts";
import { Refusal } from "../refusal.ts";
import { copyIndex, treeOf } from "./index-file.ts";
import { type Repository, underWay } from "./repository.ts";
import { said, WRITING_LIMIT } from "./run-git.ts";
import { changesOf, headOf, refAt, stashesOf } from "./state.ts";
import { requireWritable } from "./working-files.ts";

const WHY = "synartesis: put back";

/** Where HEAD is to go, and where it has to be still. */
export interface HeadChange {
  /** Null: to before the first commit. */
  readonly to: string | null;
  readonly ifHead: string;
  /** Null: HEAD has to be detached. */
  readonly ifBranch: string | null | undefined;
  readonly ifIndexTree: string | undefined;
  /** Whether index and working tree go along, as by `git reset --keep`. */
  readonly keep: boolean;
}

/** Moves HEAD's branch, or a detached HEAD, back. */
export function restoreHead(repository: Repository, change: HeadChange): JsonObject {
  const { to, ifHead, keep } = change;
  const { branch } = stillHead(repository, change);
  const under = underWay(repository);
  if (under !== undefined) throw new Refusal(`${under} is under way`);
  if (to !== null) requireCommit(repository, to);
  if (to === null && (branch === null || keep))
    throw new Refusal("before the first commit there is only a branch, and no files to go along");
  if (keep) requireWritable(repository, { from: ifHead, to: to ?? ifHead, merges: false });
  const ref = branch === null ? "HEAD" : `refs/heads/${branch}`;
  moveRef(repository, ref, to, ifHead);
  if (keep && to !== null) {
    // What only looks changed (it was written anew with the same bytes) isn't in the way.
    repository.files(["update-index", "-q", "--refresh"]);
    // What differs from both is somebody's: git stops before it changes anything, and HEAD goes back to where it was.
    const moved = repository.files(["read-tree", "-m", "-u", ifHead, to], { limit: WRITING_LIMIT });
    if (!moved.ok) {
      moveRef(repository, ref, ifHead, to);
      said(moved);
    }
  }
  return { restored: true };
}

function stillHead(repository: Repository, { ifHead, ifBranch, ifIndexTree }: HeadChange) {
  const now = headOf(repository);
  if (now.head !== ifHead) throw new Refusal(`HEAD isn't where it was left any more: it is at ${now.head ?? "no commit"}`);
  if (ifBranch !== undefined && now.branch !== ifBranch)
    throw new Refusal(now.branch === null ? "HEAD is detached by now" : `HEAD is on ${now.branch} by now`);
  if (ifIndexTree === undefined) return now;
  using copy = copyIndex(repository);
  const tree = treeOf(repository, copy);
  if (tree !== ifIndexTree) throw new Refusal(`what is staged isn't as it was left any more: it is ${tree ?? "no tree"}`);
  return now;
}

/** Puts a branch or a tag where it was, if it is where it was left; `ifAt` null: if it is gone. */
export function restoreRef(repository: Repository, ref: string, to: string, ifAt: string | null): JsonObject {
  refuseUsed(repository, ref, ifAt);
  if (ref.startsWith("refs/heads/")) requireCommit(repository, to);
  else if (!repository.files(["cat-file", "-e", to]).ok) throw new Refusal(`there is no object ${to}`);
  moveRef(repository, ref, to, ifAt);
  return { restored: true };
}

/** Deletes a branch or a tag if it is where it was left; what is gone is left so. */
export function deleteRef(repository: Repository, ref: string, ifAt: string | null): JsonObject {
  if (refAt(repository, ref) === null) return { deleted: false };
  refuseUsed(repository, ref, ifAt);
  moveRef(repository, ref, null, ifAt);
  return { deleted: true };
}

/** Adds a stash that was dropped back to the list, on top. */
export function storeStash(repository: Repository, commit: string, message: string | undefined): JsonObject {
  if (stashesOf(repository).includes(commit)) throw new Refusal("that stash is in the list already");
  if (!hasParent(repository, commit, 2)) throw new Refusal(`${commit} is no stash`);
  // By the message that git gave it, which is its commit's too.
  const own = said(repository.files(["log", "-1", "--format=%s", commit]));
  said(repository.refs(["stash", "store", "--message", message ?? own, commit]));
  return { stored: true };
}

/** Takes the latest stash out again, if it is this one and nothing else differs. */
export function popStash(repository: Repository, commit: string): JsonObject {
  const [latest] = stashesOf(repository);
  if (latest !== commit) throw new Refusal(`the latest stash is ${latest ?? "none"}`);
  const { head } = headOf(repository);
  const { dirty, staged } = changesOf(repository, head);
  if (dirty || staged) throw new Refusal("files differ from HEAD: somebody is at work there");
  if (head === null) throw new Refusal("there is no commit yet");
  const untracked = hasParent(repository, commit, 3) ? `${commit}^3` : undefined;
  requireWritable(repository, { from: head, to: commit, besides: untracked, merges: true });
  said(repository.files(["update-ref", "--no-deref", "HEAD", head])); // our git folder's: what the index is put on
  said(repository.files(["stash", "apply", "--quiet", "--index", commit], { limit: WRITING_LIMIT }));
  const [top] = stashesOf(repository);
  if (top !== commit) throw new Refusal("the stash is taken out, but not dropped: it isn't the latest any more");
  said(repository.refs(["stash", "drop", "--quiet"]));
  return { popped: true };
}

function hasParent(repository: Repository, commit: string, at: 2 | 3): boolean {
  return repository.files(["rev-parse", "--verify", "--quiet", `${commit}^${at}`]).ok;
}

/** One compare-and-swap; `from` or `to` null: no such ref. */
function moveRef(repository: Repository, ref: string, to: string | null, from: string | null): void {
  const words = to === null ? ["-d", ref, from ?? ""] : [ref, to, from ?? ""];
  const moved = repository.refs(["update-ref", "--no-deref", "-m", WHY, ...words]);
  if (moved.ok) return;
  const now = refAt(repository, ref);
  if (now !== from) throw new Refusal(`${ref} isn't where it was left any more: it is ${now === null ? "gone" : `at ${now}`}`);
  said(moved);
}

/** A branch that is checked out isn't moved: what is staged there would look like somebody's work. */
function refuseUsed(repository: Repository, ref: string, ifAt: string | null): void {
  if (!/^refs\/(heads|tags)\/./.test(ref) || !repository.refs(["check-ref-format", ref]).ok)
    throw new Refusal(`${ref} is no branch and no tag`);
  if (repository.refs(["symbolic-ref", "--quiet", ref]).ok) throw new Refusal(`${ref} only names another ref`);
  const now = refAt(repository, ref);
  if (now !== ifAt) throw new Refusal(`${ref} isn't where it was left any more: it is ${now === null ? "gone" : `at ${now}`}`);
  const used = said(repository.refs(["worktree", "list", "--porcelain"])).split("\n");
  if (used.includes(`branch ${ref}`)) throw new Refusal(`${ref} is checked out`);
}

function requireCommit(repository: Repository, commit: string): void {
  if (!repository.files(["cat-file", "-e", `${commit}^{commit}`]).ok) throw new Refusal(`there is no commit ${commit}`);
}
