// Where in the bytes of a JSON text does a value stand? Walks bytes without decoding or recursion. Never throws; on bytes that
// are no JSON it finds nothing or something meaningless, so only texts that were parsed are worth asking about.

/** A stretch of bytes, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
/** Longer strings are searched by the engine, which is faster than a loop but slower to start. */
const SHORT = 32;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/** Gives the index of the first byte from `at` that is no white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at;
  for (let byte = bytes[i]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[i]) i++;
  return i;
}

/** Gives the index after the closing quote of the string that opens at `at`, or -1. */
export function skipString(bytes: Uint8Array, at: number): number {
  const near = Math.min(at + SHORT, bytes.length);
  for (let i = at + 1; i < near; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) return i + 1;
    if (byte === BACKSLASH) i++;
    if (i >= near) return skipLongString(bytes, at + 1);
  }
  return skipLongString(bytes, at + 1);
}

function skipLongString(bytes: Uint8Array, first: number): number {
  for (let quote = bytes.indexOf(QUOTE, first); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (before > first && bytes[before - 1] === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return -1;
}

/** Gives the index after the value that starts at `at`, or -1. */
export function skipValue(bytes: Uint8Array, at: number): number {
  let depth = 0;
  for (let i = at; i < bytes.length; ) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = skipString(bytes, i);
      if (i === -1) return -1;
      if (depth === 0) return i;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++;
      i++;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return -1;
      depth--;
      i++;
      if (depth === 0) return i;
    } else if (depth === 0) {
      return skipScalar(bytes, i);
    } else {
      i++;
    }
  }
  return -1;
}

function skipScalar(bytes: Uint8Array, at: number): number {
  let i = at;
  for (; i < bytes.length; i++) {
    const byte = bytes[i] as number; // in range: the loop's condition
    const isPart =
      (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x45 || byte === 0x2b || byte === 0x2d || byte === 0x2e;
    if (!isPart) break;
  }
  return i === at ? -1 : i;
}

/** Tells whether arrays and objects nest more deeply than `limit` anywhere in the bytes. */
export function nestsDeeperThan(bytes: Uint8Array, limit: number): boolean {
  if (bytes.length <= limit) return false;
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = skipString(bytes, i) - 1;
      if (i < 0) return false;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limit) return true;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return false;
}

/** Where a member of an object stands: its key with the quotes, and its value. */
export interface MemberSpan {
  readonly key: Span;
  readonly value: Span;
}

/**
 * Visits the members of the object that opens at `at`, in order. Gives the index of its closing brace, or -1 where the bytes are
 * no complete object (the members before that place have been visited).
 */
export function eachMember(bytes: Uint8Array, at: number, visit: (member: MemberSpan) => void): number {
  if (bytes[at] !== 0x7b) return -1;
  let i = skipSpace(bytes, at + 1);
  if (bytes[i] === 0x7d) return i;
  for (;;) {
    if (bytes[i] !== QUOTE) return -1;
    const key = { start: i, end: skipString(bytes, i) };
    if (key.end === -1) return -1;
    i = skipSpace(bytes, key.end);
    if (bytes[i] !== COLON) return -1;
    const start = skipSpace(bytes, i + 1);
    const end = skipValue(bytes, start);
    if (end === -1) return -1;
    i = skipSpace(bytes, end);
    // A scalar that touches the end of the bytes may have been cut short.
    if (i >= bytes.length) return -1;
    visit({ key, value: { start, end } });
    if (bytes[i] === 0x7d) return i;
    if (bytes[i] !== COMMA) return -1;
    i = skipSpace(bytes, i + 1);
  }
}

/** Visits the elements of the array that the bytes consist of. Gives whether the array was complete. */
export function eachElement(bytes: Uint8Array, visit: (element: Span) => void): boolean {
  let i = skipSpace(bytes, 0);
  if (bytes[i] !== 0x5b) return false;
  i = skipSpace(bytes, i + 1);
  if (bytes[i] === 0x5d) return true;
  for (;;) {
    const end = skipValue(bytes, i);
    if (end === -1) return false;
    visit({ start: i, end });
    i = skipSpace(bytes, end);
    if (bytes[i] === 0x5d) return true;
    if (bytes[i] !== COMMA) return false;
    i = skipSpace(bytes, i + 1);
  }
}

/** Decodes the string that stands in a span, quotes included; undefined if it is none. */
export function decodeString(bytes: Uint8Array, span: Span): string | undefined {
  const text = decoder.decode(bytes.subarray(span.start, span.end));
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Prepares a key for `spells`. */
export function encodeKey(key: string): { readonly text: string; readonly bytes: Uint8Array } {
  return { text: key, bytes: encoder.encode(key) };
}

/** Tells whether the key in the span (quotes included) is this one, however it is escaped. */
export function spells(bytes: Uint8Array, span: Span, key: ReturnType<typeof encodeKey>): boolean {
  const length = span.end - span.start - 2;
  let same = length === key.bytes.length;
  for (let i = 0; i < length; i++) {
    const byte = bytes[span.start + 1 + i];
    if (byte === BACKSLASH || (byte as number) >= 0x80) return decodeString(bytes, span) === key.text; // in range: inside the span
    if (byte !== key.bytes[i]) same = false;
  }
  return same;
}
