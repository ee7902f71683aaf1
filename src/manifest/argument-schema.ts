// Are arguments as a rule's `args` wants them? By a library for JSON Schema (2020-12, the dialect of MCP), which is loaded where a rule has
// one and nowhere else. What is wrong is said by place and constraint, never with the value itself: it may be a secret.
import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { canonicalJson, isExactNumber, isJsonObject, type Json, type JsonObject, objectFrom, printJson } from "../core/json.ts";
import { compiledPattern } from "../core/re2.ts";
import { decimalOf, sameScalar } from "../core/same-scalar.ts";
import { comparesNumbers, keywordProblems, type SchemaProblem } from "./schema-keywords.ts";

/** More would only hide the first ones. */
const MOST_SAID = 5;
/** Of what would be accepted in a place, in characters. */
const LONGEST_SHOWN = 300;

/** A schema, ready to judge. */
interface Compiled {
  readonly validate: ValidateFunction;
  readonly comparesNumbers: boolean;
}

const compiled = new WeakMap<JsonObject, Compiled>();
let library: Ajv2020 | undefined;

/** `ownProperties`: what every object of the language inherits is no member of the arguments. */
const OPTIONS = { allErrors: true, verbose: true, strict: true, strictTypes: false, strictRequired: false, ownProperties: true } as const;

function validator(): Ajv2020 {
  if (library !== undefined) return library;
  // Its own type: `require` has none, and an import would load it for every manifest.
  const { Ajv2020: Validator } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  library = new Validator({ ...OPTIONS, logger: false, code: { regExp: Object.assign(patternEngine, { code: "patternEngine" }) } });
  library.removeKeyword("uniqueItems"); // its own takes quadratic time, and goes by inherited members
  library.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isWanted: boolean, list: readonly Json[]) => !isWanted || new Set(list.map(canonicalJson)).size === list.length,
  });
  return library;
}

/** The validator tells patterns apart by their `toString`, which must give the pattern. */
function patternEngine(pattern: string): { test(text: string): boolean; toString(): string } {
  const read = compiledPattern(pattern);
  return { test: (text) => read.test(text), toString: () => pattern };
}

/** Tells what keeps a schema from being used; empty where nothing does. */
export function schemaProblems(schema: JsonObject): readonly SchemaProblem[] {
  try {
    const ajv = validator();
    if (!ajv.validateSchema(schema)) {
      const [first] = ajv.errors ?? [];
      return [{ path: stepsOf(first?.instancePath ?? ""), reason: first?.message ?? "it is no JSON Schema" }];
    }
    const found = keywordProblems(schema);
    if (found.length === 0) compile(schema);
    return found;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return [{ path: [], reason: words.replace(/^strict mode: /, "") }];
  }
}

/** Says in which way arguments aren't as a schema wants them, and what would be; undefined where they are. */
export function outsideOf(schema: JsonObject, args: Json): string | undefined {
  const { validate, comparesNumbers } = compile(schema);
  const place = comparesNumbers ? inexactIn(args) : undefined;
  if (place !== undefined) return `$${place} is a number with more digits than can be compared`;
  if (validate(asNumbers(args)) === true) return undefined;
  const errors = validate.errors ?? [];
  // What isn't accepted in a case is said by itself as well.
  const said = errors.filter(({ keyword }) => keyword !== "if" || errors.length === 1).map(errorText);
  const more = said.length > MOST_SAID ? [`and ${said.length - MOST_SAID} more`] : [];
  return [...said.slice(0, MOST_SAID), ...more].join("; ");
}

function compile(schema: JsonObject): Compiled {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = { validate: validator().compile(schema), comparesNumbers: comparesNumbers(schema) };
  compiled.set(schema, made);
  return made;
}

/** In the library's words, but for those that only its own users understand. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  const: "isn't what is accepted",
  enum: "isn't one of what is accepted",
  not: "is just what isn't accepted",
  anyOf: "isn't any of what is accepted",
  oneOf: "has to be exactly one of what is accepted",
  if: "isn't what is accepted in this case",
  propertyNames: "has a name that isn't accepted",
  additionalProperties: "has a member that isn't accepted",
  unevaluatedProperties: "has a member that isn't accepted",
  uniqueItems: "has an element twice",
};

/** The members of what the library says by which it names a member of the arguments. */
const NAMING = ["additionalProperty", "unevaluatedProperty", "propertyName"] as const;

function errorText({ instancePath, message, parentSchema, params, keyword }: ErrorObject): string {
  const place = ["$", ...stepsOf(instancePath)].join(".");
  if (keyword === "false schema") return `${place} isn't accepted here`;
  const named = NAMING.map((name) => params[name]).find((name) => name !== undefined);
  const name = named === undefined ? "" : ` (${printJson(String(named))})`;
  const accepted = printJson((parentSchema ?? {}) as Json); // it was given to us as JSON
  const shown = accepted.length > LONGEST_SHOWN ? `${accepted.slice(0, LONGEST_SHOWN)}...` : accepted;
  return `${place} ${OWN_WORDS[keyword] ?? message ?? "isn't accepted"}${name}; accepted there: ${shown}`;
}

/** A JSON pointer (RFC 6901) as steps. */
function stepsOf(pointer: string): (string | number)[] {
  const names = pointer.split("/").slice(1);
  return names.map((name) => (/^\d+$/.test(name) ? Number(name) : name.replaceAll("~1", "/").replaceAll("~0", "~")));
}

/** Finds where a number is that would be another one as a number of the language: it could be on the other side of a limit. */
function inexactIn(value: Json): string | undefined {
  if (isExactNumber(value)) return sameScalar(value, Number(value.rawJSON)) ? undefined : "";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = inexactIn(member);
    if (found !== undefined) return `.${name}${found}`;
  }
  return undefined;
}

/** The library knows no numbers but those of the language. One that is none of them is only asked for its type: whether it is whole. */
function asNumbers(value: Json): Json {
  if (isExactNumber(value)) {
    const number = Number(value.rawJSON);
    return sameScalar(value, number) ? number : decimalOf(value)?.includes("e-") ? 0.5 : 0;
  }
  if (Array.isArray(value)) return value.map(asNumbers);
  if (!isJsonObject(value)) return value;
  return objectFrom(Object.entries(value).map(([name, member]) => [name, asNumbers(member)] as const));
}
