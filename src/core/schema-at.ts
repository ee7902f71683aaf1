// What does a tool's schema say of the place that a path leads to? Where it says nothing, or says it in ways that aren't followed here,
// the answer is that it doesn't say.

import type { Patterns } from "./extract.ts";
import { isJsonObject, type Json, objectFrom } from "./json.ts";
import { type Rule, readsIn, type StateRead, type ToolName } from "./policy.ts";
import type { PathStep } from "./template.ts";

/** The schema of the place; `unsaid`: anything may be there; `none`: the schema lists what there is, and this isn't among it. */
export type SchemaAt = { readonly kind: "schema"; readonly schema: Json } | { readonly kind: "unsaid" } | { readonly kind: "none" };

/** Follows a path into the schema of a value; an undefined schema says nothing. */
export function schemaAt(schema: Json | undefined, steps: readonly PathStep[]): SchemaAt {
  let at = schema;
  for (const step of steps) {
    if (!isJsonObject(at) || NOT_FOLLOWED.some((word) => Object.hasOwn(at as object, word))) return { kind: "unsaid" };
    if (step.kind !== "member") {
      at = at["items"];
      continue;
    }
    const { properties, additionalProperties: others } = at;
    if (!isJsonObject(properties)) return { kind: "unsaid" };
    if (!Object.hasOwn(properties, step.name)) return { kind: others === true || isJsonObject(others) ? "unsaid" : "none" };
    at = properties[step.name];
  }
  return at === undefined ? { kind: "unsaid" } : { kind: "schema", schema: at };
}

/** Gives the one type that the schema says a place has, as `"string"`; undefined where it doesn't say, or says several. */
export function typeAt(schema: Json | undefined, steps: readonly PathStep[]): string | undefined {
  const types = typesAt(schema, steps);
  return types?.length === 1 ? types[0] : undefined;
}

/** Gives every type that the schema lets a place have; undefined where it doesn't say. */
export function typesAt(schema: Json | undefined, steps: readonly PathStep[]): readonly string[] | undefined {
  const at = schemaAt(schema, steps);
  if (at.kind !== "schema" || !isJsonObject(at.schema)) return undefined;
  const { type } = at.schema;
  if (typeof type === "string") return [type];
  const types = Array.isArray(type) ? type.filter((each) => typeof each === "string") : [];
  return types.length === 0 ? undefined : types;
}

/** Gives the schema of the state that a rule reads, from those of its tools' results. */
export function stateSchema(read: StateRead | undefined, outputOf: (call: ToolName) => Json | undefined): Json | undefined {
  if (read === undefined) return undefined;
  const schemas = readsIn(read).map(({ name = "", extract, blocks, ...call }) => {
    return [name, extract ? schemaOfFields(extract) : ((blocks ? undefined : outputOf(call)) ?? true)] as const;
  });
  return "reads" in read ? { type: "object", properties: objectFrom(schemas) } : schemas[0]?.[1];
}

/** Gives the schema of a rule's `$result`, from that of its tool's result. */
export function resultSchema({ resultFields }: Pick<Rule, "resultFields">, output: Json | undefined): Json | undefined {
  return resultFields === undefined ? output : schemaOfFields(resultFields);
}

function schemaOfFields(fields: Patterns): Json {
  return { type: "object", properties: objectFrom(Object.keys(fields).map((field) => [field, { type: "string" }] as const)) };
}

const NOT_FOLLOWED = ["$ref", "allOf", "anyOf", "oneOf"];
