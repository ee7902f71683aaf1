// How do we change one place of a message and leave every other byte as it came? By finding its span and putting bytes there.
// Never re-encodes. Of two equal keys the last counts, as in JSON.parse.
import { letGo } from "../core/large.ts";
import { decodeString, eachElement, eachMember, encodeKey, type Span, skipSpace, skipValue, spells } from "./json-scan.ts";
import { joined } from "./lines.ts";

const encoder = new TextEncoder();

/** Finds the value of the member at the path (object members only; an empty path is the whole value). Undefined where there is none. */
export function memberSpan(bytes: Uint8Array, path: readonly string[]): Span | undefined {
  const start = skipSpace(bytes, 0);
  if (path.length === 0) {
    const end = skipValue(bytes, start);
    return end === -1 ? undefined : { start, end };
  }
  let span: Span = { start, end: bytes.length };
  for (const name of path) {
    const key = encodeKey(name);
    let found: Span | undefined;
    const close = eachMember(bytes, span.start, (member) => {
      if (spells(bytes, member.key, key)) found = member.value;
    });
    if (close === -1 || found === undefined) return undefined;
    span = found;
  }
  return span;
}

/** Replaces the value at the path by other JSON bytes. Undefined where there is none. */
export function replaceMember(bytes: Uint8Array, path: readonly string[], value: Uint8Array): Uint8Array | undefined {
  const span = memberSpan(bytes, path);
  if (span === undefined) return undefined;
  return joined([bytes.subarray(0, span.start), value, bytes.subarray(span.end)]);
}

/** Values to be put in place of those at the paths, as JSON texts. A path that leads nowhere is passed over. */
type Replaced = readonly (readonly [path: readonly string[], text: string])[];

/** Replaces the values at several paths in one copy, since messages may be large. */
export function replaceMembers(bytes: Uint8Array, replaced: Replaced): Uint8Array {
  const pieces = replacedPieces(bytes, replaced);
  if (pieces.length === 1) return bytes;
  letGo(bytes.length);
  return joined(pieces);
}

/** The same without any copy: what stays as it is are views of the bytes, between them what is new. */
export function replacedPieces(bytes: Uint8Array, replaced: Replaced): readonly Uint8Array[] {
  const found = replaced.flatMap(([path, text]): [Span, string][] => {
    const span = memberSpan(bytes, path);
    return span === undefined ? [] : [[span, text]];
  });
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const [span, text] of found.sort(([a], [b]) => a.start - b.start)) {
    pieces.push(bytes.subarray(at, span.start), encoder.encode(text));
    at = span.end;
  }
  return [...pieces, bytes.subarray(at)];
}

/** Adds a member at the end of the object at the path; whoever calls it has seen that the key isn't there. Undefined where there is no object. */
export function insertMember(bytes: Uint8Array, path: readonly string[], key: string, value: Uint8Array): Uint8Array | undefined {
  const span = memberSpan(bytes, path);
  if (span === undefined || bytes[span.start] !== 0x7b) return undefined;
  const close = span.end - 1;
  const isEmpty = skipSpace(bytes, span.start + 1) === close;
  const prefix = encoder.encode(`${isEmpty ? "" : ","}${JSON.stringify(key)}:`);
  return joined([bytes.subarray(0, close), prefix, value, bytes.subarray(close)]);
}

/** Adds text at the end of the JSON string at the path. Undefined where there is no string. */
export function appendToString(bytes: Uint8Array, path: readonly string[], text: string): Uint8Array | undefined {
  const span = memberSpan(bytes, path);
  if (span === undefined || bytes[span.start] !== 0x22) return undefined;
  const close = span.end - 1;
  return joined([bytes.subarray(0, close), encoder.encode(JSON.stringify(text).slice(1, -1)), bytes.subarray(close)]);
}

/** Puts text at the beginning of the JSON string at the path. Undefined where there is no string. */
export function prependToString(bytes: Uint8Array, path: readonly string[], text: string): Uint8Array | undefined {
  const span = memberSpan(bytes, path);
  if (span === undefined || bytes[span.start] !== 0x22) return undefined;
  const first = span.start + 1;
  return joined([bytes.subarray(0, first), encoder.encode(JSON.stringify(text).slice(1, -1)), bytes.subarray(first)]);
}

/** Gives the members of the object at the path, each with the bytes of its value; none where there is no object. */
export function membersOf(bytes: Uint8Array, path: readonly string[]): readonly (readonly [string, Uint8Array])[] {
  const span = memberSpan(bytes, path);
  const members = new Map<string, Uint8Array>();
  if (span === undefined) return [];
  eachMember(bytes, span.start, ({ key, value }) => {
    const name = decodeString(bytes, key);
    if (name !== undefined) members.set(name, bytes.subarray(value.start, value.end));
  });
  return [...members];
}

/** Gives the bytes of each element of a JSON array, or of as many as are whole. */
export function elementsOf(bytes: Uint8Array): readonly Uint8Array[] {
  const elements: Uint8Array[] = [];
  eachElement(bytes, ({ start, end }) => elements.push(bytes.subarray(start, end)));
  return elements;
}
