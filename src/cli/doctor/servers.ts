// Does each server of the manifest start, and does its policy fit what it offers? Starts each and ends it; never calls a tool. Of what a server
// says its last words are shown, without the values that it was given.
import type { ServerSource } from "../../core/policy.ts";
import { addNeedle, hideTexts } from "../../core/secret-texts.ts";
import { type Environment, variablesIn } from "../../manifest/variables.ts";
import { checkManifest, type ServerCheck } from "../check-manifest.ts";
import { shortPath } from "../clients/client-words.ts";
import type { Io } from "../io.ts";
import { countText } from "../render/counts.ts";
import { sumText } from "../render/findings.ts";
import { shorten } from "../render/layout.ts";
import { type Examination, type Finding, findingsOf } from "./finding.ts";

/** Cells of what a server, or the system, says of a failure: more than is kept of its last words. */
const LONGEST_REASON = 3000;

const { ok, note, wrong } = findingsOf("servers");

/** Starts the servers of a manifest that can be loaded. `broken`: clients' files, absolute, of which it was said that they can't be read. */
export async function checkServers(
  { context, command }: Examination,
  manifest: string,
  broken: readonly string[],
): Promise<readonly Finding[]> {
  const { findings, servers } = await checkManifest(context, manifest);
  const mend = { command: command("check") };
  const failed = new Set(servers.filter(({ kind }) => kind === "failed").map(({ server }) => server.position));
  const others = findings.filter(({ position }) => !failed.has(position));
  const { length: warnings } = others.filter(({ severity }) => severity === "warning");
  const fit =
    warnings === others.length
      ? note(`the policy has ${countText(warnings, "warning")}`, mend)
      : wrong(`the policy doesn't fit its servers: ${sumText(others)}`, mend);
  const fileOf = ({ server: { source }, kind }: ServerCheck) =>
    broken.find((path) => kind === "failed" && source.kind === "via" && [path, shortPath(context.io, path)].includes(source.file));
  const hidden = [...new Set(servers.flatMap((check) => fileOf(check) ?? []))];
  return [
    ...hidden.map((path) => {
      const names = servers.filter((check) => fileOf(check) === path).map(({ server }) => server.name);
      return wrong(`how to start ${names.join(", ")} stands in ${path}, which can't be used`);
    }),
    ...servers.filter((check) => fileOf(check) === undefined).map((check) => serverFinding(check, context.io, command("check"))),
    ...(others.length === 0 ? [] : [fit]),
  ];
}

function serverFinding(check: ServerCheck, io: Io, command: string): Finding {
  const { name, source } = check.server;
  if (check.kind === "tools") return ok(`${name} starts: ${countText(check.tools.length, "tool")}`);
  if (check.kind === "skipped") return note(`${name} isn't started: ${check.reason}`);
  return wrong(`${name} doesn't start: ${shorten(withoutSecrets(check.reason, source, io), LONGEST_REASON)}`, {
    hint: check.hint,
    command,
  });
}

/** Hides the values of variables, and what is written in their places. */
function withoutSecrets(text: string, source: ServerSource, { env }: Io): string {
  const needles = new Map<string, string>();
  for (const value of valuesOf(source, env)) addNeedle(needles, value, "[hidden]");
  return String(hideTexts(text, needles));
}

/** All that may be a secret: what variables stand for, whole values and their words, and arguments that are no option, path or name. */
function valuesOf(source: ServerSource, env: Environment): readonly string[] {
  if (source.kind === "via") return [];
  const given = source.kind === "url" ? [...Object.values(source.headers), URL.parse(source.url)?.search ?? ""] : Object.values(source.env);
  const args = source.kind === "url" ? [] : source.args;
  const variables = [...given, ...args].flatMap(variablesIn).map((name) => env[name] ?? "");
  const words = args.map((arg) => arg.replace(/^--?[\w-]+=/, "")).filter((arg) => !/^[-./~@]|^[a-z-]{1,20}$/.test(arg));
  return [...variables, ...given.flatMap((text) => [text, ...text.split(/[\s=&?]/)]), ...words];
}
