// Does each server of the manifest start, and does its policy fit what it offers? Starts each and ends it; never calls a tool. Of what a server
// says only the beginning is shown, without the values that it was given.
import type { ServerSource } from "../../core/policy.ts";
import { addNeedle, hideTexts } from "../../core/secret-texts.ts";
import { type Environment, variablesIn } from "../../manifest/variables.ts";
import { checkManifest, type ServerCheck } from "../check-manifest.ts";
import type { Io } from "../io.ts";
import { countText } from "../render/counts.ts";
import { sumText } from "../render/findings.ts";
import { shorten } from "../render/layout.ts";
import { type Examination, type Finding, findingsOf } from "./finding.ts";

/** Cells of what a server, or the system, says of a failure. */
const LONGEST_REASON = 200;

const { ok, note, wrong } = findingsOf("servers");

/** Starts the servers of a manifest that can be loaded. */
export async function checkServers({ context, command }: Examination, manifest: string): Promise<readonly Finding[]> {
  const { findings, servers } = await checkManifest(context, manifest);
  const failed = new Set(servers.filter(({ kind }) => kind === "failed").map(({ server }) => server.position));
  const others = findings.filter(({ position }) => !failed.has(position));
  const errors = others.some(({ severity }) => severity === "error");
  const fits = errors ? wrong : note;
  return [
    ...servers.map((check) => serverFinding(check, context.io, command("check"))),
    ...(others.length === 0 ? [] : [fits(`the policy doesn't fit its servers in all: ${sumText(others)}`, { command: command("check") })]),
  ];
}

function serverFinding(check: ServerCheck, io: Io, command: string): Finding {
  const { name, source } = check.server;
  if (check.kind === "tools") return ok(`${name} starts: ${countText(check.tools.length, "tool")}`);
  if (check.kind === "skipped") return note(`${name} isn't started: ${check.reason}`);
  const [first = ""] = check.reason.split("\n");
  return wrong(`${name} doesn't start: ${shorten(withoutSecrets(first, source, io), LONGEST_REASON)}`, { hint: check.hint, command });
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
