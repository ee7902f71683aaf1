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
  const started = await prepareStart(context, { name, source }, wrapped);
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

async function prepareStart(
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
      ...(server.source.kind === "via" && { via: written(server.source) }),
    });
    return { start: process({ command, args, env: serverEnvironment(io.env, {}), cwd: io.cwd }), source };
  }
  const [{ ownProgram, reachText }, reach] = await Promise.all([import("../manifest/expand-source.ts"), reachOf(io, server)]);
  // The run remembers headers and variables as they are written: what they stand for is nobody's to read there.
  const source: Started["source"] = async (journal) => ({ ...written(server.source), mark: await journal.mark(reachText(reach)) });
  if ("url" in reach) return { start: () => ({ place: { ...reach, login: loginTo(io, server.name, reach.url) } }), source };
  const { env, ...start } = server.source.kind === "command" ? ownProgram(reach, io.executable) : reach;
  return { start: process({ ...start, env: serverEnvironment(io.env, env) }), source };
}

/** A source as JSON. */
function written(source: ServerSource): JsonObject {
  if (source.kind === "via") return { ...source };
  if (source.kind === "url") return { ...source, headers: { ...source.headers } };
  return { ...source, args: [...source.args], env: { ...source.env } };
}

/** A proxy that the client itself has started is handed the command after `--`: whoever starts it otherwise can do that, too. */
async function reachOf(io: Io, server: Pick<ServerPolicy, "name" | "source">): Promise<ExpandedCommand | ExpandedUrl> {
  const { reachSource } = await import("./reach-source.ts");
  try {
    return await reachSource(io, server);
  } catch (error) {
    if (server.source.kind !== "via" || !(error instanceof SynartesisError) || error.hint !== undefined) throw error;
    const hint = `give its command after --: synartesis proxy --server ${server.name} -- COMMAND ARGS...`;
    throw new SynartesisError(error.code, error.message, { hint, cause: error });
  }
}
