// Does a policy written for one server hold for the tools that another one lists? Every rule must check out, by names, arguments and schemas;
// one that doesn't spoils the whole policy. Never goes by what a server calls itself.
import { membersOf, misfitsOf, type Schemas } from "../core/call-fit.ts";
import { deniesReading, toolHints } from "../core/hints.ts";
import { isJsonObject } from "../core/json.ts";
import { matchesTool, ruleFor } from "../core/match-rule.ts";
import { type CallTemplate, callsOf, type Policy, type Rule, templateOf } from "../core/policy.ts";
import { referencesIn } from "../core/references-in.ts";
import { resultSchema, schemaAt, stateSchema } from "../core/schema-at.ts";
import type { Reference } from "../core/template.ts";
import type { ListedTool } from "../upstream/upstream.ts";

/** Whether it fits; `reason` says what doesn't, for a person. */
export type Fit = { readonly kind: "fits" } | Unfit;
interface Unfit {
  readonly kind: "unfit";
  readonly reason: string;
}

/** Whether a policy fits, and which of its rules are for tools that this server lists. */
export type PolicyFit = { readonly kind: "fits"; readonly rules: readonly Rule[] } | Unfit;

/** So many rules for listed tools make a policy fit, even if it has many more. */
const ENOUGH = 8;

const FITS: Fit = { kind: "fits" };

/**
 * Compares each rule of a policy for one server with the tools that this server lists. Many servers list what they were told to: rules for
 * other tools don't count where the policy mentions every tool that is listed. A policy without rules fits nothing.
 */
export function policyFit(policy: Policy, server: string, tools: readonly ListedTool[]): PolicyFit {
  const mentionsAll = tools.every(({ name }) => ruleFor(policy, server, name).rule !== "unmentioned");
  const rules: Rule[] = [];
  for (const rule of policy.rules) {
    const matched = tools.filter(({ name }) => matchesTool(rule.match, server, name));
    if (matched.length === 0 && !mentionsAll) return unfit(`there is no tool ${rule.match}`);
    if (matched.length > 0) rules.push(rule);
    for (const tool of matched) {
      if (ruleFor(policy, server, tool.name).rule !== rule) continue;
      const fit = ruleFit(rule, tool, server, tools);
      if (fit.kind === "unfit") return fit;
    }
  }
  // A tool or two of the same names say nothing of what the server is.
  return rules.length < Math.min(ENOUGH, policy.rules.length / 2) || rules.length === 0
    ? unfit(`only ${rules.length} of its rules are for a tool that is listed`)
    : { kind: "fits", rules };
}

function ruleFit(rule: Rule, tool: ListedTool, server: string, tools: readonly ListedTool[]): Fit {
  if (rule.class === "readonly" && deniesReading(toolHints(tool.annotations) ?? {})) {
    return unfit(`${tool.name} is a read in the policy, and not by the server's own account`);
  }
  // What is on another server is a companion of ours, whose tools the policy was written for.
  const all = callsOf(rule).map(([, call]) => call);
  const calls = all.filter((call) => call.server === server);
  const state = stateSchema(rule.snapshot, (call) =>
    call.server === server ? tools.find(({ name }) => name === call.tool)?.outputSchema : undefined,
  );
  const schemas = {
    args: tool.inputSchema,
    result: resultSchema(rule, tool.outputSchema),
    snapshot: state,
    current: state,
    item: undefined,
  };
  for (const call of calls) {
    const called = tools.find(({ name }) => name === call.tool);
    if (called === undefined) return unfit(`there is no tool ${call.server}.${call.tool}, which ${rule.match} needs`);
    const fit = callFit(call, called, schemas);
    if (fit.kind === "unfit") return fit;
  }
  const templates = [...all.map(templateOf), ...(rule.resource ?? [])];
  for (const reference of templates.flatMap(referencesIn)) {
    if (schemaAt(schemas[reference.namespace], reference.steps).kind === "none") return noSuch(reference, rule);
  }
  return FITS;
}

/** Whether the arguments that a call sends are those that the tool takes: none it doesn't know, and all that it requires. */
function callFit(call: CallTemplate, { inputSchema }: ListedTool, schemas: Schemas): Fit {
  const saysNothing = !isJsonObject(inputSchema) || !isJsonObject(inputSchema["properties"]);
  const [named] = saysNothing ? (membersOf(call.args) ?? []) : [];
  if (named !== undefined) return unfit(`${call.tool} doesn't say that it takes ${named[0]}`);
  const misfit = misfitsOf(call, inputSchema, schemas).find(({ what, certain }) => what === "unknown" || certain);
  return misfit === undefined ? FITS : unfit(misfit.words);
}

function noSuch({ text }: Reference, { match }: Rule): Fit {
  return unfit(`${text}, which the rule ${match} reads, isn't there`);
}

function unfit(reason: string): Unfit {
  return { kind: "unfit", reason };
}
