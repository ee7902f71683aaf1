// Which part of a rule governs, where that depends on an argument or on what was there? What has no case is governed by the rule itself, and held.
import { isExactNumber, type Json } from "./json.ts";
import { ruleFor } from "./match-rule.ts";
import type { GoverningRule, Policy, Presence, Rule } from "./policy.ts";
import { readPath } from "./reference.ts";
import type { Reference } from "./template.ts";

/** Finds the rule that governs a call: the tool's, or that of its case. A call without a case is governed by the entry itself. */
export function governingFor(policy: Policy, server: string, tool: string, args: Json): GoverningRule {
  const { rule } = ruleFor(policy, server, tool);
  if (rule === "unmentioned" || rule.cases === undefined) return rule;
  const key = caseKey(args, rule.cases.by);
  return (key === undefined ? undefined : rule.cases.rules.get(key)) ?? rule;
}

/**
 * Gives the name of the case that arguments choose. `true`, `false` and numbers are cases of their own value only: a text that merely looks
 * like one chooses nothing, since a server may take it for something else.
 */
function caseKey(args: Json, by: Reference): string | undefined {
  const found = readPath(args, by.steps);
  if (found.kind === "absent") return undefined;
  if (typeof found.value === "string") return /^(true|false|-?\d.*)$/.test(found.value) ? undefined : found.value;
  if (isExactNumber(found.value)) return found.value.rawJSON;
  return typeof found.value === "boolean" || typeof found.value === "number" ? String(found.value) : undefined;
}

/** Gives the rule that governs once it is known what the snapshot shows. */
export function ruleWhen(rule: Rule, presence: Presence): Rule {
  return (presence === "absent" ? rule.whenAbsent : rule.whenPresent) ?? rule;
}

/** Tells whether it depends on what the snapshot shows which rule governs. */
export function hasVariants({ whenAbsent, whenPresent }: Rule): boolean {
  return whenAbsent !== undefined || whenPresent !== undefined;
}

/** Lists a rule with everything that can govern in its place. */
export function rulesWithin(rule: Rule): readonly Rule[] {
  const within = [...(rule.cases?.rules.values() ?? []), rule.whenAbsent, rule.whenPresent].filter((part) => part !== undefined);
  return [rule, ...within.flatMap(rulesWithin)];
}
