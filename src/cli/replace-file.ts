// How does a file get new content without ever being half written, and without losing what somebody else wrote meanwhile?
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** `changed`: the file no longer holds what it was expected to, and was left alone. */
export type Replacing = { readonly kind: "replaced" } | { readonly kind: "changed" };

/** Writes `text` to `file` in one step, if it still holds `expected` (undefined: doesn't exist). Keeps its mode; a new one is 0600. */
export function replaceFile(file: string, expected: Uint8Array | undefined, text: string): Replacing {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const half = join(dirname(file), `.${basename(file)}.${crypto.randomUUID()}`);
  try {
    writeFileSync(half, text, { mode: 0o600, flag: "wx", flush: true });
    const now = contentOf(file);
    if (now === undefined ? expected !== undefined : expected === undefined || !Buffer.from(now).equals(expected))
      return { kind: "changed" };
    if (expected !== undefined) chmodSync(half, statSync(file).mode & 0o7777);
    renameSync(half, file);
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
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
