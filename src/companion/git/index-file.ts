// What is staged, and how is that put back? Looked at in a copy of the index, so that nothing of the person's is touched, and replaced under git's own
// lock, only if it is byte for byte the one that was looked at.
import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import { Refusal, unless } from "../refusal.ts";
import type { Repository } from "./repository.ts";
import { said } from "./run-git.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A copy of the index as it was at one moment. */
export interface IndexCopy extends Disposable {
  /** The very bytes; undefined where there is no index yet. */
  readonly bytes: Uint8Array | undefined;
  /** Where the copy is. */
  readonly index: string;
}

/** Copies the index; the copy is refreshed, so that what only looks changed doesn't count. */
export function copyIndex(repository: Repository): IndexCopy {
  const bytes = readIndex(repository);
  const folder = mkdtempSync(join(tmpdir(), "synartesis-index-"));
  const index = join(folder, "index");
  const copy = { bytes, index, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  try {
    if (bytes === undefined) return copy;
    writeFileSync(index, bytes, { mode: 0o600 });
    repository.files(["update-index", "-q", "--refresh"], { index });
    return copy;
  } catch (error) {
    copy[Symbol.dispose]();
    throw error;
  }
}

/** What isn't a regular file isn't waited for. */
function readIndex({ gitFolder }: Repository): Buffer | undefined {
  const path = join(gitFolder, "index");
  const fd = unless(["ENOENT"], () => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (fd === undefined) return undefined;
  try {
    if (!fstatSync(fd).isFile()) throw new Refusal(`${path} is no regular file`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What is in submodules git would look at with their own configuration, which may name programs: only the commit that they are at counts. */
export const NOT_INTO_SUBMODULES = ["--ignore-submodules=dirty"] as const;

/** Gives the tree that the index stands for; null where it stands for none (conflicts, files only announced by `add -N`). */
export function treeOf(repository: Repository, { index }: IndexCopy): string | null {
  const announced = repository.files(["diff-files", ...NOT_INTO_SUBMODULES, "--diff-filter=A", "--name-only", "-z"], { index });
  if (announced.ok && announced.out !== "") return null;
  const written = repository.files(["write-tree"], { index });
  return written.ok ? written.out : null;
}

/** Lets the index stand for another tree, if it still stands for `ifTree`. The working tree stays as it is. */
export function restoreIndex(repository: Repository, tree: string, ifTree: string): void {
  using copy = copyIndex(repository);
  const now = treeOf(repository, copy);
  if (now !== ifTree) throw new Refusal(`what is staged isn't as it was left any more: it is ${now ?? "no tree"}`);
  said(repository.files(["read-tree", "-i", "-m", tree], { index: copy.index }));
  repository.files(["update-index", "-q", "--refresh"], { index: copy.index });
  replaceIndex(repository, copy);
}

function replaceIndex(repository: Repository, copy: IndexCopy): void {
  const { gitFolder } = repository;
  const [index, lock] = [join(gitFolder, "index"), join(gitFolder, "index.lock")];
  try {
    closeSync(openSync(lock, "wx", 0o644));
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw new Refusal("another git is at work on the index (index.lock)");
    throw error;
  }
  try {
    const now = readIndex(repository);
    const isSame = now === undefined ? copy.bytes === undefined : copy.bytes !== undefined && now.equals(copy.bytes);
    if (!isSame) throw new Refusal("what is staged is being changed");
    writeFileSync(lock, readFileSync(copy.index));
  } catch (error) {
    unlinkSync(lock);
    throw error;
  }
  renameSync(lock, index);
}
