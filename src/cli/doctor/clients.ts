// Does each entry in a client's file really run this program, on a manifest that has its server? Only reads the files; runs a program only to ask
// for its version. Shows names and places, and nothing else of what stands there.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { KeptEntry } from "../../clients/disconnect.ts";
import type { ClientFile, ClientServer } from "../../clients/find-clients.ts";
import { CLEARED_VARIABLES, type Wrapping } from "../../clients/wrapping.ts";
import { SynartesisError } from "../../errors.ts";
import type { Loading } from "../../manifest/load.ts";
import { wordsFor, wrapAgain } from "../clients/client-words.ts";
import { commandLine, samePlace, shellQuote } from "../command-line.ts";
import { lookForManifest } from "../find-files.ts";
import type { Io } from "../io.ts";
import { loadFile } from "../read-manifest.ts";
import { VERSION_LINE } from "../version.ts";
import { codeOf, type Examination, type Finding, findingsOf, NOTHING_GUARDED } from "./finding.ts";
import { versionOf } from "./program.ts";

const { ok, note, wrong } = findingsOf("clients");

/** What is wrong with one entry, and what mends it. */
type Trouble = Pick<Finding, "what" | "hint" | "command">;

/** What was found of clients: and the files, absolute, that can't be read. */
export interface ClientsLook {
  readonly findings: readonly Finding[];
  readonly broken: readonly string[];
}

/** Looks at every client's file that is here, and at those in which our words were written. */
export async function checkClients({ context: { io }, options, command }: Examination): Promise<ClientsLook> {
  const [{ findClients }, { surroundings }, { withFilesOf }] = await Promise.all([
    import("../../clients/find-clients.ts"),
    import("../clients/surroundings.ts"),
    import("../clients/choose-servers.ts"),
  ]);
  const versions = new Map<string, Promise<string | undefined>>();
  const ask = (program: readonly string[]) => {
    const known = versions.get(program.join("\0")) ?? versionOf(program, io.env);
    versions.set(program.join("\0"), known);
    return known;
  };
  const manifest = options.manifest === undefined ? undefined : resolve(io.cwd, options.manifest);
  const kept = await lookAtKept(io);
  const here = findClients(surroundings(io));
  const files = withFilesOf(kept.entries, here, surroundings(io));
  const looks = await Promise.all(files.map((file) => lookAtFile(file, here.includes(file), { io, ask, manifest })));
  const isGuarded = looks.some(({ wrapped = 0 }) => wrapped > 0);
  const findings = [
    ...kept.findings,
    ...(isGuarded ? kept.missing : [note(NOTHING_GUARDED, { command: command("init") })]),
    ...looks.flatMap((look) => look.findings),
  ];
  return {
    // A file with two places for servers is broken once.
    findings: findings.filter(({ what }, index) => findings.findIndex((other) => other.what === what) === index),
    broken: files.filter((_, index) => looks[index]?.wrapped === undefined).map(({ path }) => path),
  };
}

/** `wrapped`: how many entries start the proxy; undefined where that can't be read. */
async function lookAtFile(
  file: ClientFile,
  isHere: boolean,
  { io, ask, manifest }: Pick<Means, "io" | "ask"> & { readonly manifest: string | undefined },
): Promise<{ readonly wrapped: number | undefined; readonly findings: readonly Finding[] }> {
  const { readServers } = await import("../../clients/find-clients.ts");
  const read = await readServers(file);
  if (read.kind === "unreadable")
    return { wrapped: undefined, findings: [wrong(`${placeOf(file)} can't be used: ${withoutText(read.reason)}`)] };
  const wrapped = read.servers.filter(({ wrapping }) => wrapping !== undefined);
  const words = isHere ? wordsFor(file) : [file.client.id, "--file", file.path];
  const entries = wrapped.map((server) => checkEntry(server, { io, ask, again: wrapAgain(io, words, server.name, manifest) }));
  const others = isHere ? unguarded(file, read.servers, commandLine(io, ["connect", ...words], { manifest })) : [];
  return { wrapped: wrapped.length, findings: [...(await Promise.all(entries)), ...others] };
}

interface KeptLook {
  readonly entries: readonly KeptEntry[];
  readonly findings: readonly Finding[];
  /** What is to be said if entries start the proxy. */
  readonly missing: readonly Finding[];
}

