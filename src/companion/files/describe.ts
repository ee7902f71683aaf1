// What is at a path now? Its kind, its mode and its bytes, each exactly; never the bytes of anything but a regular file, and never of one that is
// being written.
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import { sha256 } from "../../core/digest.ts";
import type { JsonObject } from "../../core/json.ts";
import { systemCode } from "../../errors.ts";
import { Refusal } from "../refusal.ts";
import type { Found, Place, Roots } from "../roots.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** How often a file that changes while it is read is read again. */
const TRIES = 3;

/** A regular file as it was at one moment. */
export interface FileState {
  readonly bytes: Uint8Array;
  readonly stats: Stats;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** Says what is at a path; `full`: with the bytes. @throws Refusal */
export function describe(roots: Roots, path: string, limit: number, full: boolean): JsonObject {
  using found = opened(findShown(roots, path));
  if (found.kind === "nowhere") return absent(found.path, found.missingFolders);
  const { place } = found;
  const stats = lstatSync(place.folder.at(place.name), { throwIfNoEntry: false });
  if (stats === undefined) return absent(place.path, []);
  if (stats.isFile()) return fileDocument(place, limit, full);
  const kind = stats.isDirectory() ? "dir" : stats.isSymbolicLink() ? "link" : "other";
  const target = kind === "link" ? { target: readlinkSync(place.folder.at(place.name)) } : {};
  return { exists: true, kind, mode: modeText(stats), ...target, ...THERE };
}

const THERE = { missing: [], missing_parents: [] };

function absent(path: string, missingFolders: readonly string[]): JsonObject {
  return { exists: false, missing: [path, ...missingFolders], missing_parents: [...missingFolders] };
}

/** A link that stays within the roots is what it leads to; any other one is shown as a link. */
function findShown(roots: Roots, path: string): Found {
  const kept = roots.find(path, "keep");
  if (kept.kind === "nowhere" || !isLink(kept.place)) return kept;
  try {
    const followed = roots.find(path, "follow");
    kept.place[Symbol.dispose]();
    return followed;
  } catch (error) {
    if (error instanceof Refusal) return kept;
    throw error;
  }
}

function opened(found: Found): Found & Disposable {
  return { ...found, [Symbol.dispose]: () => (found.kind === "place" ? found.place[Symbol.dispose]() : undefined) };
}

function isLink({ folder, name }: Place): boolean {
  return lstatSync(folder.at(name), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function fileDocument(place: Place, limit: number, full: boolean): JsonObject {
  const { bytes, stats, digest } = readFile(place, limit);
  const known = { exists: true, kind: "file", mode: modeText(stats), size: bytes.length, digest };
  const links = stats.nlink > 1 ? { links: stats.nlink } : {};
  if (!full) return { ...known, ...links, ...THERE };
  const text = textOf(bytes);
  return { ...known, ...links, ...(text === undefined ? { content: Buffer.from(bytes).toString("base64") } : { text }), ...THERE };
}

/** Reads a regular file. @throws Refusal where it is none, is too large, or doesn't stand still */
export function readFile({ folder, name, path }: Place, limit: number): FileState {
  // Nothing waits for the other end of a FIFO, and no device is opened by more than its name.
  const fd = openFile(folder.at(name), path);
  try {
    for (let tried = 0; tried < TRIES; tried++) {
      const before = fstatSync(fd);
      if (!before.isFile()) throw new Refusal(`${path} is no regular file`);
      if (before.size > limit) throw new Refusal(`${path} has ${before.size} bytes, more than the ${limit} that are taken (--max-size)`);
      const bytes = readBytes(fd, before.size);
      const stats = fstatSync(fd);
      if (isSame(before, stats) && bytes.length === stats.size) return { bytes, stats, digest: fileDigest(bytes) };
    }
    throw new Refusal(`${path} is being written`);
  } finally {
    closeSync(fd);
  }
}

/** Reads from the beginning; less than `size` where the file ends before. */
function readBytes(fd: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const count = readSync(fd, bytes, at, size - at, at);
    if (count === 0) return bytes.subarray(0, at);
    at += count;
  }
  return bytes;
}

function openFile(at: string, path: string): number {
  if (lstatSync(at, { throwIfNoEntry: false })?.isFile() === false) throw new Refusal(`${path} is no regular file`);
  try {
    return openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") throw new Refusal(`there is nothing at ${path}`);
    if (systemCode(error) === "ELOOP") throw new Refusal(`${path} is a link`);
    throw error;
  }
}

/** Tells whether two looks at a file found it untouched. */
export function isSame(one: Stats, other: Stats): boolean {
  return (["dev", "ino", "size", "mtimeMs", "ctimeMs", "mode"] as const).every((key) => one[key] === other[key]);
}

/** Gives the digest by which a file's bytes are known. */
export function fileDigest(bytes: Uint8Array): string {
  return `sha256:${sha256(bytes)}`;
}

/** Writes the permission bits as four octal digits or more. */
function modeText({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

/** The bytes as a text; undefined where they are none that would give the same bytes again, or one that a reader would take for damaged (U+FFFD). */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\uFFFD") ? undefined : text;
  } catch {
    return undefined;
  }
}
