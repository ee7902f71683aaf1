// From where does git look at the files of a repository whose configuration may name programs? From a git folder of ours, with the repository's objects and
// index, but a configuration of which every word is ours: no filter, driver, hook, monitor or transport is known there, whatever is written meanwhile.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A git folder for working on files. */
export interface StandIn extends Disposable {
  readonly env: Readonly<Record<string, string>>;
  /** How the repository wants its files compared, as `name=value`. */
  readonly settings: readonly string[];
}

/** What of a repository's configuration says how files are compared and written; none of it is a program. */
const KEPT: readonly string[] = [
  "core.attributesfile",
  "core.autocrlf",
  "core.checkstat",
  "core.eol",
  "core.filemode",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.protecthfs",
  "core.protectntfs",
  "core.safecrlf",
  "core.sparsecheckout",
  "core.sparsecheckoutcone",
  "core.symlinks",
  "core.trustctime",
];

/** Makes one. `listed`: what `git config --list -z` says of the repository. */
export function makeStandIn({ gitFolder, commonFolder }: { gitFolder: string; commonFolder: string }, listed: string): StandIn {
  const settings = settingsIn(listed);
  const folder = mkdtempSync(join(tmpdir(), "synartesis-git-"));
  const format = settings.get("extensions.objectformat") === "sha256" ? "[extensions]\n\tobjectformat = sha256\n" : "";
  writeFileSync(join(folder, "config"), `[core]\n\trepositoryformatversion = 1\n\tbare = false\n${format}`);
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  mkdirSync(join(folder, "refs"));
  mkdirSync(join(folder, "info"));
  symlinkSync(join(commonFolder, "info/attributes"), join(folder, "info/attributes"));
  symlinkSync(join(gitFolder, "info/sparse-checkout"), join(folder, "info/sparse-checkout"));
  for (const name of readdirSync(gitFolder).filter((each) => each.startsWith("sharedindex."))) // the rest of an index in two parts
    symlinkSync(join(gitFolder, name), join(folder, name));
  return {
    env: { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: join(commonFolder, "objects") },
    settings: [...KEPT.flatMap((name) => (settings.has(name) ? [`${name}=${settings.get(name)}`] : [])), "core.splitIndex=false"],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The last value of each name; a name alone stands for true. */
function settingsIn(listed: string): ReadonlyMap<string, string> {
  const entries = listed.split("\0").filter((entry) => entry !== "");
  return new Map(
    entries.map((entry) => {
      const end = entry.indexOf("\n");
      return end === -1 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    }),
  );
}
