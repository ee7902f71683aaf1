// How is a client's file named, in a manifest and to a person? With `~` for the home. And how is one of its entries meant in a command?
import type { ClientFile, ClientServer } from "../../clients/find-clients.ts";
import type { NewVia } from "../../manifest/new-manifest.ts";
import { commandLine } from "../command-line.ts";
import type { Io } from "../io.ts";

/** Writes a path with `~` for the home. */
export function shortPath({ home }: Pick<Io, "home">, path: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Says where a manifest finds a server that a client starts. */
export function viaOf(io: Pick<Io, "home">, { file, name }: ClientServer): NewVia["via"] {
  return { client: file.client.id, file: shortPath(io, file.path), name };
}

/** Gives the words behind `connect` and `disconnect` that mean a client's file, where it is in its place. */
export function wordsFor({ client, scope }: ClientFile): readonly string[] {
  return [client.id, ...(scope === "project" ? ["--project"] : [])];
}

/** Writes the command that takes the wrapping off one entry of a file, by the words for that, and puts it on anew, with the manifest that was told, if any. */
export function wrapAgain(io: Pick<Io, "env" | "executable">, file: readonly string[], name: string, manifest?: string): string {
  const words = [...file, "--server", name];
  return `${commandLine(io, ["disconnect", ...words])} && ${commandLine(io, ["connect", ...words], { manifest })}`;
}
