// What is staged, and how is that put back? Looked at in a copy of the index, so that nothing of the person's is touched, and replaced under git's own
// lock, only if it is byte for byte the one that was looked at.
import { closeSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, Refusal, unless } from "../refusal.ts";
import type { Repository } from "./repository.ts";
import { said } from "./run-git.ts";

/** A copy of the index as it was at one moment. */
export interface IndexCopy extends Disposable {
  /** The very bytes; undefined where there is no index yet. */
  readonly bytes: Uint8Array | undefined;
  readonly env: { readonly GIT_INDEX_FILE: string };
}

/** Copies the index; the copy is refreshed, so that what only looks changed doesn't count. */
export function copyIndex(repository: Repository): IndexCopy {
  const folder = mkdtempSync(join(tmpdir(), "synartesis-index-"));
  const file = join(folder, "index");
  const bytes = unless(["ENOENT"], () => readFileSync(join(repository.gitFolder, "index")));
  if (bytes !== undefined) writeFileSync(file, bytes, { mode: 0o600 });
  const env = { GIT_INDEX_FILE: file };
  if (bytes !== undefined) repository.git(["update-index", "-q", "--refresh"], env);
  return { bytes, env, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Gives the tree that the index stands for; null where it stands for none (conflicts, files only announced by `add -N`). */
export function treeOf(repository: Repository, { env }: IndexCopy): string | null {
  const announced = repository.git(["diff-files", "--diff-filter=A", "--name-only", "-z"], env);
  if (announced.ok && announced.out !== "") return null;
  const written = repository.git(["write-tree"], env);
  return written.ok ? written.out : null;
}

/** Lets the index stand for another tree, if it still stands for `ifTree`. The working tree stays as it is. */
export function restoreIndex(repository: Repository, tree: string, ifTree: string): void {
  using copy = copyIndex(repository);
  const now = treeOf(repository, copy);
  if (now !== ifTree) throw new Refusal(`what is staged isn't as it was left any more: it is ${now ?? "no tree"}`);
  said(repository.git(["read-tree", "-i", "-m", tree], copy.env));
  repository.git(["update-index", "-q", "--refresh"], copy.env);
  replaceIndex(repository, copy);
}

function replaceIndex({ gitFolder }: Repository, copy: IndexCopy): void {
  const [index, lock] = [join(gitFolder, "index"), join(gitFolder, "index.lock")];
  try {
    closeSync(openSync(lock, "wx", 0o644));
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new Refusal("another git is at work on the index (index.lock)");
    throw error;
  }
  try {
    const now = unless(["ENOENT"], () => readFileSync(index));
    const isSame = now === undefined ? copy.bytes === undefined : copy.bytes !== undefined && now.equals(copy.bytes);
    if (!isSame) throw new Refusal("what is staged is being changed");
    writeFileSync(lock, readFileSync(copy.env.GIT_INDEX_FILE));
  } catch (error) {
    unlinkSync(lock);
    throw error;
  }
  renameSync(lock, index);
}
