// How does a file get new content without ever being half written, and without losing what somebody else wrote meanwhile? It keeps its mode and
// its owner, and where a link leads to it, the link stays a link.
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../errors.ts";

/** `changed`: the file no longer holds what it was expected to, and was left alone. */
export type Replacing = { readonly kind: "replaced" } | { readonly kind: "changed" };

/** Writes content to `file` in one step, if it still holds `expected` (undefined: doesn't exist; a new file is 0600). @throws of node:fs */
export function swapContent(file: string, expected: Uint8Array | undefined, content: string | Uint8Array): Replacing {
  if (expected !== undefined && contentOf(file) === undefined) return { kind: "changed" };
  const real = expected === undefined ? file : realpathSync(file);
  const half = join(dirname(real), `.${basename(real)}.${crypto.randomUUID()}`);
  try {
    writeFileSync(half, content, { mode: 0o600, flag: "wx", flush: true });
    if (expected !== undefined) takeOver(real, half);
    const now = contentOf(file);
    if (now === undefined ? expected !== undefined : expected === undefined || !Buffer.from(now).equals(expected))
      return { kind: "changed" };
    renameSync(half, real);
    flushFolder(dirname(real));
    return { kind: "replaced" };
  } finally {
    rmSync(half, { force: true });
  }
}

/** Reads a file; undefined where there is none. */
export function contentOf(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function takeOver(from: string, to: string): void {
  const [had, has] = [statSync(from), statSync(to)];
  if (had.uid !== has.uid || had.gid !== has.gid) chownSync(to, had.uid, had.gid);
  chmodSync(to, had.mode & 0o7777);
}

/** Makes the new name last through a power cut. The content itself is flushed already, so a file system that flushes no folders is no error. */
function flushFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    if (systemCode(error) !== "EINVAL" && systemCode(error) !== "ENOTSUP") throw error;
  } finally {
    closeSync(handle);
  }
}
