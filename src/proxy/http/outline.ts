// Which kind of message does the proxy send to the client, and whose is it? Read from its outermost members only: it has been parsed before, and
// may be large.
import type { Json } from "../../core/json.ts";
import { parseJson } from "../../core/json.ts";
import { decodeString, eachMember, type Span, skipSpace } from "../../wire/json-scan.ts";
import { type IdKey, idKey } from "../../wire/message.ts";
import { elementsOf, memberSpan } from "../../wire/splice.ts";

/** A message without its contents. */
export type Outline =
  | { readonly kind: "request"; readonly method: string; readonly id: IdKey | undefined }
  | { readonly kind: "notification"; readonly method: string }
  /** `id` is undefined where the sender didn't know it. */
  | { readonly kind: "response"; readonly id: IdKey | undefined }
  | { readonly kind: "batch"; readonly members: readonly Uint8Array[] };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads what kind of message it is. */
export function outlineOf(bytes: Uint8Array): Outline {
  const start = skipSpace(bytes, 0);
  if (bytes[start] === 0x5b) return { kind: "batch", members: elementsOf(bytes) };
  const spans = new Map<string, Span>();
  eachMember(bytes, start, ({ key, value }) => spans.set(decodeString(bytes, key) ?? "", value));
  const [idSpan, methodSpan] = [spans.get("id"), spans.get("method")];
  const method = methodSpan && decodeString(bytes, methodSpan);
  const id = idSpan && idKey(jsonAt(bytes, idSpan));
  if (method === undefined) return { kind: "response", id };
  return idSpan === undefined ? { kind: "notification", method } : { kind: "request", method, id };
}

/** Gives a small value inside of a message; undefined where there is none. */
export function valueIn(bytes: Uint8Array, path: readonly string[]): Json | undefined {
  const span = memberSpan(bytes, path);
  return span && jsonAt(bytes, span);
}

function jsonAt(bytes: Uint8Array, { start, end }: Span): Json | undefined {
  try {
    return parseJson(decoder.decode(bytes.subarray(start, end)));
  } catch {
    return undefined;
  }
}
