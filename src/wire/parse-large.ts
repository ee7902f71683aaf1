// How is a large JSON text parsed without being a text first? Its long strings stay bytes until somebody reads them; what is around them is
// small. Means exactly what parseJson means.
import { isExactNumber, type Json, parseJson } from "../core/json.ts";
import { LARGE, letGo } from "../core/large.ts";
import { type LongText, setLongText } from "../core/long-text.ts";
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
/** What is made of this many bytes on their way, eight times as much, may pile up. */
const MADE_AT_ONCE = 2 * PART;
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
  const texts = long.map((span) => longText(bytes, span));
  if (typeof value === "string" && texts[0] !== undefined) return texts[0].whole();
  fill(value, mark, texts);
  return value;
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

/** What stands between the quotes. @throws SyntaxError if that is no string of JSON */
function longText(bytes: Uint8Array, { start, end }: Span): LongText {
  const inside = bytes.subarray(start + 1, end - 1);
  const text = { size: inside.length, whole: keptForNow(() => wholeOf(inside)), eachPart: (put: Put) => eachPart(inside, put) };
  text.eachPart(() => undefined);
  return text;
}

/** What is read several times in a row is made once; nothing holds on to it longer. */
function keptForNow(make: () => string): () => string {
  let kept: WeakRef<{ readonly text: string }> | undefined;
  return () => {
    const made = kept?.deref() ?? { text: make() };
    kept = new WeakRef(made);
    return made.text;
  };
}

function wholeOf(inside: Uint8Array): string {
  if (!inside.includes(BACKSLASH)) return decoder.decode(inside);
  const parts: string[] = [];
  eachPart(inside, (part) => parts.push(part));
  const text = parts.join("");
  parts.length = 0;
  letGo(text.length);
  return text;
}

type Put = (part: string) => void;

function eachPart(inside: Uint8Array, put: Put): void {
  let half = "";
  for (let at = 0; at < inside.length; ) {
    const stop = endOfPart(inside, at);
    const part = half + decodePart(inside.subarray(at, stop));
    const isParted = stop < inside.length && (part.charCodeAt(part.length - 1) & 0xfc00) === 0xd800;
    half = isParted ? part.slice(-1) : "";
    put(isParted ? part.slice(0, -1) : part);
    makeRoom(stop - at);
    at = stop;
  }
}

function decodePart(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  if (text.includes("\\")) return JSON.parse(`"${text}"`) as string; // a string in quotes
  if (CONTROL.test(text)) throw new SyntaxError("a control character in a string");
  return text;
}

let decoded = 0;

/** What was made of the parts so far has piled up. */
function makeRoom(more: number): void {
  decoded += more;
  if (decoded < MADE_AT_ONCE) return;
  decoded = 0;
  letGo(LARGE);
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
  for (let stop = end; stop > end - LONGEST_CHARACTER; stop--) if (((inside[stop] as number) & 0xc0) !== 0x80) return stop; // in range: below the length
  return end; // so many in a row are no character
}

/** Puts the long strings where their marks stand. */
function fill(value: Json, mark: string, texts: readonly LongText[]): void {
  if (typeof value !== "object" || value === null || isExactNumber(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "string") fill(member, mark, texts);
    else if (member.startsWith(mark)) setLongText(value, name, texts[Number(member.slice(mark.length))] as LongText); // the marks are its indexes
  }
}
