// Is there what a policy's rules read, do they send what the tools take, and does an inverse put back what a call can change? By the schemas
// that the servers list. Says only what a schema denies; most servers say little.

import { membersOf, misfitsOf, type Schemas } from "./call-fit.ts";
import { rulesWithin } from "./cases.ts";
import { isJsonObject, type Json } from "./json.ts";
import { ruleFor } from "./match-rule.ts";
import { type CallTemplate, callsOf, checkReadsOf, type Policy, type Rule, type ToolName, templateOf } from "./policy.ts";
import type { Finding } from "./policy-check.ts";
import { type PlacedReference, placedReferencesIn, referencesIn } from "./references-in.ts";
import { resultSchema, schemaAt, stateSchema, typeAt } from "./schema-at.ts";
import type { Template } from "./template.ts";

/** What a server lists of a tool, as far as it counts here. */
export interface ToolSchemas {
  readonly name: string;
  readonly inputSchema: Json;
  readonly outputSchema?: Json;
}

type Listed = ReadonlyMap<string, readonly ToolSchemas[]>;

/** What is wrong at one place of a rule. */
type Trouble = Pick<Finding, "severity" | "position" | "message">;

/** Compares what rules read, name and send with the schemas of their tools; a server that isn't in `listed` is not checked. Each thing is said once. */
export function checkPaths(policy: Policy, listed: Listed): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const [server, tools] of listed) {
    for (const tool of tools) {
      const { rule } = ruleFor(policy, server, tool.name);
      if (rule === "unmentioned") continue;
      const troubles = [...casesTroubles(rule, tool), ...rulesWithin(rule).flatMap((part) => checkRule(part, server, tool, listed))];
      for (const { severity, message: what, position } of troubles) {
        const message = `rule of \`${server}.${tool.name}\`: ${what}, by the schemas that the server lists`;
        findings.set(`${position.line}:${position.column} ${message}`, { severity, message, position });
      }
    }
  }
  return [...findings.values()];
}

function checkRule(rule: Rule, server: string, tool: ToolSchemas, listed: Listed): readonly Trouble[] {
  const state = stateSchema(rule.snapshot ?? rule.observe, (call) => toolOf(call, listed)?.outputSchema);
  const schemas: Schemas = {
    args: tool.inputSchema,
    result: resultSchema(rule, tool.outputSchema),
    snapshot: state,
    current: state,
    item: undefined,
  };
  const calls = [...callsOf(rule), ...checkReadsOf(rule)].map(([, call]) => call);
  const expected = [...(rule.require ?? []), ...(rule.verify ?? [])].flatMap(({ expect, read }) =>
    expect === undefined ? [] : [{ args: expect, position: read.position }],
  );
  const read = calls.map((call) => ({ args: templateOf(call), position: call.position }));
  const parts = [...read, ...(rule.resource ?? []).map((args) => ({ args, position: rule.position })), ...expected];
  return [
    ...parts.flatMap(({ args, position }) => pathTroubles(args, schemas).map((message) => ({ severity: WARNING, message, position }))),
    ...statementTroubles(rule, schemas),
    ...stateTroubles(rule, state).map((message) => ({ severity: WARNING, message, position: rule.position })),
    ...calls.flatMap((call) => callTroubles(call, schemas, listed)),
    ...unrestored(rule, server, tool, schemas),
  ];
}

/** Every call would be held whose statement isn't where the rule looks for it. */
function statementTroubles({ sql, position }: Rule, { args }: Schemas): readonly Trouble[] {
  if (sql === undefined || schemaAt(args, sql.statement.steps).kind !== "none") return [];
  return [{ severity: "error", position, message: `there is no \`${sql.statement.text}\`, which \`sql\` names` }];
}

const WARNING = "warning" as const;

function toolOf({ server, tool }: ToolName, listed: Listed): ToolSchemas | undefined {
  return listed.get(server)?.find(({ name }) => name === tool);
}

