// Which rules does a server's draft begin with? One per tool, as YAML: certain reads are `readonly`, everything else is held with a TODO that
// says what is suggested. Never puts a guess into force.
import type { ListedTool } from "../upstream/upstream.ts";
import { draftTools, type ToolDraft } from "./draft-tools.ts";
import { renderRule } from "./render-rule.ts";
import { isMatchable } from "./words.ts";

/** Rules as YAML, and what they were written from. */
export interface Draft {
  /** One text per tool, as `renderRule` writes it. */
  readonly rulesYaml: readonly string[];
  readonly tools: readonly ToolDraft[];
  readonly summary: { readonly reads: number; readonly held: number };
}

/** Drafts a rule for each tool of a server, in the server's order. A name that is listed twice is judged by the stricter entry. */
export function draftRules(server: string, tools: readonly ListedTool[]): Draft {
  const drafts = new Map<string, ToolDraft>();
  for (const draft of draftTools(tools)) if (draft.todo || !drafts.has(draft.name)) drafts.set(draft.name, draft);
  const once = [...drafts.values()];
  const reads = once.filter(({ name, todo, class: drafted }) => drafted === "readonly" && !todo && isMatchable(name)).length;
  return {
    rulesYaml: once.map((draft) => renderRule(server, draft, false)),
    tools: once,
    summary: { reads, held: once.length - reads },
  };
}
