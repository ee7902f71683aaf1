// Which clients' servers does a command mean? Found by the words that were given; never guessed in a pipe.
import { type ClientFile, type ClientServer, clientFiles, findClients, readServers } from "../../clients/find-clients.ts";
import { type Client, clientNamed } from "../../clients/registry.ts";
import { SynartesisError } from "../../errors.ts";
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
  const found = await readAll(filesFor(io, told, client));
  const unknown = told.server.find((name) => !found.servers.some((server) => server.name === name));
  if (unknown !== undefined) {
    const names = [...new Set(found.servers.map(({ name }) => name))];
    const hint = names.length === 0 ? "none was found" : `there are: ${names.join(", ")}`;
    throw new SynartesisError("usage", `no server is called "${unknown}" there`, { hint });
  }
  if (told.server.length === 0) return found;
  return { ...found, servers: found.servers.filter(({ name }) => told.server.includes(name)) };
}

function filesFor(io: Io, { file, project }: Chooser, client: Client | undefined): readonly ClientFile[] {
  const around = surroundings(io);
  if (file !== undefined) {
    if (client === undefined) throw new SynartesisError("usage", "--file needs CLIENT, which says how the file is read");
    return clientFiles(client, file, around);
  }
  return findClients(around, client).filter(({ scope }) => (scope === "project") === project);
}

async function readAll(files: readonly ClientFile[]): Promise<Chosen> {
  const reads = await Promise.all(files.map(async (file) => ({ file, read: await readServers(file) })));
  const servers = reads.flatMap(({ read }) => (read.kind === "read" ? read.servers : []));
  const broken = reads.flatMap(({ file, read }) => (read.kind === "read" ? [] : [{ file, reason: read.reason, hint: read.hint }]));
  // A file with two places for servers is broken once.
  const unreadable = broken.filter(({ file }, index) => broken.findIndex((other) => other.file.path === file.path) === index);
  return { files, servers, unreadable };
}
