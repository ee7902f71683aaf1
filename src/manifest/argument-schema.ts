// Are arguments as a rule's `args` wants them? By a library for JSON Schema (2020-12, the dialect of MCP), which is loaded where a rule has
// one and nowhere else. What is wrong is said by place and constraint, never with the value itself: it may be a secret.
import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { isExactNumber, isJsonObject, type Json, type JsonObject, objectFrom, printJson } from "../core/json.ts";

/** What is wrong with a schema itself: where in it, and what. */
export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** More would only hide the first ones. */
const MOST_SAID = 5;
/** Of what would be accepted in a place, in characters. */
const LONGEST_SHOWN = 300;

const compiled = new WeakMap<JsonObject, ValidateFunction>();
let library: Ajv2020 | undefined;

function validator(): Ajv2020 {
  if (library !== undefined) return library;
  // Its own type: `require` has none, and an import would load it for every manifest.
  const { Ajv2020: Validator } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  library = new Validator({ allErrors: true, verbose: true, strict: true, strictTypes: false, strictRequired: false, logger: false });
  return library;
}

/** Tells what keeps a schema from being used; empty where nothing does. */
export function schemaProblems(schema: JsonObject): readonly SchemaProblem[] {
  const ajv = validator();
  if (!ajv.validateSchema(schema)) {
    const [first] = ajv.errors ?? [];
    return [{ path: stepsOf(first?.instancePath ?? ""), reason: first?.message ?? "it is no JSON Schema" }];
  }
  try {
    compile(schema);
    return [];
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return [{ path: [], reason: words.replace(/^strict mode: /, "") }];
  }
}

/** Says in which way arguments aren't as a schema wants them, and what would be; undefined where they are. */
export function outsideOf(schema: JsonObject, args: Json): string | undefined {
  const validate = compile(schema);
  if (validate(asNumbers(args))) return undefined;
  const errors = validate.errors ?? [];
  // What isn't accepted in a case is said by itself as well.
  const said = errors.filter(({ keyword }) => keyword !== "if" || errors.length === 1).map(errorText);
  const more = said.length > MOST_SAID ? [`and ${said.length - MOST_SAID} more`] : [];
  return [...said.slice(0, MOST_SAID), ...more].join("; ");
}

function compile(schema: JsonObject): ValidateFunction {
  const validate = compiled.get(schema) ?? validator().compile(schema);
  compiled.set(schema, validate);
  return validate;
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

/** The library knows no numbers but those of the language: a schema's limits are such numbers too. */
function asNumbers(value: Json): Json {
  if (isExactNumber(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(asNumbers);
  if (!isJsonObject(value)) return value;
  return objectFrom(Object.entries(value).map(([name, member]) => [name, asNumbers(member)] as const));
}
