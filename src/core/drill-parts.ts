// What of a policy can be proven? Each rule that says how a call is put back, for each tool that it governs, by case and by what was there before.
import { isJsonObject, type Json } from "./json.ts";
import { ruleFor } from "./match-rule.ts";
import type { Policy, Rule, Sample, ToolName } from "./policy.ts";
import type { RuleRecord } from "./rule-record.ts";

/** One row of a drill. */
export interface DrillPart extends ToolName {
  readonly rule: Rule;
}

/** A tool with everything that a drill is to prove of it. */
export interface DrillTool extends ToolName {
  readonly parts: readonly DrillPart[];
  /** The calls that its author gave, in the order written. */
  readonly samples: readonly Sample[];
  /** The rule, or its cases: one call each is made up where no sample leads there. */
  readonly bases: readonly Rule[];
  /** What chooses a case. */
  readonly cases: Rule["cases"];
}

/** Lists the tools of a server that have something to prove. */
export function drillTools(policy: Policy, server: string, tools: readonly string[]): readonly DrillTool[] {
  return tools.flatMap((tool) => {
    const { rule } = ruleFor(policy, server, tool);
    if (rule === "unmentioned") return [];
    const bases = rule.cases === undefined ? [rule] : [...rule.cases.rules.values()];
    const parts = bases.flatMap(partsOf).map((part) => ({ server, tool, rule: part }));
    const samples = [rule, ...(rule.cases === undefined ? [] : bases)].flatMap(({ drill = [] }) => drill);
    const proving = bases.filter((base) => partsOf(base).length > 0);
    return parts.length === 0 ? [] : [{ server, tool, parts, samples, bases: proving, cases: rule.cases }];
  });
}

/** Lists the reading tools that list without being asked for anything: their schema requires no argument. */
export function listingTools(
  policy: Policy,
  server: string,
  tools: readonly { readonly name: string; readonly inputSchema: Json }[],
): readonly string[] {
  const isAsked = (schema: Json) => isJsonObject(schema) && Array.isArray(schema["required"]) && schema["required"].length > 0;
  return tools.flatMap(({ name, inputSchema }) => {
    const { rule } = ruleFor(policy, server, name);
    return rule !== "unmentioned" && rule.cases === undefined && rule.class === "readonly" && !isAsked(inputSchema) ? [name] : [];
  });
}

/** Where there is a rule for both, that is all there is. */
function partsOf(base: Rule): readonly Rule[] {
  const { whenAbsent, whenPresent } = base;
  const all = [whenAbsent !== undefined && whenPresent !== undefined ? undefined : base, whenAbsent, whenPresent];
  return all.filter((part) => part !== undefined).filter(({ class: each }) => each === "reversible" || each === "compensable");
}

/** Finds the part that governed a call. */
export function partFor(parts: readonly DrillPart[], governed: Pick<RuleRecord, "case" | "when">): DrillPart | undefined {
  return parts.find(({ rule }) => rule.case === governed.case && rule.when === governed.when);
}
