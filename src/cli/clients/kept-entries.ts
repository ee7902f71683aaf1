// What was wrapped in clients' files, and what stood there before? Kept in the home, for this user's eyes only: it holds entries with their
// secrets. Never lost to a second process that writes it too.
import { join } from "node:path";
import type { KeptEntry } from "../../clients/disconnect.ts";
import { samePath } from "../../clients/file-plan.ts";
import { isJsonObject, type Json, parseJson, printJson } from "../../core/json.ts";
import { SynartesisError } from "../../errors.ts";
import { homeFolder } from "../find-files.ts";
import type { Io } from "../io.ts";
import { contentOf, replaceFile } from "../replace-file.ts";

const NAME = "connections.json";
const VERSION = 1;

/** Reads what was wrapped. @throws refused where the file isn't ours */
export function readKeptEntries(io: Pick<Io, "env" | "home" | "cwd">): readonly KeptEntry[] {
  return entriesIn(placeOfKeptEntries(io), contentOf(placeOfKeptEntries(io)));
}

/** Puts kept entries in the place of those for the same entries. */
export function keepEntries(io: Pick<Io, "env" | "home" | "cwd">, kept: readonly KeptEntry[]): void {
  change(io, (all) => [...all.filter((each) => !kept.some((other) => sameEntry(each, other))), ...kept]);
}

/** Forgets what was kept of these entries. */
export function forgetEntries(io: Pick<Io, "env" | "home" | "cwd">, dropped: readonly Pick<KeptEntry, "file" | "path">[]): void {
  change(io, (all) => all.filter((each) => !dropped.some((other) => sameEntry(each, other))));
}

function change(io: Pick<Io, "env" | "home" | "cwd">, next: (all: readonly KeptEntry[]) => readonly KeptEntry[]): void {
  const file = placeOfKeptEntries(io);
  for (;;) {
    const before = contentOf(file);
    const all = entriesIn(file, before);
    const kept = next(all);
    if (kept.length === all.length && kept.every((each, index) => each === all[index])) return;
    // A patch is JSON by its definition.
    const text = printJson({ version: VERSION, connections: kept as never });
    if (replaceFile(file, before, `${text}\n`).kind === "replaced") return;
  }
}

function entriesIn(file: string, bytes: Uint8Array | undefined): readonly KeptEntry[] {
  if (bytes === undefined) return [];
  const document = attempt(() => parseJson(new TextDecoder().decode(bytes)));
  const list = isJsonObject(document) && document["version"] === VERSION ? document["connections"] : undefined;
  // Only we write it, whole; beyond its version it is only made sure that somebody's hand or half a disk didn't.
  if (Array.isArray(list) && list.every(looksKept)) return list as unknown as readonly KeptEntry[];
  throw new SynartesisError("refused", `${file} isn't what was kept here`, {
    hint: "move it away: what is wrapped can still be taken out, by the commands behind the proxy's own",
  });
}

function looksKept(each: Json): boolean {
  if (!isJsonObject(each) || typeof each["file"] !== "string" || !isJsonObject(each["patch"])) return false;
  return [each["path"], each["patch"]["entry"], each["patch"]["parts"]].every(Array.isArray);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // said by whoever finds nothing
  }
}

function sameEntry(one: Pick<KeptEntry, "file" | "path">, other: Pick<KeptEntry, "file" | "path">): boolean {
  return one.file === other.file && samePath(one.path, other.path);
}

/** Where they are kept. */
export function placeOfKeptEntries(io: Pick<Io, "env" | "home" | "cwd">): string {
  return join(homeFolder(io), NAME);
}
