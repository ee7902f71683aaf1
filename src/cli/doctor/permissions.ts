// Who else could read the record and the logins, or change what is run? Looks at modes and owners of what is there; changes none.
import { accessSync, constants, readdirSync, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { headFile } from "../../journal/head-file.ts";
import { SCHEMA_FILE } from "../../manifest/json-schema.ts";
import { shellQuote } from "../command-line.ts";
import { homeFolder, MANIFEST_NAME } from "../find-files.ts";
import type { FoundFiles } from "./files.ts";
import { codeOf, type Examination, type Finding, findingsOf } from "./finding.ts";

const { ok, wrong } = findingsOf("permissions");

/** What of the home isn't secret: it is for a person, and their editor. */
const OPEN_FILES: readonly string[] = [MANIFEST_NAME, SCHEMA_FILE, ".gitignore"];
const SECRETS = "what is known of your servers";

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
    ...secretsIn(home).filter(({ path }) => !OPEN_FILES.includes(basename(path)) && statOf(path)?.isFile() === true),
    { path: join(home, "logins"), what: SECRETS, need: "secret" },
    ...secretsIn(join(home, "logins")),
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

/** Whatever lies there is a secret. */
function secretsIn(folder: string): readonly Place[] {
  try {
    return readdirSync(folder).map((name) => ({ path: join(folder, name), what: SECRETS, need: "secret" }));
  } catch {
    return []; // it isn't there, or what is said of the folder itself says why
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // said where the file itself is looked at
  }
}

function lookAt({ path, what, need }: Place, me: Owner | undefined): readonly Finding[] {
  const named = `${path} (${what})`;
  const place = shellQuote(path);
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    accessSync(path, constants.R_OK | (stats.isDirectory() ? constants.X_OK : 0) | (need === "secret" ? constants.W_OK : 0));
  } catch (error) {
    const isOwn = stats !== undefined && stats.uid === me?.uid;
    const mend = stats === undefined ? `ls -ld ${place}` : isOwn ? `chmod u+rwX ${place}` : chownTo(me, place);
    return [wrong(`you can't use ${named}: ${codeOf(error)}`, { command: mend })];
  }
  const { mode, uid, gid } = stats;
  if (me !== undefined && uid !== me.uid && uid !== 0)
    return [wrong(`${named} belongs to another user (${uid})`, { command: chownTo(me, place) })];
  if (need === "secret" && (mode & 0o077) !== 0) return [wrong(`others can read ${named}`, { command: `chmod go-rwx ${place}` })];
  // What is sticky, such as /tmp, lets nobody replace what is another's. One's own group is often nobody else's.
  const byGroup = (mode & 0o020) !== 0 && gid !== me?.gid;
  if (((mode & 0o002) !== 0 || byGroup) && (mode & 0o1000) === 0)
    return [wrong(`others can change ${named}`, { command: `chmod go-w ${place}` })];
  return [];
}

function chownTo(me: Owner | undefined, place: string): string {
  return `sudo chown ${me?.uid ?? '"$(id -u)"'} ${place}`;
}

/** Undefined where the system doesn't know us: then whose something is can't be told. */
function ourselves(): Owner | undefined {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
}
