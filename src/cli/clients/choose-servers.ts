// Which clients' servers does a command mean? Found by the words that were given; never guessed in a pipe.
import type { KeptEntry } from "../../clients/disconnect.ts";
import { type ClientFile, type ClientServer, clientFiles, findClients, readServers } from "../../clients/find-clients.ts";
import { type Client, clientNamed, type Surroundings } from "../../clients/registry.ts";
import { SynartesisError } from "../../errors.ts";
import { commandLine } from "../command-line.ts";
import type { Io } from "../io.ts";
import { surroundings } from "./surroundings.ts";

/** What was given. */
export interface Chooser {
  /** The id of one that is known. */
  readonly client: string | undefined;
  readonly file: string | undefined;
  readonly server: readonly string[];
  /** The files of the project around here, in place of the user's own. */
  readonly project: boolean;
  /** Has the files of every place looked at, and those of these entries, whichever folder they are in. */
  readonly everywhere?: readonly KeptEntry[] | undefined;
}

/** What was found: servers, and files that can't be read. */
export interface Chosen {
  readonly files: readonly ClientFile[];
  readonly servers: readonly ClientServer[];
  readonly unreadable: readonly { readonly file: ClientFile; readonly reason: string; readonly hint: string | undefined }[];
}

/** Options of the commands that choose servers in clients' files. */
export const CHOOSING_OPTIONS = {
  all: { kind: "flag", about: "of every client that is found" },
  server: { kind: "list", value: "NAME", about: "only this server, by the client's name for it; may be given several times" },
  project: { kind: "flag", about: "in the files of the project around the current folder, in place of your own" },
  file: { kind: "text", value: "FILE", about: "in this file of the client's, where it isn't in its usual place" },
} as const;

/** Finds the servers that are meant. @throws usage where a client or a server isn't there */
export async function chooseServers(io: Io, told: Chooser): Promise<Chosen> {
  const client = told.client === undefined ? undefined : clientNamed(told.client);
  const found = withWayOn(io, await readAll(filesFor(io, told, client)), told.everywhere ?? []);
  const unknown = told.server.find((name) => !found.servers.some((server) => server.name === name));
  if (unknown !== undefined) {
    const names = [...new Set(found.servers.map(({ name }) => name))];
    const hint = names.length === 0 ? "none was found" : `there are: ${names.join(", ")}`;
    throw new SynartesisError("usage", `no server is called "${unknown}" there`, { hint });
  }
  if (told.server.length === 0) return found;
  return { ...found, servers: found.servers.filter(({ name }) => told.server.includes(name)) };
}

function filesFor(io: Io, { file, project, everywhere }: Chooser, client: Client | undefined): readonly ClientFile[] {
  const around = surroundings(io);
  if (file !== undefined) {
    if (client === undefined) throw new SynartesisError("usage", "--file needs CLIENT, which says how the file is read");
    if (project) throw new SynartesisError("usage", "--file says which file is meant, so --project can't be given with it");
    return clientFiles(client, file, around);
  }
  const found = findClients(around, client);
  if (everywhere === undefined) return found.filter(({ scope }) => (scope === "project") === project);
  return withFilesOf(everywhere, found, around).filter((file) => client === undefined || file.client === client);
}

/** Adds to the files that were found those of kept entries, whichever folder they are in. They may not exist. */
export function withFilesOf(kept: readonly KeptEntry[], found: readonly ClientFile[], around: Surroundings): readonly ClientFile[] {
  const others = kept.flatMap(({ client: id, file }) => {
    const client = clientNamed(id);
    return client === undefined ? [] : clientFiles(client, file, around);
  });
  const all = new Map<string, ClientFile>();
  for (const each of [...found, ...others]) {
    const key = [each.client.id, each.path, ...each.keyPath].join("\0");
    if (!all.has(key)) all.set(key, each);
  }
  return [...all.values()];
}

/** A project that was moved has its file elsewhere, and one on a disk that isn't there comes back: what stood in them stays known. */
function withWayOn(io: Io, found: Chosen, everywhere: readonly KeptEntry[]): Chosen {
  const unreadable = found.unreadable.map((each) => {
    if (each.hint !== undefined || !everywhere.some(({ file }) => file === each.file.path)) return each;
    const moved = `${commandLine(io, ["disconnect", each.file.client.id])} --file FILE`;
    return { ...each, hint: `what stood there before stays kept; if the file was moved: ${moved}` };
  });
  return { ...found, unreadable };
}

async function readAll(files: readonly ClientFile[]): Promise<Chosen> {
  const reads = await Promise.all(files.map(async (file) => ({ file, read: await readServers(file) })));
  const servers = reads.flatMap(({ read }) => (read.kind === "read" ? read.servers : []));
  const broken = reads.flatMap(({ file, read }) => (read.kind === "read" ? [] : [{ file, reason: read.reason, hint: read.hint }]));
  // A file with two places for servers is broken once.
  const unreadable = broken.filter(({ file }, index) => broken.findIndex((other) => other.file.path === file.path) === index);
  return { files, servers, unreadable };
}
