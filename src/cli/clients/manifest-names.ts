// Under which name does a manifest have a client's server? Under the one that it has already, also where another client starts the very same
// server: one server has one policy. Else under a new one that is legal and free.
import { existsSync } from "node:fs";
import { type ClientServer, clientFiles, readServers } from "../../clients/find-clients.ts";
import { clientNamed } from "../../clients/registry.ts";
import { CLEARED_VARIABLES } from "../../clients/wrapping.ts";
import { canonicalJson, type Json } from "../../core/json.ts";
import type { ServerPolicy, ServerSource } from "../../core/policy.ts";
import type { Io } from "../io.ts";
import { readManifest } from "../read-manifest.ts";
import type { Address } from "./address.ts";
import { surroundings } from "./surroundings.ts";

const LONGEST = 64;

/** The names of a manifest's servers, those that are about to be added too. */
export class ManifestNames {
  readonly #taken = new Set<string>();
  /** Names by how their servers are started; for addresses by name and address. */
  readonly #known = new Map<string, string>();

  /** Reads a manifest, if it is there, and the clients' files that it names. @throws manifest-invalid */
  static async read(io: Io, file: string): Promise<ManifestNames> {
    const names = new ManifestNames();
    if (!existsSync(file)) return names;
    const { policy } = await readManifest(io, file);
    for (const server of policy.servers) await names.#add(io, server);
    return names;
  }

  async #add(io: Io, { name, source }: ServerPolicy): Promise<void> {
    this.#taken.add(name);
    if (source.kind === "via") for (const key of await viaKeys(io, source)) this.#known.set(key, name);
    // Where it is started isn't known of a client's entry, so only one of the same name is taken for the same server.
    else if (source.kind === "command") this.#known.set(keyOf(["named", name, source.command, ...source.args]), name);
    else this.#known.set(addressKey(name, source.url, source.headers), name);
  }

  /** Gives the name of a server that the manifest has. */
  nameOf(server: ClientServer, address: Address | undefined): string | undefined {
    if (address !== undefined) {
      return [...this.#taken].find((name) => this.#known.get(keyOfAddress(address, name)) === name);
    }
    const { reach } = server;
    if (reach.kind !== "command") return undefined;
    const words = [reach.command, ...reach.args];
    return this.#known.get(startKey(server)) ?? this.#known.get(keyOf(["named", legalName(server), ...words]));
  }

  /** Gives the client's own name, where the manifest has a server of it: a person made that for one that can't be started without its client. */
  madeFor(server: ClientServer): string | undefined {
    const name = legalName(server);
    return this.#taken.has(name) ? name : undefined;
  }

  /** Makes a name for a server that the manifest doesn't have. */
  newName(server: ClientServer): string {
    const base = legalName(server);
    const own = `${base}-${server.file.client.id}`;
    const isFree = (name: string) => !this.#taken.has(name) && !this.#taken.has(`${name}-files`) && !this.#taken.has(`${name}-git`);
    if (isFree(base)) return base;
    for (let count = 1; ; count++) {
      const name = count === 1 ? own : `${own}-${count}`;
      if (isFree(name)) return name;
    }
  }

  /** Notes that a server is about to be added under a name. */
  take(name: string, server: ClientServer, address: Address | undefined): void {
    this.#taken.add(name);
    this.#known.set(address === undefined ? startKey(server) : keyOfAddress(address, name), name);
  }
}

/** The client's name with what a manifest can't have in it replaced. */
function legalName({ name, file }: ClientServer): string {
  const legal = name
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .replace(/^[-_]+/, "")
    .slice(0, LONGEST)
    .replace(/[-_]+$/, "");
  return legal === "" ? file.client.id : legal;
}

async function viaKeys(io: Io, { client, file, name }: ServerSource & { kind: "via" }): Promise<readonly string[]> {
  const known = clientNamed(client);
  if (known === undefined) return [];
  const reads = await Promise.all(clientFiles(known, file, surroundings(io)).map(readServers));
  const servers = reads.flatMap((read) => (read.kind === "read" ? read.servers : []));
  return servers.filter((server) => server.name === name && server.reach.kind === "command").map(startKey);
}

/** Two servers with the same key are started alike. */
function startKey({ reach, project }: ClientServer): string {
  if (reach.kind !== "command") return keyOf([reach.kind]);
  const { command, args, env, cwd, passed } = reach;
  // What we put into a wrapped entry says nothing of the server.
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => CLEARED_VARIABLES.every((each) => each !== name)));
  return keyOf([command, args, own, cwd ?? null, passed, project ?? null]);
}

function keyOfAddress(address: Address, name: string): string {
  const { url, headers } = address.entryFor(name);
  return addressKey(name, url, headers);
}

function addressKey(name: string, url: string, headers: Readonly<Record<string, string>>): string {
  return keyOf(["address", name, url, headers]);
}

function keyOf(parts: readonly Json[]): string {
  return canonicalJson(parts);
}
