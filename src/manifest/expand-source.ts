// What exactly is run for a server, or sent to it? Its command or headers with the variables of today's environment; what was recorded stays
// unexpanded.
import { canonicalJson } from "../core/json.ts";
import type { ServerSource } from "../core/policy.ts";
import { SynartesisError } from "../errors.ts";
import { type Environment, expandVariables, unsendableIn, variablesIn } from "./variables.ts";

/** A command ready to start. */
export interface ExpandedCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The server's own variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/** Expands a command's args and env. @throws SynartesisError manifest-invalid where a variable is missing or malformed */
export function expandSource(server: string, source: ServerSource & { kind: "command" }, env: Environment): ExpandedCommand {
  const expand = (text: string) => expandText(server, text, env);
  return {
    command: source.command,
    args: source.args.map(expand),
    env: Object.fromEntries(Object.entries(source.env).map(([name, value]) => [name, expand(value)])),
    cwd: source.cwd,
  };
}

/** Tells whether a command is one of our own companions. */
export function isOwnCompanion({ command, args }: Pick<ExpandedCommand, "command" | "args">): boolean {
  return command === "synartesis" && args[0] === "companion";
}

/** Gives a companion's command as it is started: by this very program (its words), whatever stands on PATH by its name. */
export function ownProgram(expanded: ExpandedCommand, program: readonly string[]): ExpandedCommand {
  const [command, ...words] = program;
  if (command === undefined || !isOwnCompanion(expanded)) return expanded;
  return { ...expanded, command, args: [...words, ...expanded.args] };
}

/** An address ready to be spoken to. */
export interface ExpandedUrl {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Expands the headers of a server at a URL. @throws SynartesisError manifest-invalid where a variable is missing, malformed or can't be sent */
export function expandUrl(server: string, source: ServerSource & { kind: "url" }, env: Environment): ExpandedUrl {
  const headers = Object.entries(source.headers).map(([name, text]) => {
    const value = expandText(server, text, env).trim();
    // A control character would end the header, or forge another one. The value itself may be a secret, so it isn't shown.
    if (unsendableIn(value))
      throw new SynartesisError(
        "manifest-invalid",
        `server "${server}": the value of the header ${name} has characters that a header can't hold`,
      );
    return [name, value] as const;
  });
  return { url: new URL(source.url), headers: Object.fromEntries(headers) };
}

/** Writes an expanded command or address as one text, by whose keyed mark a run knows it again; the order of its variables says nothing. */
export function reachText(reach: ExpandedCommand | ExpandedUrl): string {
  return canonicalJson("url" in reach ? [reach.url.href, reach.headers] : [reach.command, reach.args, reach.env]);
}

/** Names the variables that a command's args and env, or an address's headers, are written with, each once. */
export function variablesOf(source: ServerSource & { kind: "command" | "url" }): readonly string[] {
  const texts = source.kind === "url" ? Object.values(source.headers) : [...source.args, ...Object.values(source.env)];
  return [...new Set(texts.flatMap(variablesIn))];
}

function expandText(server: string, text: string, env: Environment): string {
  const expansion = expandVariables(text, env);
  if (expansion.kind === "expanded") return expansion.text;
  if (expansion.kind === "unset")
    throw new SynartesisError("manifest-invalid", `server "${server}" needs the environment variable ${expansion.name}, which is not set`, {
      hint: "set it where this is started; empty is fine",
    });
  throw new SynartesisError("manifest-invalid", `server "${server}": malformed variable ${expansion.written}`);
}
