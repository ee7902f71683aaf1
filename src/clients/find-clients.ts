// Which files of MCP clients are on this machine, and which servers stand in them? Only reads. A file that can't be understood is named with
// the reason, and hides no other.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Json } from "../core/json.ts";
import { systemCode } from "../errors.ts";
import type { ClientDocument, Entry, KeyPath, Refused, RefusedEntry } from "./formats/document.ts";
import { openDocument } from "./formats/open-document.ts";
import { CLIENTS, type Client, type ClientPlace, placesOf, type Surroundings } from "./registry.ts";
import { type EntryReach, isDisabled, readEntry } from "./shapes.ts";
import { unwrap, type Wrapping } from "./wrapping.ts";

/** A file in which a client looks for servers. One that has several places for them (`~/.claude.json`) comes once for each. */
export interface ClientFile extends ClientPlace {
  readonly client: Client;
}

/** A server in a client's file. */
export interface ClientServer {
  readonly file: ClientFile;
  /** As the client calls it: any text. */
  readonly name: string;
  /** The keys that lead to its entry. */
  readonly path: readonly string[];
  readonly entry: Json;
  /** How the client reached it before it was wrapped; `kind: "manifest"` where the proxy takes it from the manifest. */
  readonly reach: EntryReach | { readonly kind: "manifest" };
  /** Our words in front of it, if they are there. */
  readonly wrapping: Wrapping | undefined;
  readonly disabled: boolean;
  /** The project's folder, where it is a project's server; absolute. */
  readonly project: string | undefined;
}

/** The servers of a file; or why it can't be read, in words for a person. */
export type ServersRead =
  | { readonly kind: "read"; readonly servers: readonly ClientServer[] }
  | { readonly kind: "unreadable"; readonly reason: string; readonly hint?: string | undefined };

/** Lists the files that exist, in the order of the clients. Projects' files are those of the nearest folder upwards that has one. */
export function findClients(around: Surroundings, only?: Client): readonly ClientFile[] {
  const seen = new Set<string>();
  return (only === undefined ? CLIENTS : [only]).flatMap((client) =>
    existingPlaces(client, around).flatMap((place) => {
      const key = [client.id, place.path, ...place.keyPath].join("\0");
      if (seen.has(key)) return [];
      seen.add(key);
      return [{ ...place, client }];
    }),
  );
}

/** Gives the places of one file that a person or a manifest's `via` names; `~/` at its beginning is the home. The file may not exist. */
export function clientFiles(client: Client, file: string, around: Surroundings): readonly ClientFile[] {
  const path = file.startsWith("~/") ? join(around.home, file.slice(2)) : resolve(around.cwd, file);
  return placesOf(client, path, around).map((place) => ({ ...place, client }));
}

/** Reads the servers that stand at a file's place. */
export async function readServers(file: ClientFile): Promise<ServersRead> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file.path);
  } catch (error) {
    return { kind: "unreadable", reason: `it can't be read (${systemCode(error) ?? String(error)})` };
  }
  const opening = await openDocument(file.format, bytes);
  return opening.kind === "refused" ? unreadable(opening) : serversIn(file, opening.document);
}

/** Reads the servers that stand at a file's place in a document. */
export function serversIn(file: ClientFile, document: ClientDocument): ServersRead {
  const paths = concretePaths(file.keyPath, document);
  if ("kind" in paths) return unreadable(paths);
  const servers: ClientServer[] = [];
  for (const keyPath of paths) {
    const found = document.entries(keyPath);
    if (found.kind === "refused") return unreadable(found);
    for (const entry of found.entries) servers.push(serverFrom(file, keyPath, entry));
  }
  return { kind: "read", servers };
}

function serverFrom(file: ClientFile, keyPath: KeyPath, entry: Entry | RefusedEntry): ClientServer {
  const { name } = entry;
  const place = { file, name, path: [...keyPath, name], project: projectOf(file, keyPath) };
  if (entry.kind === "refused") {
    const reach = { kind: "none", reason: troubleText(entry.problem) } as const;
    return { ...place, entry: null, reach, wrapping: undefined, disabled: false };
  }
  return { ...place, entry: entry.value, ...reachOf(entry.value, file.client), disabled: isDisabled(entry.value) };
}

function unreadable({ problem }: Refused): ServersRead & { kind: "unreadable" } {
  return { kind: "unreadable", reason: troubleText(problem), hint: problem.hint };
}

/** Says what is wrong with a file, and where. */
export function troubleText({ line, column, message }: Refused["problem"]): string {
  return `line ${line}, column ${column}: ${message}`;
}

function reachOf(entry: Json, client: Client): Pick<ClientServer, "reach" | "wrapping"> {
  const reach = readEntry(entry, client.shape);
  if (reach.kind !== "command") return { reach, wrapping: undefined };
  const taken = unwrap([reach.command, ...reach.args]);
  if (taken === undefined) return { reach, wrapping: undefined };
  const [command, ...args] = taken.inner ?? [];
  return { reach: command === undefined ? { kind: "manifest" } : { ...reach, command, args }, wrapping: taken.wrapping };
}

/** Puts the names that are there in the place of `*`. */
function concretePaths(keyPath: KeyPath, document: ClientDocument): readonly KeyPath[] | Refused {
  const star = keyPath.indexOf("*");
  if (star < 0) return [keyPath];
  const head = keyPath.slice(0, star);
  const found = document.entries(head);
  if (found.kind === "refused") return found;
  return found.entries.map(({ name }) => [...head, name, ...keyPath.slice(star + 1)]);
}

/** The folder that a project's servers are for: named by a key (`projects`), or the one with the file, or with the hidden folder that has it. */
function projectOf(file: ClientFile, keyPath: readonly string[]): string | undefined {
  if (file.scope === "user") return undefined;
  if (file.scope === "local") return keyPath[file.keyPath.indexOf("*")];
  const folder = dirname(file.path);
  return basename(folder).startsWith(".") && !basename(file.path).startsWith(".") ? dirname(folder) : folder;
}

function existingPlaces(client: Client, around: Surroundings): readonly ClientPlace[] {
  const own = client.places(around).filter(({ scope }) => scope !== "project");
  const projects = upwards(around.cwd)
    .filter((folder) => folder !== around.home)
    .map((cwd) => existing(client.places({ ...around, cwd }).filter(({ scope }) => scope === "project")));
  return [...existing(own), ...(projects.find((places) => places.length > 0) ?? [])];
}

function existing(places: readonly ClientPlace[]): readonly ClientPlace[] {
  return places.flatMap((place) =>
    starred(place.path)
      .filter(existsSync)
      .map((path) => ({ ...place, path })),
  );
}

/** A path with `*` for a folder stands for one with each folder that is there. */
function starred(path: string): readonly string[] {
  const [start, end] = path.split("*");
  if (start === undefined || end === undefined) return [path];
  try {
    return readdirSync(start).map((name) => start + name + end);
  } catch {
    return []; // there are none
  }
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}
