// What does a policy mean for the tools of a server, in a person's words? Those that pass, those that undo puts back, those that are held. Pure.
import { ruleFor } from "../../core/match-rule.ts";
import type { GoverningRule, Policy } from "../../core/policy.ts";
import { countText } from "./counts.ts";
import { wrapWords } from "./layout.ts";
import { visible } from "./visible.ts";

/** What becomes of a tool's calls; the words begin a line. */
const FATES = {
  read: "only read, and pass",
  undone: "change something that undo puts back",
  unlessRead: "held for you, unless the call only reads",
  mixed: "held for you, or put back by undo, as the call's arguments say",
  held: "held for you, each time",
} as const;
type Fate = keyof typeof FATES;

/** Names that are shown of one kind; a server may have hundreds. */
const MOST_NAMES = 20;

/** Gives a line for the server, and one for each kind of tool that it has, wrapped at `width` cells. */
export function toolFatesText(policy: Policy, server: string, tools: readonly string[], width: number): string {
  const byFate = Map.groupBy(tools, (tool) => fateOf(ruleFor(policy, server, tool).rule));
  const lines = (Object.keys(FATES) as Fate[]).flatMap((fate) => {
    const names = byFate.get(fate);
    return names === undefined ? [] : [`  ${hanging(`${FATES[fate]}: ${listed(names)}`, width)}`];
  });
  return [`${visible(server)}: ${countText(tools.length, "tool")}`, ...lines].join("\n");
}

function hanging(text: string, width: number): string {
  return wrapWords(text, width - 4).replaceAll("\n", "\n    ");
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map(visible).join(", ");
  return names.length <= MOST_NAMES ? shown : `${shown} and ${names.length - MOST_NAMES} more`;
}

function fateOf(rule: GoverningRule): Fate {
  if (rule === "unmentioned") return "held";
  const parts = [...(rule.cases?.rules.values() ?? []), rule.whenAbsent, rule.whenPresent].filter((part) => part !== undefined);
  // A call that has none of the cases is held, which needs no word; without cases the rule itself governs where its variants don't.
  const fates = new Set([...parts.map(fateOf), ...(rule.cases === undefined ? [ownFate(rule)] : [])]);
  if (fates.size === 1) return [...fates][0] ?? "held";
  return fates.has("held") || fates.has("mixed") || fates.has("unlessRead") ? "mixed" : "undone";
}

function ownFate({ class: kind, gate }: Exclude<GoverningRule, "unmentioned">): Fate {
  if (gate === "always") return "held";
  if (gate === "on_write") return "unlessRead";
  if (kind === "readonly") return "read";
  return kind === "irreversible" ? "held" : "undone";
}
