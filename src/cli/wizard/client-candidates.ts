// Which of the clients' servers may be guarded, and what is there to decide about each? Shows no value of an entry that may be a secret.
import type { ClientServer } from "../../clients/find-clients.ts";
import { maskedEntry } from "../../clients/mask.ts";
import { readEntry } from "../../clients/shapes.ts";
import type { FoundServer } from "../../draft/next-step.ts";
import { SynartesisError } from "../../errors.ts";
import { type Chosen, chooseServers } from "../clients/choose-servers.ts";
import { shortPath } from "../clients/client-words.ts";
import type { Prepared as ClientPrepared } from "../clients/prepare-servers.ts";
import type { Io } from "../io.ts";
import { failedWith, type Prepared, readyWith } from "./prepare.ts";

/** A client's server that isn't guarded yet. */
export interface ClientCandidate extends FoundServer {
  readonly server: ClientServer;
  /** What a script may call it: the client's name for it, alone or behind the client's id and a slash. */
  readonly names: readonly string[];
}

/** Gives the servers of the user's own files, and those of the project that one stands in. */
export async function serversAround(io: Io, client: string | undefined): Promise<Chosen> {
  const told = { client, file: undefined, server: [] };
  const own = await chooseServers(io, { ...told, project: false });
  const project = await chooseServers(io, { ...told, project: true });
  return {
    files: [...own.files, ...project.files],
    servers: [...own.servers, ...project.servers],
    unreadable: [...own.unreadable, ...project.unreadable],
  };
}

/** Gives those that can be asked about: not guarded, not switched off, and with something in front of which a proxy can stand. */
export function candidatesIn(io: Io, servers: readonly ClientServer[]): readonly ClientCandidate[] {
  const open = servers.filter(
    ({ wrapping, disabled, reach }) => wrapping === undefined && !disabled && (reach.kind === "command" || reach.kind === "url"),
  );
  return open.map((server) => ({
    id: [server.file.path, ...server.path].join("\n"),
    title: `${server.file.client.title}: ${server.name}${projectText(io, server)}`,
    about: aboutText(server),
    // Others may share a project's file.
    isUsual: server.file.scope !== "project",
    server,
    names: [server.name, `${server.file.client.id}/${server.name}`],
  }));
}

function projectText(io: Io, { project, file }: ClientServer): string {
  if (project === undefined) return "";
  return ` (${file.scope === "project" ? "in the project " : ""}${shortPath(io, project)})`;
}

function aboutText({ entry, file }: ClientServer): string {
  const reach = readEntry(maskedEntry(entry), file.client.shape);
  if (reach.kind === "url") return reach.url;
  return reach.kind === "command" ? [reach.command, ...reach.args].join(" ") : "";
}

/** Says what is to be decided about a server that was looked at. */
export function preparedFor(prepared: ClientPrepared | undefined): Prepared {
  if (prepared?.kind !== "wrap") {
    const { reason, hint } = { reason: "it can't be guarded", hint: undefined, ...prepared };
    return failedWith(new SynartesisError("server-unavailable", reason, hint === undefined ? {} : { hint }));
  }
  const { made, name } = prepared;
  return made === undefined ? knownAs(name) : readyWith(name, made.tools, made.choice, made.addition, made.open);
}

/** The manifest has it already, or will have it for another client. */
function knownAs(server: string): Prepared {
  return {
    listing: { kind: "listed", policy: undefined, isKnown: true, server, tools: [], open: [], folders: undefined },
    digest: "",
    choice: undefined,
    change: () => undefined,
  };
}