/** Whether `disconnect` can read what stood in the entries before. */
async function lookAtKept(io: Io): Promise<KeptLook> {
  const { placeOfKeptEntries, readKeptEntries } = await import("../clients/kept-entries.ts");
  const place = placeOfKeptEntries(io);
  try {
    const what = `what stood in the entries before they started this program isn't known: ${place} isn't there`;
    const hint = "disconnect then puts back the command behind --; it can't give back an address";
    return { entries: readKeptEntries(io), findings: [], missing: existsSync(place) ? [] : [note(what, { hint })] };
  } catch (error) {
    const none = { entries: [], missing: [] };
    if (!(error instanceof SynartesisError)) throw error;
    if (error.code !== "refused") return { ...none, findings: [wrong(error.message, { hint: error.hint })] };
    const command = `mv ${shellQuote(place)} ${shellQuote(`${place}.broken`)}`;
    return { ...none, findings: [wrong(error.message, { hint: error.hint, command })] };
  }
}

function placeOf({ client, path }: ClientFile): string {
  return `${client.title}'s file ${path}`;
}

/** The place of a mistake, without what stands there. */
function withoutText(reason: string): string {
  return /^line \d+, column \d+/.exec(reason)?.[0] ?? reason;
}

function unguarded({ client, path }: ClientFile, servers: readonly ClientServer[], command: string): readonly Finding[] {
  const names = servers.filter(({ wrapping, disabled, reach }) => !wrapping && !disabled && reach.kind !== "none").map(({ name }) => name);
  if (names.length === 0) return [];
  return [note(`${client.title} uses servers that aren't guarded: ${names.join(", ")} (${path})`, { command })];
}

interface Means {
  readonly io: Io;
  readonly ask: (program: readonly string[]) => Promise<string | undefined>;
  /** The command that writes the entry anew. */
  readonly again: string;
}

async function checkEntry(server: ClientServer, means: Means): Promise<Finding> {
  const { wrapping, file, name, reach, disabled } = server;
  const entry = `${file.client.title}'s entry "${name}" in ${file.path}`;
  if (wrapping === undefined) return note(`${entry} isn't ours`);
  const set = reach.kind === "command" ? CLEARED_VARIABLES.filter((variable) => reach.env[variable]) : [];
  const trouble =
    (set.length > 0
      ? { what: `sets ${set.join(" and ")}, which can turn this program into another one`, hint: "take it out there" }
      : undefined) ??
    (await checkProgramOf(wrapping, means)) ??
    (await checkManifestOf(server, wrapping, means));
  if (trouble !== undefined) return wrong(`${entry} ${trouble.what}`, trouble);
  if (disabled) return note(`${entry} runs this program, but the client is told not to start it`);
  if (wrapping.manifest === undefined) return note(`${entry} names no manifest: which one it finds depends on where it is started`);
  return ok(`${entry} runs this program`);
}

/** Whether what it starts is there, can be run, and is this program. */
async function checkProgramOf({ program }: Wrapping, { io, ask, again }: Means): Promise<Trouble | undefined> {
  const mend = { command: again };
  const written = program.at(-1) ?? "";
  const place = isAbsolute(written) ? written : Bun.which(written, { PATH: io.env["PATH"] ?? "" });
  if (place === null) return { what: `starts ${written}, which isn't on PATH`, ...mend };
  try {
    if (!statSync(place).isFile()) return { what: `starts ${place}, which is no file`, ...mend };
    if (program.length === 1) accessSync(place, constants.X_OK);
  } catch (error) {
    return { what: `starts ${place}, which ${codeOf(error) === "ENOENT" ? "isn't there" : "can't be run"} (${codeOf(error)})`, ...mend };
  }
  if (samePlace(place, io.executable.at(-1) ?? "")) return undefined;
  const version = await ask([...program.slice(0, -1), place]);
  if (version === VERSION_LINE) return undefined;
  return { what: version === undefined ? `starts ${place}, which isn't this program` : `starts another version, ${version}`, ...mend };
}

/** Whether its manifest is there, can be used, and has the server. */
async function checkManifestOf(
  { project }: ClientServer,
  { manifest, server }: Wrapping,
  { io, again }: Means,
): Promise<Trouble | undefined> {
  const cwd = project ?? io.home;
  const file = manifest === undefined ? lookForManifest({ ...io, cwd }, {}) : resolve(cwd, manifest);
  if (file === undefined) return { what: `names no manifest, and none is found from ${cwd}`, command: again };
  const loading = await loadFile(io, file).catch((error: unknown): Loading | SynartesisError => {
    if (error instanceof SynartesisError) return error;
    throw error;
  });
  const check = commandLine(io, ["check"], { manifest: file });
  if (loading instanceof SynartesisError) return { what: `uses a manifest that isn't there or can't be read: ${file}`, command: again };
  if (loading.kind === "invalid") return { what: `uses a manifest that can't be used: ${file}`, command: check };
  if (server === "" || loading.policy.servers.some(({ name }) => name === server)) return undefined;
  return { what: `asks for the server ${server}, which isn't in its manifest, ${file}`, command: again };
}
