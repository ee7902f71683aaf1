// Which arguments of a tool are repeated in headers (MCP 2026-07-28, "Custom Headers from Tool Parameters")? Those that its schema marks with
// `x-mcp-header`, if all marks are as the specification wants them. Reads schemas, changes nothing.
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { isHeaderName } from "./header-value.ts";

/** An argument that a header repeats: the path to it, and the header's name, in lower case. */
export interface ParamMark {
  readonly path: readonly string[];
  readonly header: string;
}

/** All marks of a schema; or why they are against the rules, so that a client by HTTP must not offer the tool. */
export type ParamMarks =
  | { readonly kind: "marks"; readonly marks: readonly ParamMark[] }
  | { readonly kind: "broken"; readonly why: string };

const MARK = "x-mcp-header";
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** Keywords below which a schema, or several, stand: no argument is certain to be there (JSON Schema 2020-12, section 10). */
const SINGLE = ["items", "contains", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "propertyNames"];
const BRANCHES = ["prefixItems", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"];
const NAMED = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/** Reads the marks of a tool's inputSchema. */
export function readParamMarks(inputSchema: Json | undefined): ParamMarks {
  const found = [...marksIn(inputSchema, [])];
  for (const { schema, path, isReachable } of found) {
    const why = faultOf(schema, path.length > 0 && isReachable);
    if (why !== undefined) return { kind: "broken", why: `${[...path, MARK].join(".")} ${why}` };
  }
  const marks = found.map(({ schema, path }) => ({ path, header: `mcp-param-${String(schema[MARK]).toLowerCase()}` }));
  const twin = marks.find(({ header }, at) => marks.findIndex((other) => other.header === header) < at);
  return twin === undefined ? { kind: "marks", marks } : { kind: "broken", why: `two arguments share the header ${twin.header}` };
}

interface Marked {
  readonly schema: JsonObject;
  readonly path: readonly string[];
  /** Reached through `properties` alone. */
  readonly isReachable: boolean;
}

function* marksIn(schema: Json | undefined, path: readonly string[], isReachable = true): Generator<Marked> {
  if (Array.isArray(schema)) for (const branch of schema) yield* marksIn(branch, path, isReachable);
  if (!isJsonObject(schema)) return;
  if (Object.hasOwn(schema, MARK)) yield { schema, path, isReachable };
  for (const [name, property] of namedIn(schema["properties"])) yield* marksIn(property, [...path, name], isReachable);
  for (const keyword of [...SINGLE, ...BRANCHES]) yield* marksIn(schema[keyword], [...path, keyword], false);
  for (const keyword of NAMED) for (const [name, named] of namedIn(schema[keyword])) yield* marksIn(named, [...path, keyword, name], false);
}

function namedIn(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function faultOf(schema: JsonObject, isReachable: boolean): string | undefined {
  const mark = schema[MARK];
  if (!isReachable) return "stands where the argument isn't certain to be";
  if (typeof mark !== "string" || !isHeaderName(mark)) return "is no name of a header";
  return TYPES.includes(schema["type"]) ? undefined : "marks what is neither string, integer nor boolean";
}
