// Who else could read the record and the logins, or change what is run? Looks at modes and owners of what is there; changes none.
import { accessSync, constants, readdirSync, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { headFile } from "../../journal/head-file.ts";
import { shellQuote } from "../command-line.ts";
import { homeFolder } from "../find-files.ts";
import type { FoundFiles } from "./files.ts";
import { codeOf, type Examination, type Finding, findingsOf } from "./finding.ts";

const { ok, wrong } = findingsOf("permissions");

/** `secret`: nobody else may read it. `ours`: nobody else may change it. */
type Need = "secret" | "ours";

interface Place {
  readonly path: string;
  readonly what: string;
  readonly need: Need;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly username: string;
}

/** Looks at the journal with what lies beside it, at the manifest, the logins, and the folders that they are in. */
export function checkPermissions({ context: { io } }: Examination, { manifest, journal }: FoundFiles): readonly Finding[] {
  const home = homeFolder(io);
  const places: readonly Place[] = [
    ...(manifest === undefined ? [] : around(manifest, "the manifest", "ours")),
    ...(journal === undefined
      ? []
      : [
          ...around(journal, "the journal", "secret"),
          ...[`${journal}-wal`, `${journal}-shm`, headFile(journal)].map((path) => ({
            path,
            what: "a part of the journal",
            need: "secret" as const,
          })),
        ]),
    { path: home, what: "the home of Synartesis", need: "ours" },
    ...(["logins", "clients"] as const).flatMap((name) => inFolder(join(home, name))),
  ];
  const me = ourselves();
  const seen = new Set<string>();
  const fresh = places.filter(({ path }) => !seen.has(path) && seen.add(path));
  const findings = fresh.flatMap((place) => lookAt(place, me));
  if (manifest === undefined && journal === undefined) return findings;
  return findings.length > 0 ? findings : [ok("nobody else can read the record or the logins, or change what is run")];
}

/** A file, and the folder in which somebody could put another one in its place. */
function around(path: string, what: string, need: Need): readonly Place[] {
  return [
    { path, what, need },
    { path: dirname(path), what: `the folder of ${what}`, need: "ours" },
  ];
}

/** A folder of secrets, and what is in it. */
function inFolder(folder: string): readonly Place[] {
  const what = "what is known of your servers";
  try {
    return [folder, ...readdirSync(folder).map((name) => join(folder, name))].map((path) => ({ path, what, need: "secret" as const }));
  } catch (error) {
    return codeOf(error) === "ENOENT" ? [] : [{ path: folder, what, need: "secret" }];
  }
}

function lookAt({ path, what, need }: Place, me: Owner | undefined): readonly Finding[] {
  let stats: Stats;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    stats = found;
    accessSync(path, stats.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
    if (need === "secret") accessSync(path, constants.W_OK);
  } catch (error) {
    return [wrong(`${what}, ${path}, can't be used by you (${codeOf(error)})`, { command: `ls -ld ${shellQuote(path)}` })];
  }
  const named = `${path} (${what})`;
  if (me !== undefined && stats.uid !== me.uid && stats.uid !== 0)
    return [
      wrong(`${named} belongs to another user (${stats.uid})`, { command: `sudo chown ${shellQuote(me.username)} ${shellQuote(path)}` }),
    ];
  const { mode } = stats;
  if (need === "secret" && (mode & 0o077) !== 0)
    return [wrong(`others can read ${named}`, { command: `chmod go-rwx ${shellQuote(path)}` })];
  // What is sticky, such as /tmp, lets nobody replace what is another's. One's own group is often nobody else's.
  const byGroup = (mode & 0o020) !== 0 && stats.gid !== me?.gid;
  if (((mode & 0o002) !== 0 || byGroup) && (mode & 0o1000) === 0)
    return [wrong(`others can change ${named}`, { command: `chmod go-w ${shellQuote(path)}` })];
  return [];
}

/** Undefined where the system doesn't know us: then whose something is can't be told. */
function ourselves(): Owner | undefined {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
}
