// How is a large JSON text parsed without being a text first? Its long strings are decoded where they stand, each by itself; what is around
// them is small. Means exactly what parseJson means.
import { isExactNumber, isJsonObject, type Json, objectFrom, parseJson } from "../core/json.ts";
import { LARGE, letGo } from "../core/large.ts";
import { type Span, skipSpace, skipString } from "./json-scan.ts";

/** Strings from this many bytes on are long. */
const LONG = 64 * 1024;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
// What may not stand in a JSON string as it is (RFC 8259, section 7).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\x00-\x1f]/;
/** Long strings are decoded in parts of this many bytes. */
const PART = 1024 * 1024;
const PARTS_TO_LET_GO = LARGE / PART;
/** In bytes: \u and four digits. */
const LONGEST_ESCAPE = 6;
const LONGEST_CHARACTER = 4;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Parses JSON text in UTF-8 exactly. @throws SyntaxError if the bytes are no JSON */
export function parseLarge(bytes: Uint8Array): Json {
  // Nobody can have written it into the text by chance or on purpose.
  const mark = crypto.randomUUID();
  const long = longStrings(bytes);
  let around = "";
  let at = 0;
  long.forEach(({ start, end }, index) => {
    around += `${decoder.decode(bytes.subarray(at, start))}"${mark}${index}"`;
    at = end;
  });
  const value = parseJson(around + decoder.decode(bytes.subarray(at)));
  return long.length === 0 ? value : filled(value, mark, (index) => decodeLong(bytes, long[index] as Span)); // the marks are its indexes
}

/** Finds the long strings that are values. */
function longStrings(bytes: Uint8Array): readonly Span[] {
  const found: Span[] = [];
  for (let start = bytes.indexOf(QUOTE); start !== -1; ) {
    const end = skipString(bytes, start);
    if (end === -1) break;
    if (end - start >= LONG && bytes[skipSpace(bytes, end)] !== COLON) found.push({ start, end });
    start = bytes.indexOf(QUOTE, end);
  }
  return found;
}

/** Decodes what stands between the quotes; with escapes in parts: the engine would need room for several copies of the whole. */
function decodeLong(bytes: Uint8Array, { start, end }: Span): string {
  const inside = bytes.subarray(start + 1, end - 1);
  if (!inside.includes(BACKSLASH)) {
    const text = decoder.decode(inside);
    if (CONTROL.test(text)) throw new SyntaxError("a control character in a string");
    return text;
  }
  const parts: string[] = [];
  for (let at = 0; at < inside.length; ) {
    const stop = endOfPart(inside, at);
    parts.push(JSON.parse(`"${decoder.decode(inside.subarray(at, stop))}"`) as string); // a string in quotes
    if (parts.length % PARTS_TO_LET_GO === 0) letGo(LARGE);
    at = stop;
  }
  const text = parts.join("");
  parts.length = 0;
  letGo(text.length);
  return text;
}

/** Where a part ends: never inside of an escape or of a character. */
function endOfPart(inside: Uint8Array, at: number): number {
  const end = at + PART;
  if (end >= inside.length) return inside.length;
  const backslash = inside.lastIndexOf(BACKSLASH, end - 1);
  if (backslash > end - LONGEST_ESCAPE) {
    let first = backslash;
    while (first > at && inside[first - 1] === BACKSLASH) first--;
    if ((backslash - first) % 2 === 0) return backslash;
  }
  let stop = end;
  while (stop > end - LONGEST_CHARACTER && ((inside[stop] as number) & 0xc0) === 0x80) stop--; // in range: below the length
  return stop;
}

function filled(value: Json, mark: string, take: (index: number) => string): Json {
  if (typeof value === "string") return value.startsWith(mark) ? take(Number(value.slice(mark.length))) : value;
  if (isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((element) => filled(element, mark, take));
  if (!isJsonObject(value)) return value;
  return objectFrom(Object.entries(value).map(([key, member]) => [key, filled(member, mark, take)] as const));
}
