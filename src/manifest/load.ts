// Is this a manifest, and what does it say? All that is wrong with it is found in one go. Reads no file, no environment and no clock
// of its own. It brings in the YAML parser: commands that need no manifest must not import it.
import type { Autonomy, Policy } from "../core/policy.ts";
import { checkShape } from "./check-shape.ts";
import { decodeManifest } from "./decode.ts";
import { type Located, memberOf, recordOf, textOf } from "./located.ts";
import { type Problem, ProblemList } from "./problem.ts";
import { readFailedWhen, readRules } from "./read-rules.ts";
import { readServers, type ServerContext, type UnsetVariable } from "./read-servers.ts";
import { readTokens } from "./read-tokens.ts";
import { MANIFEST } from "./shape.ts";
import type { Environment } from "./variables.ts";
import { readYaml } from "./yaml-tree.ts";

/** Where a manifest stands and what its variables may be. */
export interface LoadOptions {
  /** Absolute; relative paths in it start here. */
  readonly directory: string;
  /** The environment that `${NAME}` is looked for in; "any": only its form is checked (for a policy that no server is started from). */
  readonly env: Environment | "any";
}

/**
 * A policy and the text it came from (without a byte order mark), or everything wrong with it, in the order of the file. A variable that
 * isn't set stops only who starts the server that needs it: those are handed on.
 */
export type Loading =
  | { readonly kind: "loaded"; readonly policy: Policy; readonly text: string; readonly unset: readonly UnsetVariable[] }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] };

/** Loads a manifest from its bytes. */
export function loadManifest(bytes: Uint8Array, options: LoadOptions): Loading {
  const decoded = decodeManifest(bytes);
  return decoded.kind === "text" ? loadManifestText(decoded.text, options) : { kind: "invalid", problems: [decoded.problem] };
}

/** Loads a manifest from its text, as a run has recorded it. */
export function loadManifestText(text: string, options: LoadOptions): Loading {
  const problems = new ProblemList(text);
  const root = readYaml(text, problems);
  // What isn't well-formed would only give misleading problems further on.
  if (problems.isEmpty && root === undefined) problems.add(0, "the manifest is empty", "begin with `version: 1`");
  if (root === undefined || !problems.isEmpty) return { kind: "invalid", problems: problems.inOrder() };
  checkShape(root, MANIFEST, "a manifest", problems);
  const unset: UnsetVariable[] = [];
  const policy = readPolicy(root, { ...options, unset, problems });
  return problems.isEmpty ? { kind: "loaded", policy, text, unset } : { kind: "invalid", problems: problems.inOrder() };
}

function readPolicy(root: Located, context: ServerContext): Policy {
  const { problems } = context;
  const declared = memberOf(root, "servers");
  const entries = declared?.kind === "map" ? declared.entries : [];
  const servers = readServers(declared, context);
  const failedWhen = new Map(entries.map((entry) => [entry.name, readFailedWhen(memberOf(entry.value, "failed_when"), problems)] as const));
  const names = entries.map((entry) => entry.name);
  const tokens = readTokens(memberOf(root, "tokens"), problems);
  const environment = textOf(memberOf(root, "environment"));
  const autonomy = recordOf(memberOf(root, "autonomy")) as Autonomy; // the shape allows nothing else
  const rules = readRules(memberOf(root, "tools"), { servers: names, failedWhen, autonomy, environment, problems });
  return {
    servers,
    rules,
    ...(Object.keys(autonomy).length === 0 ? {} : { autonomy }),
    ...(environment === undefined ? {} : { environment }),
    ...(tokens.length === 0 ? {} : { tokens }),
  };
}
