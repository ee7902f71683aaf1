// How are the shas of Git's objects made? Those of blobs as Git makes them; trees are flat, and they and commits have shas of their own kind.
import { createHash } from "node:crypto";

/** Files by their whole path. */
export type Tree = Readonly<Record<string, { readonly mode: string; readonly sha: string }>>;

export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

/** Gives the sha of a blob, as `git hash-object` does. */
export function blobSha(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Gives the sha of a tree: the same for the same files. */
export function treeSha(files: Tree): string {
  const entries = Object.entries(files).map(([path, { mode, sha }]) => `${mode} ${path}\0${sha}`);
  return createHash("sha1")
    .update(`tree\0${entries.sort().join("\n")}`)
    .digest("hex");
}

/** Makes a commit; `at` tells two of the same content apart. */
export function commitOf(tree: string, parents: readonly string[], message: string, at: number): Commit {
  const sha = createHash("sha1")
    .update(`commit\0${JSON.stringify([tree, parents, message, at])}`)
    .digest("hex");
  return { sha, tree, parents, message };
}
