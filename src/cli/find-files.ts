// Which manifest and which journal does a command mean? Found upwards from the current folder, then in the home; told by options.
// Never creates anything.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SynartesisError } from "../errors.ts";
import { commandLine } from "./command-line.ts";
import type { Io } from "./io.ts";
import { type FolderTrouble, folderTrouble, type JournalPlace, journalPlace } from "./journal-place.ts";

/** The manifest's name, wherever it lies. */
export const MANIFEST_NAME = "synartesis.yaml";

/** What the options said: `--manifest FILE`, `--journal FILE`. */
export interface FileOptions {
  readonly manifest?: string | undefined;
  readonly journal?: string | undefined;
}

/** Gives our own folder: SYNARTESIS_HOME, else `~/.synartesis`. Absolute; may not exist. */
export function homeFolder(io: Pick<Io, "env" | "home" | "cwd">): string {
  const told = io.env["SYNARTESIS_HOME"];
  return told ? resolve(io.cwd, told) : join(io.home, ".synartesis");
}

/** Finds the manifest; absolute, and existing. @throws manifest-missing, with what was looked at */
export function findManifest(io: Io, options: FileOptions): string {
  const found = lookForManifest(io, options);
  if (found !== undefined) return found;
  if (options.manifest !== undefined)
    throw new SynartesisError("manifest-missing", `there is no manifest ${resolve(io.cwd, options.manifest)}`);
  throw new SynartesisError("manifest-missing", `there is no ${MANIFEST_NAME} in ${io.cwd}, above it, or in ${homeFolder(io)}`, {
    hint: `${commandLine(io, ["init"])} makes one for the servers of your MCP clients, ${commandLine(io, ["init", "NAME", "--", "COMMAND"])} for any other`,
  });
}

/** Finds the manifest, or undefined where there is none. */
export function lookForManifest(io: Io, options: FileOptions): string | undefined {
  if (options.manifest !== undefined) {
    const told = resolve(io.cwd, options.manifest);
    return existsSync(told) ? told : undefined;
  }
  const folder = [...upwards(io.cwd), homeFolder(io)].find((candidate) => existsSync(join(candidate, MANIFEST_NAME)));
  return folder === undefined ? undefined : join(folder, MANIFEST_NAME);
}

/** Gives the place of the journal that goes with a manifest; the file may not exist yet. `--journal` wins. */
export function journalOf(io: Io, manifest: string, options: FileOptions, trouble: FolderTrouble = folderTrouble): JournalPlace {
  if (options.journal !== undefined) return { file: resolve(io.cwd, options.journal), moved: undefined };
  return journalPlace(dirname(resolve(io.cwd, manifest)), homeFolder(io), trouble);
}

/** Finds an existing journal. @throws journal-missing, manifest-missing where the one that was named is, with what was looked at */
export function findJournal(io: Io, options: FileOptions, trouble: FolderTrouble = folderTrouble): JournalPlace {
  const place = lookForJournal(io, options, trouble);
  if (place !== undefined && existsSync(place.file)) return place;
  if (options.journal === undefined && options.manifest !== undefined) findManifest(io, options);
  const hint = "a journal is made when a client first starts the proxy";
  if (place !== undefined) throw new SynartesisError("journal-missing", `there is no journal ${place.file} yet`, { hint });
  throw new SynartesisError(
    "journal-missing",
    `there is no ${MANIFEST_NAME} and no .synartesis/journal.db in ${io.cwd}, above it, or in ${homeFolder(io)}`,
    {
      hint: `${commandLine(io, ["init"])} makes a manifest for the servers of your MCP clients, ${commandLine(io, ["init", "NAME", "--", "COMMAND"])} for any other; ${hint}`,
    },
  );
}

/** Gives what a printed command has to be told, so that it finds the same journal from the current folder. */
export function toldJournal(io: Io, file: string, trouble: FolderTrouble = folderTrouble): { journal?: string } {
  return lookForJournal(io, {}, trouble)?.file === file ? {} : { journal: file };
}

/** Gives what a printed command has to be told, so that it finds the same manifest from the current folder. */
export function toldManifest(io: Io, file: string): { manifest?: string } {
  return lookForManifest(io, {}) === file ? {} : { manifest: file };
}

/** Gives what a printed command has to be told to find the files that options named; nothing where it finds them by itself. */
export function findGiven(io: Io, { manifest, journal }: FileOptions): { manifest?: string; journal?: string } {
  if (journal !== undefined) return toldJournal(io, resolve(io.cwd, journal));
  return manifest === undefined ? {} : toldManifest(io, resolve(io.cwd, manifest));
}

function lookForJournal(io: Io, options: FileOptions, trouble: FolderTrouble): JournalPlace | undefined {
  if (options.journal !== undefined) return { file: resolve(io.cwd, options.journal), moved: undefined };
  if (options.manifest !== undefined) return journalOf(io, options.manifest, options, trouble);
  const above = lookUpwards(io, trouble);
  if (above !== undefined) return above;
  const home = homeFolder(io);
  const inHome = journalPlace(home, home, trouble);
  return existsSync(inHome.file) || existsSync(join(home, MANIFEST_NAME)) ? inHome : undefined;
}

function lookUpwards(io: Io, trouble: FolderTrouble): JournalPlace | undefined {
  for (const folder of upwards(io.cwd)) {
    // A bare journal.db may be anybody's; `~/.synartesis` is the home folder's own place, which comes last.
    const known = existsSync(join(folder, ".synartesis", "journal.db")) && folder !== io.home;
    if (known || existsSync(join(folder, MANIFEST_NAME))) return journalPlace(folder, homeFolder(io), trouble);
  }
  return undefined;
}

/** Tells whether a journal is the one of a project around the current folder: any other is to be named to the person. */
export function isFoundUpwards(io: Io, file: string, trouble: FolderTrouble = folderTrouble): boolean {
  return lookUpwards(io, trouble)?.file === file;
}

function upwards(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}
