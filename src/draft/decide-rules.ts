// How do decisions about tools become rules? Each tool's own text is replaced; what nobody decided about stays as it was drafted.
import { loadManifestText } from "../manifest/load.ts";
import { newManifest } from "../manifest/new-manifest.ts";
import type { ToolDraft } from "./draft-tools.ts";
import { renderRule } from "./render-rule.ts";
import type { Decision } from "./tool-questions.ts";
import { quoted } from "./words.ts";

/** Gives the rule for each draft, as `extendManifest` takes them. */
export function decidedRules(server: string, drafts: readonly ToolDraft[], decisions: ReadonlyMap<string, Decision>): readonly string[] {
  return drafts.map((draft) => decidedRule(server, draft, decisions.get(draft.name) ?? { kind: "leave" }));
}

/** Gives the rule for one draft, by what was decided about it. */
export function decidedRule(server: string, draft: ToolDraft, decision: Decision): string {
  if (decision.kind === "accept") return renderRule(server, decision.draft, true);
  if (decision.kind === "leave") return renderRule(server, draft, false);
  return [`- match: ${quoted(`${server}.${draft.name}`)}`, "  class: irreversible", "  gate: always"].join("\n");
}

/** Says what is wrong with a rule that a person has put together, as the loader would; undefined where nothing is. */
export function ruleProblem(server: string, draft: ToolDraft): string | undefined {
  const text = newManifest({ server: { name: server, command: "unused", args: [] }, rulesYaml: [renderRule(server, draft, true)] });
  const loading = loadManifestText(text, { directory: "/", env: "any" });
  return loading.kind === "loaded" ? undefined : loading.problems[0]?.message;
}
