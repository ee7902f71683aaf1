// What does a check of the manifest print? Never calls a tool.
import { checkManifest, type ManifestCheck, type ServerCheck } from "../check-manifest.ts";
import { type Context, defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";
import { findManifest } from "../find-files.ts";
import { findingDocument, findingText, type ShownFinding, sumText } from "../render/findings.ts";
import { visible } from "../render/visible.ts";

export default defineCommand({
  name: "check",
  usage: "check [--manifest FILE]",
  about:
    "Checks the manifest, then starts the servers it names and compares it with the tools that they have.\nExits with 2 where there is an error.",
  example: "check",
  options: { ...JSON_OPTION, ...MANIFEST_OPTION },
  async run(context, { options }) {
    const file = findManifest(context.io, options);
    return tell(context, file, await checkManifest(context, file), options.json);
  },
});

function tell(context: Context, file: string, { findings, servers }: ManifestCheck, json: boolean): number {
  // What stops the proxy comes first.
  const ordered = findings.toSorted((a, b) => rank(a) - rank(b) || a.position.line - b.position.line);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  if (json) {
    context.printJson({
      manifest: file,
      errors,
      warnings: findings.length - errors,
      findings: ordered.map((finding) => findingDocument(file, finding)),
      servers: servers.map(serverDocument),
    });
  } else {
    for (const finding of ordered) context.print(findingText(file, finding));
    for (const check of servers) context.print(serverText(check));
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
