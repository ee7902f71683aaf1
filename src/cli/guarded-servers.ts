// How are the servers of a manifest started for a proxy? Their commands and addresses with today's variables, and where they came from as the run
// remembers it. Starts none.
import { sha256 } from "../core/digest.ts";
import type { JsonObject } from "../core/json.ts";
import type { ServerPolicy, ServerSource } from "../core/policy.ts";
import { SynartesisError } from "../errors.ts";
import type { ExpandedCommand, ExpandedUrl } from "../manifest/expand-source.ts";
import type { GuardedServer, MissingServer } from "../proxy/guarded-server.ts";
import type { HttpPlace } from "../upstream/http/http-client.ts";
import type { Context } from "./command.ts";
import type { Io } from "./io.ts";
import { loginTo } from "./logins.ts";
import { type readManifest, requireVariables, unsetVariable } from "./read-manifest.ts";

type Limits = Pick<GuardedServer["start"], "maxMessage" | "readTimeout">;

/** A manifest as it was read, and its file. */
type Manifest = Awaited<ReturnType<typeof readManifest>> & { readonly file: string };

/** What stands behind an entry. */
interface Entry {
  readonly kind: "one" | "several";
  readonly servers: readonly ServerPolicy[];
  /** The command after `--`. */
  readonly wrapped: readonly string[] | undefined;
}

/** Tells whether only rules use a server. */
export function isHidden({ hidden }: ServerPolicy): boolean {
  return hidden === true;
}

/** The servers behind an entry, and those that only rules use. */
interface Guarded {
  readonly servers: readonly (GuardedServer | MissingServer)[];
  readonly hidden: readonly (GuardedServer | MissingServer)[];
}

/** Prepares the servers behind an entry, and the hidden ones. @throws SynartesisError manifest-invalid, usage where none of them can be tried, or the one can't */
export async function guardedServers(
  context: Context,
  manifest: Manifest,
  { servers, kind, wrapped }: Entry,
  limits: Limits,
): Promise<Guarded> {
  const hidden = await triedServers(context, manifest, manifest.policy.servers.filter(isHidden), limits);
  if (kind === "one") {
    if (wrapped === undefined) for (const { name } of servers) requireVariables(manifest.file, manifest, name);
    return { hidden, servers: await Promise.all(servers.map((server) => guardedServer(context, manifest.file, server, wrapped, limits))) };
  }
  const all = await triedServers(context, manifest, servers, limits);
  const failures = all.flatMap((server) => ("missing" in server ? [server.missing] : []));
  if (failures[0] !== undefined && failures.length === all.length) throw failures[0];
  return { servers: all, hidden };
}

/** Prepares servers each for itself. The policy is understood: that one can't be started here is no reason to stop the others. */
async function triedServers(
  context: Context,
  manifest: Manifest,
  servers: readonly ServerPolicy[],
  limits: Limits,
): Promise<readonly (GuardedServer | MissingServer)[]> {
  const tried = servers.map(async (server): Promise<GuardedServer | MissingServer> => {
    const missing = unsetVariable(manifest.file, manifest, server.name);
    if (missing !== undefined) return { name: server.name, missing };
    return guardedServer(context, manifest.file, server, undefined, limits).catch((error: unknown) => ({
      name: server.name,
      missing: asExpected(error),
    }));
  });
  return Promise.all(tried);
}

function asExpected(error: unknown): SynartesisError {
  if (error instanceof SynartesisError && (error.code === "manifest-invalid" || error.code === "server-unavailable")) return error;
  throw error;
}

async function guardedServer(
  context: Context,
  manifest: string,
  { name, source, hidden }: ServerPolicy,
  wrapped: readonly string[] | undefined,
  limits: Limits,
): Promise<GuardedServer> {
  const started = await startOf(context, { name, source }, wrapped);
  const start = started.start(guardAgainstItself(context.io.env, manifest, name));
  return { name, source: started.source, ...(hidden && { hidden }), start: { name, ...start, ...limits } };
}

