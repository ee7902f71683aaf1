// How do we hold JSON without losing any of it? Numbers whose digits a double would change stay as written
// (JSON.rawJSON), `__proto__` is an ordinary key, lone surrogates survive. Never copy an object with `target[key] = value`.

/** A number kept as the digits it was written with; `JSON.stringify` prints them unchanged. */
export interface ExactNumber {
  readonly rawJSON: string;
}
export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

interface ExactJson {
  parse(text: string, reviver?: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): boolean;
}
// The engine has these (ECMAScript "JSON.parse source text access"); the standard typings do not yet.
const exact = JSON as unknown as ExactJson;

/** Where a number might print otherwise than it was written: many digits, a trailing zero after the point (not before a quote: "2.0" is a text), an exponent, -0. */
const SUSPECT_NUMBER = /\d[\d.]{15}|\.\d*0(?![\d"])|\d[eE][+-]?\d|-0(?!\d)/;

/** Tells whether the value is a number kept by its digits. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return exact.isRawJSON(value);
}

/** Tells whether the value is a JSON object (not a list, not null, not an exact number). */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}

/** Parses JSON text exactly. @throws SyntaxError if the text is no JSON. */
export function parseJson(text: string): Json {
  // A reviver makes parsing several times slower, so it is used only where a number may need it.
  if (!SUSPECT_NUMBER.test(text)) return exact.parse(text) as Json;
  return exact.parse(text, (_key, value, context) =>
    typeof value === "number" && context.source !== undefined && String(value) !== context.source ? exact.rawJSON(context.source) : value,
  ) as Json;
}

/** Prints a value as compact JSON with its members in their own order and its numbers with their own digits. */
export function printJson(value: Json): string {
  return JSON.stringify(value);
}

/** Prints a value in canonical form: members sorted by UTF-16 code units at every depth (RFC 8785 order), numbers with their own digits. */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  let members = "";
  for (const key of Object.keys(value).sort()) {
    members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`;
  }
  return `{${members}}`;
}

/** Builds an object from members without ever invoking a setter, so that `__proto__` is an ordinary key. */
export function objectFrom(members: Iterable<readonly [string, Json]>): JsonObject {
  return Object.fromEntries(members);
}
