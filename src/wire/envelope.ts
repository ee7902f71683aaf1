// What kind of message are these bytes, and what stands at one place in them? Reads no more than that: the messages that a session
// writes have been parsed once already. Of two equal keys the last counts, as in JSON.parse.
import { type Json, parseJson } from "../core/json.ts";
import { decodeString, eachMember, type Span, skipSpace } from "./json-scan.ts";
import { type IdKey, idKey } from "./message.ts";
import { memberSpan } from "./splice.ts";

/** A message without its contents; `other` is what is none of the three. */
export type Envelope =
  | { readonly kind: "request"; readonly id: IdKey; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  | { readonly kind: "response"; readonly id: IdKey; readonly isError: boolean }
  | { readonly kind: "other" };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads the outermost members of a message. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const spans = new Map<string, Span>();
  eachMember(bytes, skipSpace(bytes, 0), ({ key, value }) => {
    const name = decodeString(bytes, key);
    if (name !== undefined) spans.set(name, value);
  });
  const [idSpan, methodSpan] = [spans.get("id"), spans.get("method")];
  const id = idSpan && idKey(jsonAt(bytes, idSpan));
  const method = methodSpan && jsonAt(bytes, methodSpan);
  if (typeof method === "string") {
    if (id !== undefined) return { kind: "request", id, method };
    return idSpan === undefined ? { kind: "notification", method } : { kind: "other" };
  }
  const isError = spans.has("error");
  return id !== undefined && (isError || spans.has("result")) ? { kind: "response", id, isError } : { kind: "other" };
}

/** Parses the value at the path (object members only); undefined where there is none. Only for values that can't be huge. */
export function readMember(bytes: Uint8Array, path: readonly string[]): Json | undefined {
  const span = memberSpan(bytes, path);
  return span && jsonAt(bytes, span);
}

/** Tells whether the bytes contain a text of ASCII letters anywhere, so that places that can't be there needn't be looked for. */
export function mentions(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text, 0, "latin1");
}

function jsonAt(bytes: Uint8Array, { start, end }: Span): Json | undefined {
  try {
    return parseJson(decoder.decode(bytes.subarray(start, end)));
  } catch {
    return undefined;
  }
}
