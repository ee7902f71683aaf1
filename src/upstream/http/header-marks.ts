// Which arguments of a tool does its schema mark for a header, and may it (MCP 2026-07-28, "Custom Headers from Tool Parameters")? A mark that is
// against the rules makes the whole tool invalid: whoever speaks HTTP to its server may not offer it.
import { isJsonObject, type Json } from "../../core/json.ts";
import { isHeaderName } from "../../wire/http/header-value.ts";

/** An argument that is repeated in a header: the path to it, and the header's name after `Mcp-Param-`. */
export interface Marked {
  readonly path: readonly string[];
  readonly header: string;
}

/** What a schema marks, or why it mustn't. */
export type HeaderMarks =
  | { readonly kind: "valid"; readonly marked: readonly Marked[] }
  | { readonly kind: "invalid"; readonly why: string };

/** Keywords whose value is a schema or a list of them, and those whose value is schemas by name; `properties` apart, since only it leads to an argument. */
const SUBSCHEMAS = [
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames"],
  ...["oneOf", "anyOf", "allOf", "not", "if", "then", "else"],
];
const NAMED_SUBSCHEMAS = ["patternProperties", "dependentSchemas", "$defs", "definitions"];
const TYPES: readonly Json[] = ["string", "integer", "boolean"];

/** A mark as it stands in a schema. */
export interface Mark {
  /** The way to the argument; null where no chain of `properties` leads to one. */
  readonly path: readonly string[] | null;
  /** What it says, by right the name of a header. */
  readonly header: Json;
  readonly type: Json;
}

/** Reads the marks of a tool's `inputSchema`, and judges them. */
export function headerMarks(inputSchema: Json): HeaderMarks {
  const marked: Marked[] = [];
  const names = new Set<string>();
  for (const { path, header, type } of marksIn(inputSchema)) {
    const invalid = (why: string): HeaderMarks => ({ kind: "invalid", why });
    if (typeof header !== "string" || !isHeaderName(header)) return invalid(`${JSON.stringify(header)} can't be part of a header's name`);
    if (path === null) return invalid(`${header} stands where no argument is`);
    if (!TYPES.includes(type)) return invalid(`${header} is no string, integer or boolean`);
    if (names.has(header.toLowerCase())) return invalid(`${header} stands twice`);
    names.add(header.toLowerCase());
    marked.push({ path, header });
  }
  return { kind: "valid", marked };
}

/** Finds every mark in a schema, wherever a schema may stand in it. `path`: the way to this schema; null where there is none. */
export function marksIn(schema: Json, path: readonly string[] | null = []): readonly Mark[] {
  if (!isJsonObject(schema)) return [];
  const own = (keyword: string) => (Object.hasOwn(schema, keyword) ? (schema[keyword] ?? null) : null);
  const elsewhere = [...SUBSCHEMAS.flatMap((keyword) => schemasIn(own(keyword))), ...NAMED_SUBSCHEMAS.map(own).flatMap(valuesOf)];
  const properties = own("properties");
  const mark = { path: path?.length === 0 ? null : path, header: own("x-mcp-header"), type: own("type") };
  return [
    ...(Object.hasOwn(schema, "x-mcp-header") ? [mark] : []),
    ...(isJsonObject(properties) ? Object.entries(properties) : []).flatMap(([name, value]) => marksIn(value, path && [...path, name])),
    ...elsewhere.flatMap((value) => marksIn(value, null)),
  ];
}

function schemasIn(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

function valuesOf(value: Json): readonly Json[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