/** A proxy whose server is this very proxy would start itself without end: each leaves its mark for those below it. */
function guardAgainstItself(env: Io["env"], manifest: string, server: string): Record<string, string> {
  const mark = sha256(JSON.stringify([manifest, server])).slice(0, 16);
  const above = (env["SYNARTESIS_PROXIES"] ?? "").split(" ").filter((word) => word !== "");
  if (above.includes(mark)) {
    const message = `the proxy of "${server}" (${manifest}) would start itself again and again`;
    throw new SynartesisError("usage", message, { hint: "its command in the manifest, or after --, has to be the server itself" });
  }
  return { SYNARTESIS_PROXIES: [...above, mark].join(" ") };
}

type Command = { readonly command: string; readonly args: readonly string[]; readonly env: Record<string, string>; readonly cwd: string };

type Started = {
  /** How the server is reached; `added` goes into the environment of a process. */
  readonly start: (added: Record<string, string>) => Command | { readonly place: HttpPlace };
  readonly source: (journal: { mark(text: string): Promise<string> }) => Promise<JsonObject>;
};

async function startOf(
  { io }: Context,
  server: Pick<ServerPolicy, "name" | "source">,
  wrapped: readonly string[] | undefined,
): Promise<Started> {
  const process = (command: Command) => (added: Record<string, string>) => ({ ...command, env: { ...command.env, ...added } });
  const { serverEnvironment } = await import("../upstream/environment.ts");
  if (wrapped !== undefined) {
    const [command, ...args] = wrapped;
    if (command === undefined) throw new SynartesisError("usage", "there is no command after --");
    const source = async (journal: { mark(text: string): Promise<string> }) => ({
      kind: "wrapped",
      mark: await journal.mark(JSON.stringify(wrapped)),
      cwd: io.cwd,
      ...(server.source.kind === "via" && { via: { ...server.source } }),
    });
    return { start: process({ command, args, env: serverEnvironment(io.env, {}), cwd: io.cwd }), source };
  }
  const { commandText, expandSource, expandUrl, ownProgram, reachText, urlText } = await import("../manifest/expand-source.ts");
  if (server.source.kind === "via") {
    const reach = await reachOfVia(io, server.name, server.source);
    const written = { ...server.source };
    const source: Started["source"] = async (journal) => ({ ...written, mark: await journal.mark(reachText(reach)) });
    if ("url" in reach) return { start: () => ({ place: { ...reach, login: loginTo(io, server.name, reach.url) } }), source };
    return { start: process({ ...reach, env: serverEnvironment(io.env, reach.env) }), source };
  }
  if (server.source.kind === "url") {
    const place = expandUrl(server.name, server.source, io.env);
    // The run remembers the headers as they are written: what a variable stands for is nobody's to read there.
    const written = { ...server.source, headers: { ...server.source.headers } };
    const source: Started["source"] = async (journal) => ({ ...written, mark: await journal.mark(urlText(place)) });
    return { start: () => ({ place: { ...place, login: loginTo(io, server.name, place.url) } }), source };
  }
  const expanded = expandSource(server.name, server.source, io.env);
  const { env, ...start } = ownProgram(expanded, io.executable);
  const written = { ...server.source, args: [...server.source.args], env: { ...server.source.env } };
  const source: Started["source"] = async (journal) => ({ ...written, mark: await journal.mark(commandText(expanded)) });
  return { start: process({ ...start, env: serverEnvironment(io.env, env) }), source };
}

/** A proxy that the client itself has started is handed the command after `--`: whoever starts it otherwise can do that, too. */
async function reachOfVia(io: Io, name: string, source: ServerSource & { kind: "via" }): Promise<ExpandedCommand | ExpandedUrl> {
  const { reachByClient } = await import("./clients/reach-by-client.ts");
  try {
    return await reachByClient(io, name, source);
  } catch (error) {
    if (!(error instanceof SynartesisError) || error.hint !== undefined) throw error;
    const hint = `give its command after --: synartesis proxy --server ${name} -- COMMAND ARGS...`;
    throw new SynartesisError(error.code, error.message, { hint, cause: error });
  }
}
