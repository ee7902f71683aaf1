// How is a file put back, or taken away again, only if it is still what it is thought to be? Looked at, prepared beside it, looked at again, and then
// changed in one step. Never leaves half a file, and never writes over anything that appeared meanwhile.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { JsonObject } from "../../core/json.ts";
import { systemCode } from "../../errors.ts";
import type { Folder } from "../folder.ts";
import { Refusal, unless } from "../refusal.ts";
import type { LastLink, Place, Roots } from "../roots.ts";
import { type FileState, fileDigest, isSame, readFile } from "./describe.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** What a companion keeps while it writes; under the folder's lock one of these belongs to nobody that lives. */
const TEMPORARY = /^\.synartesis-[0-9a-f]{16}\.tmp$/;

/** What changes are made with. */
export interface Changes {
  readonly roots: Roots;
  /** The largest file that is read or written, in bytes. */
  readonly limit: number;
}

/** What a file has to be still: these bytes, or not there. */
export type Expected = { readonly kind: "digest"; readonly digest: string } | { readonly kind: "absent" };

/** Writes a file if it still is as expected. `mode`: permission bits; else those of the file that it replaces. */
export function writeIf(changes: Changes, path: string, bytes: Uint8Array, expected: Expected, mode: number | undefined): JsonObject {
  if (bytes.length > changes.limit)
    throw new Refusal(`that is ${bytes.length} bytes, more than the ${changes.limit} that are taken (--max-size)`);
  using at = takePlace(changes.roots, path, expected.kind === "digest" ? "follow" : "keep");
  const { place } = at;
  const before = expected.kind === "digest" ? stillAs(place, expected.digest, changes.limit) : undefined;
  if (before === undefined) refuseTaken(place);
  const temporary = prepare(at, bytes, mode ?? permissions(before?.stats), before?.stats);
  try {
    if (before === undefined) linkOnto(place.folder, temporary, place);
    else {
      refuseTouched(place, before);
      renameSync(place.folder.at(temporary), place.folder.at(place.name));
    }
  } finally {
    removeIfThere(place.folder, temporary);
  }
  const shared = (before?.stats.nlink ?? 1) > 1;
  return { written: true, size: bytes.length, digest: fileDigest(bytes), ...(shared ? { note: OTHER_NAMES } : {}) };
}

const OTHER_NAMES = "the file had other names (hard links) as well: those keep what it was";

/** Deletes a file if it still has these bytes; what is gone is left so. */
export function deleteIf({ roots, limit }: Changes, path: string, digest: string): JsonObject {
  const found = roots.find(path, "keep");
  if (found.kind === "nowhere") return { deleted: false };
  using at = take(found.place);
  const { place } = at;
  if (isFree(place)) return { deleted: false };
  refuseTouched(place, stillAs(place, digest, limit));
  unlinkSync(place.folder.at(place.name));
  return { deleted: true };
}

/** Removes a folder if nothing is in it; what is gone is left so. */
export function removeDirIfEmpty({ roots }: Changes, path: string): JsonObject {
  const found = roots.find(path, "keep");
  if (found.kind === "nowhere") return { removed: false };
  using at = take(found.place);
  const { place } = at;
  if (isFree(place)) return { removed: false };
  try {
    rmdirSync(place.folder.at(place.name));
    return { removed: true };
  } catch (error) {
    if (systemCode(error) === "ENOTEMPTY" || systemCode(error) === "EEXIST") throw new Refusal(`${place.path} isn't empty`);
    if (systemCode(error) === "ENOTDIR") throw new Refusal(`${place.path} is no folder`);
    throw error;
  }
}

/** Makes a folder where nothing is; the one above has to be there. */
export function makeDir({ roots }: Changes, path: string, mode: number | undefined): JsonObject {
  using at = takePlace(roots, path, "keep");
  const { place } = at;
  refuseTaken(place);
  mkdirSync(place.folder.at(place.name), { mode: mode ?? 0o777 });
  return { made: true };
}

