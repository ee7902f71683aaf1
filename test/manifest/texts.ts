// What does a manifest say that a test writes down, and what is wrong with it, where?
import type { Policy } from "../../src/core/policy.ts";
import { type LoadOptions, loadManifest, loadManifestText } from "../../src/manifest/load.ts";
import { formatProblem } from "../../src/manifest/problem.ts";

export const OPTIONS: LoadOptions = { directory: "/srv/project", env: { TOKEN: "t", EMPTY: "" } };

/** What rules come after: one server, `kv`. */
export const HEAD = "version: 1\nservers:\n  kv:\n    command: node\ntools:\n";

export function policyOf(text: string, options = OPTIONS): Policy {
  const loading = loadManifestText(text, options);
  if (loading.kind === "invalid") throw new Error(loading.problems.map((problem) => formatProblem("m", problem)).join("\n"));
  return loading.policy;
}

/** Every problem as `line:column: message (hint)`. */
export function problemsOf(text: string | Uint8Array, options = OPTIONS): readonly string[] {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const loading = loadManifest(bytes, options);
  if (loading.kind === "loaded") return [];
  return loading.problems.map((problem) => formatProblem("m", problem).slice(2) + (problem.hint === undefined ? "" : ` (${problem.hint})`));
}

/** The problems of one rule, which begins in line 6. */
export function problemsOfRule(rule: string): readonly string[] {
  return problemsOf(`${HEAD}${rule}\n`);
}

/** A rule with a bar at the place where its problem has to be found, without the bar; and that place, as `line:column`. */
export function marked(rule: string): { readonly place: string; readonly text: string } {
  const before = rule.slice(0, rule.indexOf("¦")).split("\n");
  return { place: `${5 + before.length}:${(before.at(-1) ?? "").length + 1}`, text: rule.replace("¦", "") };
}