function pathTroubles(template: Template, schemas: Schemas): readonly string[] {
  return placedReferencesIn(template).flatMap(({ reference, negate }: PlacedReference) => {
    const { namespace, steps, text } = reference;
    if (schemaAt(schemas[namespace], steps).kind === "none") return [`there is no \`${text}\``];
    const type = typeAt(schemas[namespace], steps);
    const isNumber = type === undefined || type === "number" || type === "integer";
    return negate && !isNumber ? [`\`${text}\` is negated, and is no number but ${type}`] : [];
  });
}

function stateTroubles({ ignore, identity = [], sets = [] }: Rule, state: Json | undefined): readonly string[] {
  const named = [...ignore, ...identity, ...sets];
  const missing = named.filter(({ steps }) => schemaAt(state, steps).kind === "none").map(({ text }) => `\`${text}\` isn't in the state`);
  const noLists = sets.flatMap(({ steps, text }) => {
    const type = typeAt(state, steps);
    return type === undefined || type === "array" ? [] : [`\`${text}\` is no list but ${type}, so it can't be one of \`sets\``];
  });
  return [...missing, ...noLists];
}

function callTroubles(call: CallTemplate, schemas: Schemas, listed: Listed): readonly Trouble[] {
  const called = toolOf(call, listed);
  if (called === undefined) return []; // whether it is there is another question
  return misfitsOf(call, called.inputSchema, schemas).map(({ certain, words }) => ({
    severity: certain ? "error" : WARNING,
    message: words,
    position: call.position,
  }));
}

/**
 * Names the arguments of a tool that its rule doesn't put back, where an inverse is that tool once more: what it isn't sent stays as the agent left
 * it. Where the state's schema is known, only those that are in the state.
 */
function unrestored(rule: Rule, server: string, { name, inputSchema }: ToolSchemas, { snapshot }: Schemas): readonly Trouble[] {
  const { class: kind, inverse = [], ignore } = rule;
  const same = inverse.find((call) => call.server === server && call.tool === name);
  const sent = same && membersOf(same.args);
  const properties = isJsonObject(inputSchema) ? inputSchema["properties"] : undefined;
  if (kind !== "reversible" || rule.snapshot === undefined || sent === undefined || !isJsonObject(properties)) return [];
  // Another call of the inverse may put it back.
  const restored = inverse.flatMap(({ args }) => referencesIn(args)).filter(({ namespace }) => namespace === "snapshot");
  if (restored.some(({ steps }) => steps.length === 0)) return [];
  const names = Object.keys(properties).filter((property) => {
    const step = { kind: "member", name: property } as const;
    const begins = ({ steps: [first] }: (typeof restored)[number]) => first?.kind === "member" && first.name === property;
    return (
      !sent.some(([each]) => each === property) && ![...restored, ...ignore].some(begins) && schemaAt(snapshot, [step]).kind !== "none"
    );
  });
  if (names.length === 0) return [];
  const listed = names.map((each) => `\`${each}\``).join(", ");
  return [
    {
      severity: WARNING,
      message: `the inverse doesn't put back ${listed}, which a call can change`,
      position: same?.position ?? rule.position,
    },
  ];
}

/** Compares the cases of a rule with the values that the schema lets their argument have. */
function casesTroubles({ cases }: Rule, { inputSchema }: ToolSchemas): readonly Trouble[] {
  if (cases === undefined) return [];
  const { by, rules } = cases;
  const at = schemaAt(inputSchema, by.steps);
  const values = at.kind === "schema" && isJsonObject(at.schema) ? at.schema["enum"] : undefined;
  if (at.kind === "none" || !Array.isArray(values)) return [];
  const names = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  const [first] = [...rules.values()];
  const left = names.filter((name) => !rules.has(name)).map((name) => `\`${name}\``);
  return [
    ...[...rules].flatMap(([name, { position }]) =>
      names.includes(name) ? [] : [{ severity: WARNING, message: `\`${by.text}\` is never \`${name}\``, position }],
    ),
    ...(left.length === 0 || first === undefined
      ? []
      : [{ severity: WARNING, message: `no case for ${left.join(", ")}, so such calls are held for a person`, position: first.position }]),
  ];
}
