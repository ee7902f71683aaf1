// Where are the manifest and the journal, and why there? Reads the manifest, and nothing of the record.
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { SynartesisError } from "../../errors.ts";
import type { Loading } from "../../manifest/load.ts";
import { shellQuote } from "../command-line.ts";
import { findJournal, findManifest, homeFolder, journalOf } from "../find-files.ts";
import type { JournalPlace } from "../journal-place.ts";
import { loadFile } from "../read-manifest.ts";
import { countText } from "../render/counts.ts";
import { codeOf, type Examination, type Finding, findingsOf } from "./finding.ts";

const { ok, note, wrong } = findingsOf("files");

/** What is there, absolute; undefined where it isn't. */
export interface FoundFiles {
  readonly manifest: string | undefined;
  /** What the manifest says, where it can be read. */
  readonly loading: Loading | undefined;
  readonly journal: string | undefined;
  readonly findings: readonly Finding[];
}

/** Looks for both. */
export async function findFiles(examination: Examination): Promise<FoundFiles> {
  const manifest = await lookAtManifest(examination);
  const journal = lookAtJournal(examination, manifest.file);
  return {
    ...{ manifest: manifest.file, loading: manifest.loading, journal: journal.file },
    findings: [...manifest.findings, ...journal.findings],
  };
}

interface ManifestLook {
  readonly file: string | undefined;
  readonly loading?: Loading | undefined;
  readonly findings: readonly Finding[];
}

async function lookAtManifest({ context: { io }, options, command }: Examination): Promise<ManifestLook> {
  const file = attempt(() => findManifest(io, options));
  if (file instanceof SynartesisError)
    return { file: undefined, findings: [wrong(`no manifest: ${file.message}`, { command: command("init") })] };
  const why =
    options.manifest !== undefined
      ? "named by --manifest"
      : dirname(file) === io.cwd
        ? "in this folder"
        : io.cwd.startsWith(`${dirname(file)}/`) || dirname(file) === "/"
          ? "the nearest above this folder"
          : `none is nearer than ${homeFolder(io)}`;
  const loading = await loadFile(io, file).catch((error: unknown) => expected(error));
  if (loading instanceof SynartesisError) return { file, findings: [wrong(loading.message, { hint: loading.hint })] };
  return { file, loading, findings: [ok(`manifest: ${file} (${why})`), ...lookInside(loading, command("check"))] };
}

/** Places only: what stands in a manifest may be a secret. */
function lookInside(loading: Loading, command: string): readonly Finding[] {
  if (loading.kind === "invalid") {
    const [first] = loading.problems;
    const where = first === undefined ? "" : `, the first in line ${first.line}`;
    return [wrong(`the manifest can't be used: ${countText(loading.problems.length, "problem")}${where}`, { command })];
  }
  return loading.unset.map(({ message, server, hint }) => wrong(`${server}: ${message}`, { hint }));
}

function lookAtJournal(
  { context: { io }, options }: Examination,
  manifest: string | undefined,
): Pick<FoundFiles, "journal" | "findings"> & { file: string | undefined } {
  const told = { ...options, ...(manifest !== undefined && options.journal === undefined ? { manifest } : {}) };
  const place = attempt(() => findJournal(io, told));
  if (!(place instanceof SynartesisError)) {
    return { ...{ file: place.file, journal: place.file }, findings: [ok(`journal: ${place.file} (${whyThere(place, options.journal)})`)] };
  }
  const none = { file: undefined, journal: undefined };
  if (manifest === undefined && options.journal === undefined) return { ...none, findings: [] }; // said of the manifest already
  const future = manifest === undefined ? undefined : journalOf(io, manifest, options);
  const trouble = future && hiddenBy(future.file);
  if (future !== undefined && trouble !== undefined) {
    const mend = { command: `ls -ld ${shellQuote(dirname(future.file))}` };
    return { ...none, findings: [wrong(`whether there is a journal ${future.file} can't be seen (${trouble})`, mend)] };
  }
  const where = future === undefined ? "" : ` It will be ${future.file} (${whyThere(future, options.journal)}).`;
  return { ...none, findings: [note(`no journal yet: it is made when a client first starts the proxy.${where}`)] };
}

/** Why it can't be told whether a file is there, such as EACCES; undefined where it can. */
function hiddenBy(file: string): string | undefined {
  try {
    lstatSync(file);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? undefined : code;
  }
}

function whyThere({ moved }: JournalPlace, told: string | undefined): string {
  if (told !== undefined) return "named by --journal";
  return moved ?? "it belongs to the manifest's folder";
}

function attempt<T>(look: () => T): T | SynartesisError {
  try {
    return look();
  } catch (error) {
    return expected(error);
  }
}

function expected(error: unknown): SynartesisError {
  if (error instanceof SynartesisError) return error;
  throw error;
}
