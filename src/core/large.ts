// What is done about values that are large? They are walked in parts, and their waste is let go of at once: the engine would let several copies
// pile up before it looks. What comes out is what canonicalJson gives, part by part.
import { isExactNumber, isJsonObject, type Json, type JsonObject, printJson } from "./json.ts";
import { type LongText, longTextsOf } from "./long-text.ts";

/** Values from this size on, in bytes or UTF-16 units, count as large (4 MiB). */
export const LARGE = 4 * 1024 * 1024;
/** Texts are taken in parts of this many UTF-16 units. */
const PART = 1024 * 1024;

/** Lets go of what isn't used any more, if something as large as `size` has just been made. Takes some milliseconds then. */
export function letGo(size: number): void {
  if (size >= LARGE) Bun.gc(true);
}

/** Tells whether a value is large, roughly. */
export function isLarge(value: Json | undefined): boolean {
  return roughSize(value) >= LARGE;
}

/** Estimates how much memory a value holds on to, in bytes. */
export function roughSize(value: Json | undefined): number {
  if (typeof value === "string") return value.length + 8;
  if (typeof value !== "object" || value === null) return 8;
  let size = 16;
  const long = longTextsOf(value);
  for (const key in value) size += key.length + (long?.get(key)?.size ?? roughSize((value as JsonObject)[key])); // a list has indexes for keys
  return size;
}

/** Hands out the canonical JSON of a value in parts; none is larger than some `part` units. */
export function eachCanonicalPart(value: Json, put: (text: string) => void, part = PART): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      put(index === 0 ? "[" : ",");
      putMember(value, index, put, part);
    }
    put(value.length === 0 ? "[]" : "]");
  } else if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    names.forEach((name, index) => {
      put(`${index === 0 ? "{" : ","}${printJson(name)}:`);
      putMember(value, name, put, part);
    });
    put(names.length === 0 ? "{}" : "}");
  } else if (typeof value === "string" && value.length > part && !isExactNumber(value)) {
    putText(value, put, part);
  } else put(printJson(value));
}

function putMember(holder: object, name: string | number, put: (text: string) => void, part: number): void {
  const long = longTextsOf(holder)?.get(String(name));
  if (long === undefined)
    eachCanonicalPart((holder as { readonly [key: string | number]: Json })[name] as Json, put, part); // one of its own
  else putLong(long, put);
}

function putLong(text: LongText, put: (text: string) => void): void {
  put('"');
  text.eachPart((part) => put(JSON.stringify(part).slice(1, -1)));
  put('"');
}

function putText(text: string, put: (text: string) => void, part: number): void {
  put('"');
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + part, text.length);
    // A pair that was cut would come out as two lone halves.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end += 1;
    put(JSON.stringify(text.slice(start, end)).slice(1, -1));
    // What `put` made of the parts so far has piled up.
    if (Math.floor(end / LARGE) > Math.floor(start / LARGE)) letGo(LARGE);
    start = end;
  }
  put('"');
}
