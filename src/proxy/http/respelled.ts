// How do a few values of a message become others while every other byte stays? All in one copy, since messages may be large.
import type { Span } from "../../wire/json-scan.ts";
import { joined } from "../../wire/lines.ts";
import { memberSpan } from "../../wire/splice.ts";

const encoder = new TextEncoder();
const LF = encoder.encode("\n");

/** Replaces the values at the paths (object members only) by JSON texts; a path that leads nowhere is passed over. */
export function respelled(bytes: Uint8Array, replaced: readonly (readonly [path: readonly string[], text: string])[]): Uint8Array {
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
  return pieces.length === 0 ? bytes : joined([...pieces, bytes.subarray(at)]);
}

/** Gives a message of ours as a line. */
export function asLine(message: string | Uint8Array): Uint8Array {
  return joined([typeof message === "string" ? encoder.encode(message) : message, LF]);
}
