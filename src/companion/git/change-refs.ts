// How is a branch, a tag or HEAD put back, only if it hasn't moved? By git's own compare-and-swap of a ref. Never moves a branch under somebody's feet,
// and never overwrites a file that differs.
import type { JsonObject } from "../../core/json.ts";
import { Refusal } from "../refusal.ts";
import { copyIndex, treeOf } from "./index-file.ts";
import { type Repository, underWay } from "./repository.ts";
import { said } from "./run-git.ts";
import { changesOf, headOf, refAt, stashesOf } from "./state.ts";

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
  if (keep) requirePlain(repository, ifHead, to ?? ifHead);
  const ref = branch === null ? "HEAD" : `refs/heads/${branch}`;
  moveRef(repository, ref, to, ifHead);
  if (keep && to !== null) {
    // What only looks changed (it was written anew with the same bytes) isn't in the way.
    repository.git(["update-index", "-q", "--refresh"]);
    // What differs from both is somebody's: git stops before it changes anything, and HEAD goes back to where it was.
    const moved = repository.git(["read-tree", "-m", "-u", ifHead, to]);
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
  else if (!repository.git(["cat-file", "-e", to]).ok) throw new Refusal(`there is no object ${to}`);
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
  if (refAt(repository, `${commit}^2`) === null) throw new Refusal(`${commit} is no stash`);
  // By the message that git gave it, which is its commit's too.
  const own = said(repository.git(["log", "-1", "--format=%s", commit]));
  said(repository.git(["stash", "store", "--message", message ?? own, commit]));
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
  requirePlain(repository, head, commit);
  said(repository.git(["stash", "pop", "--index"]));
  return { popped: true };
}

/** One compare-and-swap; `from` or `to` null: no such ref. */
function moveRef(repository: Repository, ref: string, to: string | null, from: string | null): void {
  const words = to === null ? ["-d", ref, from ?? ""] : [ref, to, from ?? ""];
  const moved = repository.git(["update-ref", "--no-deref", "-m", WHY, ...words]);
  if (moved.ok) return;
  const now = refAt(repository, ref);
  if (now !== from) throw new Refusal(`${ref} isn't where it was left any more: it is ${now === null ? "gone" : `at ${now}`}`);
  said(moved);
}

/** A branch that is checked out isn't moved: what is staged there would look like somebody's work. */
function refuseUsed(repository: Repository, ref: string, ifAt: string | null): void {
  if (!/^refs\/(heads|tags)\/./.test(ref) || !repository.git(["check-ref-format", ref]).ok)
    throw new Refusal(`${ref} is no branch and no tag`);
  if (repository.git(["symbolic-ref", "--quiet", ref]).ok) throw new Refusal(`${ref} only names another ref`);
  const now = refAt(repository, ref);
  if (now !== ifAt) throw new Refusal(`${ref} isn't where it was left any more: it is ${now === null ? "gone" : `at ${now}`}`);
  const used = said(repository.git(["worktree", "list", "--porcelain"])).split("\n");
  if (used.includes(`branch ${ref}`)) throw new Refusal(`${ref} is checked out`);
}

function requireCommit(repository: Repository, commit: string): void {
  if (!repository.git(["cat-file", "-e", `${commit}^{commit}`]).ok) throw new Refusal(`there is no commit ${commit}`);
}

/** Files are only written where no program has a say in what is in them. */
function requirePlain(repository: Repository, from: string, to: string): void {
  if (repository.hasDrivers)
    throw new Refusal("this repository's configuration names programs for its files (filters, merge drivers), so its files aren't written");
  const changed = said(repository.git(["diff-tree", "-r", "-z", "--name-only", "--no-commit-id", from, to]))
    .split("\0")
    .filter(Boolean);
  if (
    said(repository.git(["ls-tree", "-r", "-z", to]))
      .split("\0")
      .some((entry) => entry.startsWith("160000 "))
  )
    throw new Refusal("this repository has submodules, so its files aren't written");
  if (changed.length === 0) return;
  const filtered = said(repository.git(["check-attr", "-z", "filter", "--", ...changed])).split("\0");
  for (let at = 2; at < filtered.length; at += 3)
    if (filtered[at] !== "unspecified" && filtered[at] !== "unset")
      throw new Refusal(`${filtered[at - 2]} goes through a filter (${filtered[at]}), so it isn't written`);
}
