// Which rule governs a call with these arguments? Its tool's, or its case's; where the arguments aren't those that the rule is for (`args`), what is
// left of it, which puts nothing back. Never takes an inverse for calls that it wasn't written for.
import { governingFor } from "../core/cases.ts";
import type { Json } from "../core/json.ts";
import type { GoverningRule, Policy, Rule } from "../core/policy.ts";
import { outsideOf } from "./argument-schema.ts";

/** Finds the rule that governs a call. */
export function ruleForCall(policy: Policy, server: string, tool: string, args: Json): GoverningRule {
  const rule = governingFor(policy, server, tool, args);
  const why = rule === "unmentioned" || rule.accepts === undefined ? undefined : outsideOf(rule.accepts, args);
  return rule === "unmentioned" || why === undefined ? rule : ruleOutside(rule, why);
}

/** What such a call replaces is still looked at: locks, checks and the order of an undo go by it. */
function ruleOutside(rule: Rule, why: string): Rule {
  const { inverse, observe, confirm, commutes, whenAbsent, whenPresent, undo, ...kept } = rule;
  const remedy = undo?.remedy === undefined ? {} : { undo: { remedy: undo.remedy } };
  return { ...kept, ...remedy, class: "irreversible", gate: "always", outside: { why, within: rule.class } };
}
