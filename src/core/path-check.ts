// Is there what a policy's rules read, by the schemas that its servers list? Says only what a schema denies; most servers say little.

import type { Json } from "./json.ts";
import { callsOf, type Policy, type Rule, ruleFor } from "./policy.ts";
import type { Finding } from "./policy-check.ts";
import { schemaAt, typeAt } from "./schema-at.ts";
import { type Namespace, type PlacedReference, placedReferencesIn, type Template } from "./template.ts";

/** What a server lists of a tool, as far as it counts here. */
export interface ToolSchemas {
  readonly name: string;
  readonly inputSchema: Json;
  readonly outputSchema?: Json;
}

type Listed = ReadonlyMap<string, readonly ToolSchemas[]>;

/** Compares what rules read and name with the schemas of their tools; a server that isn't in `listed` is not checked. Each thing is said once. */
export function checkPaths(policy: Policy, listed: Listed): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const [server, tools] of listed) {
    for (const tool of tools) {
      const { rule } = ruleFor(policy, server, tool.name);
      if (rule === "unmentioned") continue;
      for (const finding of checkRule(rule, server, tool, listed)) findings.set(finding.message, finding);
    }
  }
  return [...findings.values()];
}

function checkRule(rule: Rule, server: string, tool: ToolSchemas, listed: Listed): readonly Finding[] {
  const read = rule.snapshot ?? rule.observe;
  const state = read && listed.get(read.server)?.find(({ name }) => name === read.tool)?.outputSchema;
  const schemas: Schemas = { args: tool.inputSchema, result: tool.outputSchema, snapshot: state, current: state, item: undefined };
  const parts = [...callsOf(rule).map(([, call]) => call), ...(rule.resource ?? []).map((args) => ({ args, position: rule.position }))];
  const inTemplates = parts.flatMap(({ args, position }) => troublesIn(args, schemas).map((trouble) => ({ trouble, position })));
  const named = [...rule.ignore, ...(rule.identity ?? []), ...(rule.sets ?? [])];
  const missing = named.filter(({ steps }) => schemaAt(state, steps).kind === "none").map(({ text }) => `\`${text}\` isn't in the state`);
  const noLists = (rule.sets ?? []).flatMap(({ steps, text }) => {
    const type = typeAt(state, steps);
    return type === undefined || type === "array" ? [] : [`\`${text}\` is no list but ${type}, so it can't be one of \`sets\``];
  });
  const inState = [...missing, ...noLists].map((trouble) => ({ trouble, position: rule.position }));
  return [...inTemplates, ...inState].map(({ trouble, position }) => ({
    severity: "warning",
    message: `rule of \`${server}.${tool.name}\`: ${trouble}, by the schemas that the server lists`,
    position,
  }));
}

type Schemas = Readonly<Record<Namespace, Json | undefined>>;

function troublesIn(template: Template, schemas: Schemas): readonly string[] {
  return placedReferencesIn(template).flatMap(({ reference, negate }: PlacedReference) => {
    const { namespace, steps, text } = reference;
    if (schemaAt(schemas[namespace], steps).kind === "none") return [`there is no \`${text}\``];
    const type = typeAt(schemas[namespace], steps);
    const isNumber = type === undefined || type === "number" || type === "integer";
    return negate && !isNumber ? [`\`${text}\` is negated, and is no number but ${type}`] : [];
  });
}
