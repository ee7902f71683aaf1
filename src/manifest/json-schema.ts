// What can an editor know of a manifest? The JSON Schema of the format, made from the description by which the loader goes. It says less than
// the loader: nothing of how the parts fit together.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../core/json.ts";
import { MANIFEST } from "./shape.ts";
import type { ObjectShape, Shape } from "./shape-kinds.ts";

/** The name of the schema's file beside a manifest. */
export const SCHEMA_FILE = "synartesis.schema.json";

/** The comment by which editors find the schema that lies beside a manifest. */
export const SCHEMA_LINE = `# yaml-language-server: $schema=./${SCHEMA_FILE}`;

const TITLE = "synartesis.yaml";

/** Makes the schema, as draft-07: what editors' YAML support knows. */
export function manifestSchema(): JsonObject {
  const definitions = new Map<string, JsonObject>();
  const whole = schemaOf(MANIFEST, definitions);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: TITLE,
    description: "What undo can do about the tools of MCP servers.",
    ...whole,
    definitions: objectFrom(definitions),
  };
}

/** Tells whether a text is this schema, of any version. */
export function isManifestSchema(text: string): boolean {
  try {
    const parsed = JSON.parse(text) as Json; // JSON.parse gives nothing else
    return isJsonObject(parsed) && parsed["title"] === TITLE && isJsonObject(parsed["definitions"]);
  } catch {
    return false;
  }
}

type Definitions = Map<string, JsonObject>;

function schemaOf(shape: Shape, definitions: Definitions): JsonObject {
  switch (shape.kind) {
    case "text":
      return { type: "string", ...(shape.oneOf && { enum: shape.oneOf }), ...(shape.mayBeEmpty ? {} : { minLength: 1 }) };
    case "number":
      return { const: shape.only };
    case "count":
      return { type: "integer", minimum: 1 };
    case "schema":
      return { type: "object" };
    case "true":
      return { const: true };
    case "duration":
      return { type: "string", pattern: "^[0-9]{1,9}(ms|s|m|h|d)$" };
    case "texts":
      return oneOrMore({ type: "string", minLength: 1 }, shape.mayBeEmpty);
    case "one-or-more":
      return oneOrMore(referTo(shape.items, definitions));
    case "list":
      return { type: "array", items: referTo(shape.items, definitions) };
    case "map":
      return { type: "object", additionalProperties: referTo(shape.values, definitions) };
    case "template":
      return { anyOf: [{ type: "object" }, { type: "string", pattern: "^\\$" }] };
    case "value":
      return { not: { type: "null" } };
    case "any":
      return {};
    case "texts-or":
      return { anyOf: [...oneOrMore({ type: "string", minLength: 1 }, true).anyOf, referTo(shape.more, definitions)] };
    case "named": {
      const one = referTo(shape.one, definitions);
      const names = { propertyNames: { not: { enum: Object.keys(shape.one.keys) } }, minProperties: 1 };
      return { anyOf: [one, { type: "object", additionalProperties: one, ...names }] };
    }
    case "object":
      return objectSchema(shape, definitions);
  }
}

function oneOrMore(item: JsonObject, orNone = false): { readonly anyOf: readonly JsonObject[] } {
  return { anyOf: [item, { type: "array", items: item, ...(orNone ? {} : { minItems: 1 }) }] };
}

/** What comes up in several places stands once. */
function referTo(shape: Shape, definitions: Definitions): JsonObject {
  if (shape.kind !== "object") return schemaOf(shape, definitions);
  const name = shape.name.replace(/^an? /, "").replaceAll("`", "").replaceAll(" ", "-");
  const schema = objectSchema(shape, definitions);
  const first = definitions.get(name);
  if (first !== undefined && !Bun.deepEquals(first, schema)) throw new TypeError(`two parts of a manifest are called ${shape.name}`);
  definitions.set(name, schema);
  return { $ref: `#/definitions/${name}` };
}

function objectSchema({ keys }: ObjectShape, definitions: Definitions): JsonObject {
  const properties = Object.entries(keys).map(([name, { shape, about }]) => {
    const schema = referTo(shape, definitions);
    // Beside a $ref nothing else counts in draft-07.
    return [name, Object.hasOwn(schema, "$ref") ? { description: about, allOf: [schema] } : { description: about, ...schema }] as const;
  });
  const required = Object.entries(keys).flatMap(([name, key]) => (key.required ? [name] : []));
  return { type: "object", additionalProperties: false, properties: objectFrom(properties), ...(required.length > 0 && { required }) };
}
