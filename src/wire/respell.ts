// How is one value of a message replaced, in its bytes and in our copy alike? Every other byte stays as it came.
import { isJsonObject, type Json, objectFrom, parseJson, printJson } from "../core/json.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "./message.ts";
import { replaceMember } from "./splice.ts";

const encoder = new TextEncoder();

/** Replaces the value at the path (object members only); gives the message as it is where there is none. */
export function respell<M extends RequestMessage | NotificationMessage | ResponseMessage>(
  message: M,
  path: readonly string[],
  value: Json,
): M {
  const text = printJson(value);
  const bytes = replaceMember(message.bytes, path, encoder.encode(text));
  if (bytes === undefined) return message;
  const id = path.length === 1 && path[0] === "id" ? { id: text } : {};
  return { ...message, ...id, bytes, value: replaced(message.value, path, parseJson(text)) };
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
