// How is a client's file read, and written so that neither the client nor its owner loses anything? Whole or not at all, only while it still is
// as it was read, with a copy of what was there beside it. What can't be done so is refused with the reason.
import { realpathSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { systemCode } from "../errors.ts";
import { contentOf, swapContent } from "./swap-content.ts";

/** A file as it was read. */
export interface SeenFile {
  /** As it was named; may be a link. */
  readonly path: string;
  /** The file itself, behind all links. */
  readonly real: string;
  readonly bytes: Uint8Array;
}

/** Nothing was done: why not, in words for a person. */
export interface FileRefused {
  readonly kind: "refused";
  readonly reason: string;
  readonly hint?: string;
}

export type FileRead = { readonly kind: "read"; readonly file: SeenFile } | FileRefused;

/** `backup`: where the copy of what was there is; undefined if none was wanted. `changed`: it is no longer as it was read, and was left alone. */
export type FileWritten = { readonly kind: "written"; readonly backup: string | undefined } | { readonly kind: "changed" } | FileRefused;

/** `first` keeps a copy that is there already, `new` writes it anew. */
export type Backup = "first" | "new" | "none";

/** Reads a file, if it is one that can be written. */
export function readClientFile(path: string): FileRead {
  try {
    const real = realpathSync(path);
    const reason = whyNot(statSync(real));
    return reason ?? { kind: "read", file: { path, real, bytes: contentOf(real) ?? new Uint8Array() } };
  } catch (error) {
    return refusalOf(error, "read");
  }
}

function whyNot(stats: Stats): FileRefused | undefined {
  if (stats.isDirectory()) return { kind: "refused", reason: "it is a folder" };
  if (!stats.isFile()) return { kind: "refused", reason: "it is no regular file" };
  // Whoever may write the folder could replace it all the same; but somebody meant it.
  if ((stats.mode & 0o222) === 0) return { kind: "refused", reason: "it is read-only", hint: "make it writable: chmod u+w" };
  // A new file in its place would have but one of them.
  if (stats.nlink > 1)
    return {
      kind: "refused",
      reason: "it has several names (hard links), which writing it would part",
      hint: "make it a link (ln -s), or a file of its own",
    };
  return undefined;
}

/** Writes a file that was read, in one step, and before that the copy of what was there. */
export function writeClientFile(seen: SeenFile, bytes: Uint8Array, backup: Backup = "first"): FileWritten {
  const copy = backup === "none" ? undefined : backupOf(seen.path);
  let isOurs = false;
  try {
    if (realpathSync(seen.path) !== seen.real) return { kind: "changed" };
    const refused = whyNot(statSync(seen.real));
    if (refused !== undefined) return refused;
    if (copy !== undefined) isOurs = writeCopy(copy, seen.bytes, backup === "new");
    const { kind } = swapContent(seen.real, seen.bytes, bytes);
    if (kind === "replaced") isOurs = false;
    return kind === "replaced" ? { kind: "written", backup: copy } : { kind };
  } catch (error) {
    return systemCode(error) === "ENOENT" ? { kind: "changed" } : refusalOf(error, "written");
  } finally {
    // Of a file that was not written there is nothing to keep.
    if (isOurs && copy !== undefined) rmSync(copy, { force: true });
  }
}

/** Names the copy of a file: beside it, or beside the link to it, so that none gets into somebody's repository of such files. */
export function backupOf(path: string): string {
  return `${path}.before-synartesis`;
}

/** Removes the copy of a file that holds these bytes again. Gives whether there is none any more. */
export function removeBackup(path: string, bytes: Uint8Array): boolean {
  const copy = contentOf(backupOf(path));
  if (copy === undefined) return true;
  if (!Buffer.from(copy).equals(bytes)) return false;
  rmSync(backupOf(path), { force: true });
  return true;
}

/** Gives whether it was written. Only its owner may read it: there are secrets in it, and who else may read the file is no matter of its copy. */
function writeCopy(copy: string, bytes: Uint8Array, anew: boolean): boolean {
  if (anew) rmSync(copy, { force: true });
  try {
    writeFileSync(copy, bytes, { mode: 0o600, flag: "wx", flush: true });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

const REASONS: Readonly<Record<string, readonly [reason: string, hint?: string]>> = {
  ENOENT: ["there is no such file, or it is a link that leads to none"],
  ENOTDIR: ["there is no such file"],
  ELOOP: ["it is a link that leads back to itself"],
  EISDIR: ["it is a folder"],
  EACCES: ["it or its folder is not yours to change", "look at the owner and the mode of both"],
  EPERM: ["it belongs to somebody else, or is protected", "run it as the file's owner"],
  EROFS: ["it is on a file system that can't be written", "change it where it is made (your dotfiles, say)"],
  ENOSPC: ["there is no space left on the device"],
  EDQUOT: ["there is no space left for you on the device"],
};

/** Says why the system refused to have a file read or written; `verb` is what couldn't be done. @throws the error, where it isn't the system's */
export function refusalOf(error: unknown, verb: "read" | "written"): FileRefused {
  const code = systemCode(error);
  if (code === undefined) throw error;
  const [reason, hint] = REASONS[code] ?? [`it can't be ${verb}`];
  return { kind: "refused", reason: `${reason} (${code})`, ...(hint === undefined ? {} : { hint }) };
}
