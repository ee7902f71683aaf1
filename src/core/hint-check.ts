// Where does a policy call a tool a read which the server itself doesn't? Pure; a warning only, since many servers' hints are nobody's choice.
import { areDefaults, deniesReading, toolHints } from "./hints.ts";
import type { Json } from "./json.ts";
import { ruleFor } from "./match-rule.ts";
import type { Policy } from "./policy.ts";
import type { Finding } from "./policy-check.ts";

/** The tools that each server lists, with their annotations. */
export type HintedTools = ReadonlyMap<string, readonly { readonly name: string; readonly annotations?: Json }[]>;

/** Compares the rules that are `readonly` with the hints of the tools that they govern. */
export function checkHints(policy: Policy, listed: HintedTools): readonly Finding[] {
  const doubted = new Map<Finding["position"], string[]>();
  for (const [server, tools] of listed) {
    const hinted = tools.map(({ name, annotations }) => ({ name, hints: toolHints(annotations) ?? {} }));
    const knowsReads = hinted.some(({ hints }) => hints.readOnlyHint === true);
    for (const { name, hints } of hinted) {
      const { rule } = ruleFor(policy, server, name);
      if (rule === "unmentioned" || rule.class !== "readonly" || !deniesReading(hints)) continue;
      // A library wrote them, where no tool of the server says anything else.
      if (!knowsReads && areDefaults(hints)) continue;
      doubted.set(rule.position, [...(doubted.get(rule.position) ?? []), `\`${server}.${name}\``]);
    }
  }
  return [...doubted].map(([position, names]) => ({
    severity: "warning",
    message: `a read by the policy, but not by the server's own account: ${names.join(", ")}`,
    hint: "look what the tool really does; servers' hints are often wrong",
    position,
  }));
}
