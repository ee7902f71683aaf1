// Whose was a message that was too long to take? Found from its two ends, since senders put id and method first or last. Never guesses:
// what can't be told for certain is left out.
import { parseJson } from "../core/json.ts";
import { decodeString, eachMember, skipSpace } from "./json-scan.ts";
import type { TooLongLine } from "./lines.ts";
import { type IdKey, idKey } from "./message.ts";

/** What is known of a message that was passed over: with a method and an id it was a request, with an id alone a response. */
export interface Identified {
  readonly id?: IdKey;
  readonly method?: string;
}

const decoder = new TextDecoder("latin1");
// A key's quotes can't stand unescaped inside a string, so these members belong to the object that the last brace closes.
const LAST_MEMBERS = /(?:,\s*"(?:id|method|jsonrpc)"\s*:\s*(?:"[\x20\x21\x23-\x5b\x5d-\x7e]*"|-?\d+)\s*)+\}\s*$/;

/** Finds id and method of a message above the limit, as far as its first and last bytes show them. */
export function identify(line: TooLongLine): Identified {
  const found: { id?: IdKey; method?: string } = {};
  const note = (bytes: Uint8Array) => {
    eachMember(bytes, skipSpace(bytes, 0), ({ key, value }) => {
      const name = decodeString(bytes, key);
      if (name === "id") {
        const id = readId(decoder.decode(bytes.subarray(value.start, value.end)));
        if (id !== undefined) found.id = id;
      }
      const method = name === "method" ? decodeString(bytes, value) : undefined;
      if (method !== undefined) found.method = method;
    });
  };
  note(line.head);
  const last = LAST_MEMBERS.exec(decoder.decode(line.tail))?.[0];
  if (last !== undefined) note(new TextEncoder().encode(`{${last.slice(1)}`));
  return found;
}

function readId(text: string): IdKey | undefined {
  try {
    return idKey(parseJson(text));
  } catch {
    return undefined;
  }
}
