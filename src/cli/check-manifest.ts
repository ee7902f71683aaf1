// Does a manifest fit the servers that it names? Starts each, compares, and ends each again. Never calls a tool.
import { checkHints } from "../core/hint-check.ts";
import { checkPaths } from "../core/path-check.ts";
import type { ServerPolicy } from "../core/policy.ts";
import { checkPolicy } from "../core/policy-check.ts";
import { SynartesisError } from "../errors.ts";
import type { UnsetVariable } from "../manifest/read-servers.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import type { Context } from "./command.ts";
import { listServer } from "./list-server.ts";
import { reachSource } from "./reach-source.ts";
import { loadFile } from "./read-manifest.ts";
import type { ShownFinding } from "./render/findings.ts";

/** What became of one server. `skipped`: it can't be started from here. */
export type ServerCheck = { readonly server: ServerPolicy } & (
  | { readonly kind: "tools"; readonly tools: readonly ListedTool[] }
  | { readonly kind: "failed" | "skipped"; readonly reason: string; readonly hint?: string | undefined }
);

/** What was found; `servers` is empty where the manifest itself is wrong, so that none was started. */
export interface ManifestCheck {
  readonly findings: readonly ShownFinding[];
  readonly servers: readonly ServerCheck[];
}

/** Checks a manifest's file, absolute, by itself and against what its servers list. @throws manifest-missing where it can't be read */
export async function checkManifest(context: Context, file: string): Promise<ManifestCheck> {
  const loading = await loadFile(context.io, file);
  if (loading.kind === "invalid") {
    return { findings: loading.problems.map((problem) => ({ ...problem, severity: "error", position: problem })), servers: [] };
  }
  const servers = await Promise.all(loading.policy.servers.map((server) => checkServer(context, server, loading.unset)));
  const listed = new Map(servers.flatMap((check) => (check.kind === "tools" ? [[check.server.name, check.tools] as const] : [])));
  const unset = loading.unset.map((variable) => ({ ...variable, severity: "error" as const, position: variable }));
  const names = new Map([...listed].map(([server, tools]) => [server, tools.map(({ name }) => name)] as const));
  const policy = [...checkPolicy(loading.policy, names), ...checkPaths(loading.policy, listed), ...checkHints(loading.policy, listed)];
  return { findings: [...unset, ...servers.flatMap(failureOf), ...policy], servers };
}

/** Lists the tools of a manifest's server, or says why they can't be. */
export async function checkServer(context: Context, server: ServerPolicy, unset: readonly UnsetVariable[]): Promise<ServerCheck> {
  try {
    return await tryServer(context, server, unset);
  } catch (error) {
    // One that can't be reached as things are here says nothing of the others.
    if (error instanceof SynartesisError) return { server, kind: "failed", reason: error.message, hint: error.hint };
    throw error;
  }
}

async function tryServer(context: Context, server: ServerPolicy, unset: readonly UnsetVariable[]): Promise<ServerCheck> {
  if (unset.some((variable) => variable.server === server.name))
    return { server, kind: "skipped", reason: "it needs a variable that is not set" };
  const listed = await listServer(context, { name: server.name, ...(await reachSource(context.io, server)) });
  if (listed.kind === "failed") return { server, kind: "failed", reason: listed.reason, hint: listed.hint };
  return { server, kind: "tools", tools: listed.tools };
}

function failureOf(check: ServerCheck): readonly ShownFinding[] {
  if (check.kind !== "failed") return [];
  const message = `server \`${check.server.name}\` can't be checked: ${check.reason}`;
  return [{ severity: "error", message, hint: check.hint, position: check.server.position }];
}
