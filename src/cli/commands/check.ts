// Does the manifest fit the servers that it names? Starts each, compares, and ends each again. Never calls a tool.

import { checkHints } from "../../core/hint-check.ts";
import { checkPaths } from "../../core/path-check.ts";
import type { ServerPolicy } from "../../core/policy.ts";
import { checkPolicy } from "../../core/policy-check.ts";
import { SynartesisError } from "../../errors.ts";
import { expandSource, expandUrl } from "../../manifest/expand-source.ts";
import type { UnsetVariable } from "../../manifest/read-servers.ts";
import type { ListedTool } from "../../upstream/upstream.ts";
import { type Context, defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";

import { findManifest } from "../find-files.ts";
import { listServer } from "../list-server.ts";
import { loadFile } from "../read-manifest.ts";
import { findingDocument, findingText, type ShownFinding, sumText } from "../render/findings.ts";
import { visible } from "../render/visible.ts";

/** What became of one server. `skipped`: it can't be started from here. */
type ServerCheck = { readonly server: ServerPolicy } & (
  | { readonly kind: "tools"; readonly tools: readonly ListedTool[] }
  | { readonly kind: "failed" | "skipped"; readonly reason: string; readonly hint?: string | undefined }
);

export default defineCommand({
  name: "check",
  usage: "check [--manifest FILE]",
  about:
    "Checks the manifest, then starts the servers it names and compares it with the tools that they have.\nExits with 2 where there is an error.",
  example: "check",
  options: { ...JSON_OPTION, ...MANIFEST_OPTION },
  async run(context, { options }) {
    const file = findManifest(context.io, options);
    const loading = await loadFile(context.io, file);
    if (loading.kind === "invalid") {
      const findings = loading.problems.map((problem) => ({ ...problem, severity: "error" as const, position: problem }));
      return tell(context, file, findings, [], options.json);
    }
    const checks = await Promise.all(loading.policy.servers.map((server) => checkServer(context, server, loading.unset)));
    const listed = new Map(checks.flatMap((check) => (check.kind === "tools" ? [[check.server.name, check.tools] as const] : [])));
    const unset = loading.unset.map((variable) => ({ ...variable, severity: "error" as const, position: variable }));
    const findings: ShownFinding[] = [...unset, ...checks.flatMap(failureOf)];
    const names = new Map([...listed].map(([server, tools]) => [server, tools.map(({ name }) => name)] as const));
    findings.push(...checkPolicy(loading.policy, names), ...checkPaths(loading.policy, listed), ...checkHints(loading.policy, listed));
    return tell(context, file, findings, checks, options.json);
  },
});

async function checkServer(context: Context, server: ServerPolicy, unset: readonly UnsetVariable[]): Promise<ServerCheck> {
  try {
    return await tryServer(context, server, unset);
  } catch (error) {
    // One that can't be reached as things are here says nothing of the others.
    if (error instanceof SynartesisError) return { server, kind: "failed", reason: error.message, hint: error.hint };
    throw error;
  }
}

async function tryServer(context: Context, server: ServerPolicy, unset: readonly UnsetVariable[]): Promise<ServerCheck> {
  const { source } = server;
  if (source.kind === "via")
    return { server, kind: "skipped", reason: `its command stands in ${source.client}'s own file, which isn't read here yet` };
  if (unset.some((variable) => variable.server === server.name))
    return { server, kind: "skipped", reason: "it needs a variable that is not set" };
  const { env } = context.io;
  const reach = source.kind === "url" ? expandUrl(server.name, source, env) : expandSource(server.name, source, env);
  const listed = await listServer(context, { name: server.name, ...reach });
  if (listed.kind === "failed") return { server, kind: "failed", reason: listed.reason, hint: listed.hint };
  return { server, kind: "tools", tools: listed.tools };
}

function failureOf(check: ServerCheck): readonly ShownFinding[] {
  if (check.kind !== "failed") return [];
  const message = `server \`${check.server.name}\` can't be checked: ${check.reason}`;
  return [{ severity: "error", message, hint: check.hint, position: check.server.position }];
}

function tell(context: Context, file: string, findings: readonly ShownFinding[], checks: readonly ServerCheck[], json: boolean): number {
  // What stops the proxy comes first.
  const ordered = findings.toSorted((a, b) => rank(a) - rank(b) || a.position.line - b.position.line);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  if (json) {
    context.printJson({
      manifest: file,
      errors,
      warnings: findings.length - errors,
      findings: ordered.map((finding) => findingDocument(file, finding)),
      servers: checks.map(serverDocument),
    });
  } else {
    for (const finding of ordered) context.print(findingText(file, finding));
    for (const check of checks) context.print(serverText(check));
    context.print(`${visible(file)}: ${sumText(findings)}`);
  }
  return errors > 0 ? 2 : 0;
}

function rank({ severity }: ShownFinding): number {
  return severity === "error" ? 0 : 1;
}

function serverDocument(check: ServerCheck) {
  const name = check.server.name;
  if (check.kind === "tools") return { name, checked: true, tools: check.tools.map((tool) => tool.name), reason: null };
  return { name, checked: false, tools: null, reason: check.reason };
}

function serverText(check: ServerCheck): string {
  const name = visible(check.server.name);
  if (check.kind === "tools") return `${name}: ${check.tools.length === 1 ? "1 tool" : `${check.tools.length} tools`}`;
  return check.kind === "failed" ? `${name}: not checked, see above` : `${name}: not checked: ${visible(check.reason)}`;
}
