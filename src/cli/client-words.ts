// How is a client's file named, in a manifest and to a person? With `~` for the home.
import type { ClientServer } from "../clients/find-clients.ts";
import type { NewVia } from "../manifest/new-manifest.ts";
import type { Io } from "./io.ts";

/** Writes a path with `~` for the home. */
export function shortPath({ home }: Pick<Io, "home">, path: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Says where a manifest finds a server that a client starts. */
export function viaOf(io: Pick<Io, "home">, { file, name }: ClientServer): NewVia["via"] {
  return { client: file.client.id, file: shortPath(io, file.path), name };
}
