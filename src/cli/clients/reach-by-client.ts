// How is a server reached whose command stands in a client's file (`via`)? As that client would, as far as it can be known from here. Only reads;
// what it can't know is said, never guessed.
import { resolve } from "node:path";
import type { ClientServer } from "../../clients/find-clients.ts";
import type { Surroundings } from "../../clients/registry.ts";
import { canonicalJson } from "../../core/json.ts";
import type { ServerSource } from "../../core/policy.ts";
import { SynartesisError } from "../../errors.ts";
import type { ExpandedCommand, ExpandedUrl } from "../../manifest/expand-source.ts";
import { unsendableIn } from "../../manifest/variables.ts";
import type { Io } from "../io.ts";
import { surroundings } from "./surroundings.ts";

type Via = Extract<ServerSource, { kind: "via" }>;

/** Gives what the client would start or reach, behind our own wrapping, with its variables filled in. @throws server-unavailable where that can't be known */
export async function reachByClient(
  io: Pick<Io, "env" | "home" | "cwd">,
  server: string,
  via: Via,
): Promise<ExpandedCommand | ExpandedUrl> {
  const around = surroundings(io);
  const found = await findEntry(around, server, via);
  const { reach, project, file } = found;
  if (reach.kind === "none") throw unknown(via, reach.reason);
  if (reach.kind === "manifest") throw unknown(via, "its entry starts this program, which takes it from the manifest");
  const { startOf } = await import("../../clients/start-of.ts");
  const start = startOf(reach, { around, variables: file.client.variables, project });
  if (start.kind === "client-only") throw unknown(via, `it needs ${start.what}, which only ${file.client.title} knows`);
  if (start.kind === "command") return { ...start, cwd: resolve(project ?? io.home, start.cwd ?? ".") };
  const url = /^https?:\/\//i.test(start.url) ? URL.parse(start.url) : null;
  if (url === null) throw unknown(via, "its address is none of http or https");
  if (Object.values(start.headers).some(unsendableIn)) throw unknown(via, "one of its headers has characters that a header can't hold");
  return { url, headers: start.headers };
}

async function findEntry(around: Surroundings, server: string, via: Via): Promise<ClientServer> {
  const [{ CLIENTS, clientNamed }, { clientFiles, readServers }] = await Promise.all([
    import("../../clients/registry.ts"),
    import("../../clients/find-clients.ts"),
  ]);
  const client = clientNamed(via.client);
  if (client === undefined) throw unknown(via, "no such client is known", `one of: ${CLIENTS.map(({ id }) => id).join(", ")}`);
  const places = await Promise.all(clientFiles(client, via.file, around).map(readServers));
  const named = places.flatMap((place) => (place.kind === "read" ? place.servers : [])).filter(({ name }) => name === via.name);
  // One file may have an entry of that name for each project: the one that was wrapped for this server is meant.
  const own = named.filter(({ wrapping }) => wrapping?.server === server);
  const meant = own.length > 0 ? own : named;
  const [first] = meant;
  if (first !== undefined && new Set(meant.map(likeness)).size === 1) return first;
  if (first !== undefined) throw unknown(via, `it has ${meant.length} different servers of that name`);
  const broken = places.find((place) => place.kind === "unreadable");
  if (broken?.kind === "unreadable") throw unknown(via, broken.reason, broken.hint);
  throw unknown(via, "no server of that name is in it");
}

function likeness({ reach, project }: ClientServer): string {
  // It was read from a document, so it is JSON, but for members that are missing.
  return canonicalJson([JSON.stringify(reach), project ?? null]);
}

function unknown({ client, file, name }: Via, why: string, hint?: string): SynartesisError {
  const message = `how ${client} starts "${name}" can't be known from ${file}: ${why}`;
  return new SynartesisError("server-unavailable", message, hint === undefined ? {} : { hint });
}