/** Moves a file or a folder to where nothing is. `digest`: only a file that still has these bytes. */
export function moveIfAbsent({ roots, limit }: Changes, source: string, destination: string, digest: string | undefined): JsonObject {
  using from = takePlace(roots, source, "keep");
  const to = roots.find(destination, "keep");
  if (to.kind === "nowhere") throw new Refusal(`the folder of ${to.path} isn't there`);
  using place = to.place;
  const stats = lstatSync(from.place.folder.at(from.place.name), { throwIfNoEntry: false });
  if (stats === undefined) throw new Refusal(`there is nothing at ${from.place.path}`);
  if (!stats.isFile() && !stats.isDirectory()) throw new Refusal(`${from.place.path} is neither a file nor a folder`);
  if (digest !== undefined) refuseTouched(from.place, stillAs(from.place, digest, limit));
  refuseTaken(place);
  const [oldName, newName] = [from.place.folder.at(from.place.name), place.folder.at(place.name)];
  if (stats.isDirectory()) renameSync(oldName, newName);
  else {
    linkOnto(from.place.folder, from.place.name, place);
    unlinkSync(oldName);
  }
  return { moved: true };
}

/** A place whose folder is ours alone among companions. */
interface Taken extends Disposable {
  readonly place: Place;
  readonly lock: FolderLock;
}

function takePlace(roots: Roots, path: string, lastLink: LastLink): Taken {
  const found = roots.find(path, lastLink);
  if (found.kind === "nowhere") throw new Refusal(`the folder of ${found.path} isn't there`);
  return take(found.place);
}

function take(place: Place): Taken {
  try {
    if (place.name === ".") throw new Refusal(`${place.path} is the root itself`);
    const lock = lockFolder(place.folder);
    const dispose = () => {
      lock[Symbol.dispose]();
      place[Symbol.dispose]();
    };
    return { place, lock, [Symbol.dispose]: dispose };
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

function stillAs(place: Place, digest: string, limit: number): FileState {
  const now = readFile(place, limit);
  if (now.digest !== digest) throw new Refusal(`${place.path} isn't as it was left any more: it has ${now.digest}`);
  return now;
}

/** The last look before a change: as long as it has its file's marks, nobody has touched it since it was read. */
function refuseTouched(place: Place, { stats }: FileState): void {
  const now = lstatSync(place.folder.at(place.name), { throwIfNoEntry: false });
  if (now === undefined || !isSame(now, stats)) throw new Refusal(`${place.path} is being changed`);
}

function isFree({ folder, name }: Place): boolean {
  return lstatSync(folder.at(name), { throwIfNoEntry: false }) === undefined;
}

function refuseTaken(place: Place): void {
  if (!isFree(place)) throw new Refusal(`something is at ${place.path} already`);
}

/** Gives a file a second name, unless something has that: the one step that makes a file and never replaces one. */
function linkOnto(folder: Folder, name: string, place: Place): void {
  try {
    linkSync(folder.at(name), place.folder.at(place.name));
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw new Refusal(`something is at ${place.path} already`);
    throw error;
  }
}

/** Writes a file beside the one that it is to become, whole and on disk; gives its name. */
function prepare({ place: { folder }, lock }: Taken, bytes: Uint8Array, mode: number | undefined, before: Stats | undefined): string {
  if (lock.isLocked) for (const name of folder.names()) if (TEMPORARY.test(name)) removeIfThere(folder, name);
  const name = `.synartesis-${randomBytes(8).toString("hex")}.tmp`;
  const fd = openSync(folder.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode === undefined ? 0o666 : 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    if (before !== undefined) keepOwner(fd, before);
    if (mode !== undefined) fchmodSync(fd, mode);
    fdatasyncSync(fd);
    return name;
  } catch (error) {
    removeIfThere(folder, name);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** A file stays whose it is; one that we can't give back to its owner isn't replaced. */
function keepOwner(fd: number, { uid, gid }: Stats): void {
  try {
    fchownSync(fd, uid, gid);
  } catch (error) {
    if (systemCode(error) === "EPERM") throw new Refusal("the file belongs to somebody else, and would be ours afterwards");
    throw error;
  }
}

function permissions(stats: Stats | undefined): number | undefined {
  return stats && stats.mode & 0o7777;
}

function removeIfThere(folder: Folder, name: string): void {
  unless(["ENOENT"], () => unlinkSync(folder.at(name)));
}
