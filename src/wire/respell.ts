// How are single values of a message replaced, in its bytes and in our copy alike? Every other byte stays as it came.
import { isJsonObject, type Json, objectFrom, parseJson, printJson } from "../core/json.ts";
import { LARGE } from "../core/large.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "./message.ts";
import { parseLarge } from "./parse-large.ts";
import { replaceMembers } from "./splice.ts";

type Respellable = RequestMessage | NotificationMessage | ResponseMessage;

/** Replaces the value at the path (object members only); gives the message as it is where there is none. */
export function respell<M extends Respellable>(message: M, path: readonly string[], value: Json): M {
  return respellAll(message, [[path, value]]);
}

/** Replaces the values at several paths; one that leads nowhere is passed over. */
export function respellAll<M extends Respellable>(message: M, changes: readonly (readonly [path: readonly string[], value: Json])[]): M {
  const texts = changes.map(([path, value]) => [path, printJson(value)] as const);
  const bytes = replaceMembers(message.bytes, texts);
  if (bytes === message.bytes) return message;
  const id = texts.findLast(([path]) => path.length === 1 && path[0] === "id")?.[1];
  // A large value looks into its bytes: the old ones would be held for it beside the new.
  const isReadAnew = bytes.length >= LARGE && message.envelopeOnly === undefined;
  const value = isReadAnew
    ? parseLarge(bytes)
    : texts.reduce<Json>((before, [path, text]) => replaced(before, path, parseJson(text)), message.value);
  return { ...message, ...(id === undefined ? {} : { id }), bytes, value };
}

/** Gives the value at the path, or undefined. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path) {
    if (!isJsonObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

function replaced(value: Json, [name, ...rest]: readonly string[], by: Json): Json {
  if (name === undefined) return by;
  if (!isJsonObject(value)) return value;
  return objectFrom(Object.entries(value).map(([key, member]) => [key, key === name ? replaced(member, rest, by) : member] as const));
}
