// What exactly is run for a server? Its command with the variables of today's environment; what was recorded stays unexpanded.
import type { ServerSource } from "../core/policy.ts";
import { SynartesisError } from "../errors.ts";
import { type Environment, expandVariables } from "./variables.ts";

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

function expandText(server: string, text: string, env: Environment): string {
  const expansion = expandVariables(text, env);
  if (expansion.kind === "expanded") return expansion.text;
  if (expansion.kind === "unset")
    throw new SynartesisError("manifest-invalid", `server "${server}" needs the environment variable ${expansion.name}, which is not set`);
  throw new SynartesisError("manifest-invalid", `server "${server}": malformed variable ${expansion.written}`);
}
