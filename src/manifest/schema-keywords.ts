// What in a rule's `args` would not hold whatever an agent sends? Walks a JSON Schema (2020-12) before it is compiled: extensions of the
// library's own, references that have no end, patterns that aren't RE2's. Never judges values; see argument-schema.ts.
import { isExactNumber, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { unreadablePattern } from "../core/re2.ts";

/** What is wrong with a schema itself: where in it, and what. */
export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** What stands behind a keyword: a schema, a list of them, a mapping by names to them, or no schema at all. */
type Holds = "schema" | "list" | "names" | "value";

const KEYWORDS = new Map<string, Holds>(
  Object.entries({
    schema: "items contains additionalProperties propertyNames not if then else unevaluatedItems unevaluatedProperties contentSchema",
    list: "allOf anyOf oneOf prefixItems",
    names: "properties patternProperties dependentSchemas dependentRequired $defs",
    value:
      "$ref $schema $comment type enum const maximum minimum exclusiveMaximum exclusiveMinimum multipleOf maxLength minLength pattern maxItems " +
      "minItems uniqueItems maxContains minContains maxProperties minProperties required format title description default deprecated readOnly " +
      "writeOnly examples contentEncoding contentMediaType",
  } satisfies Record<Holds, string>).flatMap(([holds, names]) => names.split(" ").map((name) => [name, holds as Holds] as const)), // its keys
);

/** A schema within a schema. */
interface Place {
  readonly path: SchemaProblem["path"];
  readonly schema: JsonObject;
}

/** Tells what a schema says that can't be held to; empty where nothing is. The schema is one by its own meta-schema. */
export function keywordProblems(schema: JsonObject): readonly SchemaProblem[] {
  const places = placesIn(schema, []);
  return [...places.flatMap((place) => [...unknownKeywords(place), ...unreadableNames(place)]), ...wrongReferences(places)];
}

/** Tells whether a schema compares numbers, or values in which there are some. */
export function comparesNumbers(schema: JsonObject): boolean {
  return placesIn(schema, []).some(
    (place) => COMPARING.some((name) => place.schema[name] !== undefined) || VALUES.some((name) => holdsNumber(place.schema[name])),
  );
}

const COMPARING = ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "uniqueItems"];
const VALUES = ["const", "enum"];

function holdsNumber(value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "number";
  return isExactNumber(value) || Object.values(value).some(holdsNumber);
}

function placesIn(schema: Json, path: SchemaProblem["path"]): readonly Place[] {
  if (!isJsonObject(schema)) return []; // true or false
  const inner = Object.entries(schema).flatMap(([keyword, value]) => {
    const holds = KEYWORDS.get(keyword);
    const at = [...path, keyword];
    if (holds === "schema") return placesIn(value, at);
    if (holds === "list" && Array.isArray(value)) return value.flatMap((each, index) => placesIn(each, [...at, index]));
    return holds === "names" && isJsonObject(value) ? Object.entries(value).flatMap(([name, each]) => placesIn(each, [...at, name])) : [];
  });
  return [{ path, schema }, ...inner];
}

function unknownKeywords({ path, schema }: Place): readonly SchemaProblem[] {
  const unknown = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
  return unknown.map((keyword) => ({ path: [...path, keyword], reason: `unknown keyword \`${keyword}\`` }));
}

function unreadableNames({ path, schema }: Place): readonly SchemaProblem[] {
  const patterns = [
    ...(typeof schema["pattern"] === "string" ? [[schema["pattern"], ["pattern"]] as const] : []),
    ...namesIn(schema["patternProperties"]).map((name) => [name, ["patternProperties", name]] as const),
  ];
  const unreadable = patterns.flatMap(([pattern, at]) => {
    const trouble = unreadablePattern(pattern);
    return trouble === undefined ? [] : [{ path: [...path, ...at], reason: `a pattern has RE2's syntax: ${trouble}` }];
  });
  // The library passes over this name without a word.
  const passedOver = [...KEYWORDS]
    .filter(([keyword, holds]) => holds === "names" && namesIn(schema[keyword]).includes("__proto__"))
    .map(([keyword]) => ({ path: [...path, keyword, "__proto__"], reason: `\`__proto__\` can't be named in \`${keyword}\`` }));
  return [...unreadable, ...passedOver];
}

function namesIn(value: Json | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** A reference from one place to another, both as JSON pointers (RFC 6901). */
interface Leading {
  readonly from: string;
  readonly to: string | undefined;
  readonly path: SchemaProblem["path"];
}

/** One that leads back to itself would be followed as deep as the arguments go. */
function wrongReferences(places: readonly Place[]): readonly SchemaProblem[] {
  const known = new Set(places.map(({ path }) => pointerOf(path)));
  const all = places.flatMap(({ path, schema }): readonly Leading[] => {
    const ref = schema["$ref"];
    return typeof ref === "string" ? [{ from: pointerOf(path), to: decoded(ref), path: [...path, "$ref"] }] : [];
  });
  const elsewhere = all.filter(({ to }) => to === undefined || !known.has(to));
  const endless = elsewhere.length > 0 ? [] : endlessIn(all);
  return [
    ...elsewhere.map(({ path }) => ({ path, reason: "`$ref` must lead to a schema within this one, like `#/$defs/name`" })),
    ...endless.map(({ path }) => ({ path, reason: "`$ref` leads back to itself; write out as many levels as are accepted" })),
  ];
}

/** Gives one that closes a circle, if there is any. */
function endlessIn(all: readonly Leading[]): readonly Leading[] {
  const seen = new Map<Leading, "open" | "done">();
  const closing = (each: Leading): Leading | undefined => {
    seen.set(each, "open");
    const next = all.filter(({ from }) => `${from}/`.startsWith(`${each.to}/`));
    const found = next.some((other) => seen.get(other) === "open") ? each : firstOf(next);
    seen.set(each, "done");
    return found;
  };
  const firstOf = (some: readonly Leading[]) => {
    for (const each of some) {
      const found = seen.has(each) ? undefined : closing(each);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const found = firstOf(all);
  return found === undefined ? [] : [found];
}

function pointerOf(path: SchemaProblem["path"]): string {
  return ["#", ...path.map((step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1"))].join("/");
}

function decoded(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref);
  } catch {
    return undefined;
  }
}
