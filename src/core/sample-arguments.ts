// What would a call of a tool look like, as far as its inputSchema says? The members that it requires, and no others. What a schema can't say
// (that an id has to be one that exists) isn't guessed.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "./json.ts";
import type { PathStep } from "./template.ts";

/** Makes arguments; `unique` gives another text each time it is asked. */
export function sampleArguments(inputSchema: Json, unique: () => string): JsonObject {
  const value = valueFor(inputSchema, { root: inputSchema, unique, depth: 0 });
  return isJsonObject(value) ? value : {};
}

/** Gives arguments in which one place, a member within members, has this value. */
export function withArgument(args: JsonObject, steps: readonly PathStep[], value: Json): JsonObject {
  const [first, ...rest] = steps;
  if (first?.kind !== "member") return args;
  const inner = args[first.name];
  return { ...args, [first.name]: rest.length === 0 ? value : withArgument(isJsonObject(inner) ? inner : {}, rest, value) };
}

interface Scope {
  /** What `#/...` starts from. */
  readonly root: Json;
  readonly unique: () => string;
  readonly depth: number;
}

/** A schema that refers to itself is followed so far. */
const DEEPEST = 8;

function valueFor(schema: Json | undefined, scope: Scope): Json {
  if (!isJsonObject(schema) || scope.depth > DEEPEST) return scope.unique();
  const given = givenValue(schema);
  if (given !== undefined) return given;
  const inner = { ...scope, depth: scope.depth + 1 };
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  if (typeof $ref === "string") return valueFor(referred($ref, scope.root), inner);
  const [choice] = [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : [])).filter((each) => !isNull(each));
  const parts = [...(Array.isArray(allOf) ? allOf : []), ...(choice === undefined ? [] : [choice])].filter(isJsonObject);
  if (parts.length > 0) return valueFor(joined([own, ...parts.map((part) => followed(part, scope.root))]), inner);
  switch (typeOf(own)) {
    case "object":
      return objectOf(own, inner);
    case "array":
      return listOf(own, inner);
    case "number":
    case "integer":
      return numberOf(own);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return textOf(own, scope.unique);
  }
}

function isNull(schema: Json): boolean {
  return isJsonObject(schema) && schema["type"] === "null";
}

/** What the schema itself proposes. */
function givenValue({ const: only, enum: choices, default: usual, examples }: JsonObject): Json | undefined {
  if (only !== undefined) return only;
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0];
  if (usual !== undefined && usual !== null) return usual;
  return Array.isArray(choices) ? choices[0] : undefined;
}

function followed(schema: JsonObject, root: Json): JsonObject {
  const found = typeof schema["$ref"] === "string" ? referred(schema["$ref"], root) : undefined;
  return isJsonObject(found) ? found : schema;
}

function referred(pointer: string, root: Json): Json | undefined {
  const names = pointer.replace(/^#\/?/, "").split("/");
  let at: Json | undefined = root;
  for (const name of names.filter((each) => each !== "")) {
    const plain = name.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) && Object.hasOwn(at, plain) ? at[plain] : undefined;
  }
  return at;
}

/** What several schemas say together; of what two say, `properties` and `required` add up, and the later one has the rest. */
function joined(schemas: readonly JsonObject[]): JsonObject {
  const properties = schemas.flatMap(({ properties: each }) => (isJsonObject(each) ? Object.entries(each) : []));
  const required = schemas.flatMap(({ required: each }) => (Array.isArray(each) ? each : []));
  const members = properties.length === 0 ? {} : { properties: objectFrom(properties), required };
  return { ...Object.assign({}, ...schemas), ...members };
}

function typeOf({ type, properties, items }: JsonObject): Json | undefined {
  if (Array.isArray(type)) return type.find((each) => each !== "null");
  if (type !== undefined) return type;
  if (properties !== undefined) return "object";
  return items === undefined ? undefined : "array";
}

function objectOf({ properties, required }: JsonObject, scope: Scope): JsonObject {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const schemas = isJsonObject(properties) ? properties : {};
  return objectFrom(names.map((name) => [name, valueFor(Object.hasOwn(schemas, name) ? schemas[name] : undefined, scope)] as const));
}

function listOf({ items, prefixItems, minItems, maxItems }: JsonObject, scope: Scope): Json {
  if (Array.isArray(prefixItems)) return prefixItems.map((item) => valueFor(item, scope));
  const length = Math.min(Math.max(Number(minItems ?? 1), 1), Number(maxItems ?? 10));
  return Array.from({ length }, () => valueFor(items, scope));
}

function numberOf({ minimum, exclusiveMinimum, maximum, multipleOf }: JsonObject): Json {
  if (typeof multipleOf === "number") return multipleOf * Math.ceil(Number(minimum ?? 1) / multipleOf);
  if (typeof minimum === "number") return minimum;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  return typeof maximum === "number" && maximum < 1 ? maximum : 1;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "2030-01-15",
  time: "10:00:00Z",
  "date-time": "2030-01-15T10:00:00Z",
  duration: "PT1H",
  uuid: "3f0e8c54-5d3a-4c0a-9a55-0d6c9a1f7b20",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
};

function textOf({ format, minLength, maxLength }: JsonObject, unique: () => string): string {
  if (typeof format === "string" && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? "";
  const text = unique();
  if (format === "email") return `${text}@drill.example`;
  if (format === "uri" || format === "url") return `https://drill.example/${text}`;
  if (format === "hostname") return `${text}.drill.example`;
  const padded = text.padEnd(Number(minLength ?? 0), "x");
  return typeof maxLength === "number" ? padded.slice(-maxLength) : padded;
}
