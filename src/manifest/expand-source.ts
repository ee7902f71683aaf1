// What exactly is run for a server? Its command with the variables of today's environment; what was recorded stays unexpanded.
import { canonicalJson } from "../core/json.ts";
import type { ServerSource } from "../core/policy.ts";
import { SynartesisError } from "../errors.ts";
import { type Environment, expandVariables, variablesIn } from "./variables.ts";

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

/** Writes an expanded command as one text, by whose keyed mark a run knows it again; the order of its variables says nothing. */
export function commandText({ command, args, env }: Pick<ExpandedCommand, "command" | "args" | "env">): string {
  return canonicalJson([command, args, env]);
}

/** Names the variables that a command's args and env are written with, each once. */
export function variablesOf(source: ServerSource & { kind: "command" }): readonly string[] {
  const names = [...source.args, ...Object.values(source.env)].flatMap(variablesIn);
  return [...new Set(names)];
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
