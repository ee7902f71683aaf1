// Could somebody else read another message in these bytes than we do? Readers differ on equal keys (first or last wins), on the
// case of letters (Go's decoder ignores it), and on what ends a line. Nothing ambiguous may pass as harmless.
import { decodeString, skipSpace, skipString } from "./json-scan.ts";

const QUOTE = 0x22;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const CARRIAGE_RETURN = 0x0d;
/** The message and its params: names that the protocol gives, where letters in another case are no other name. */
const FOLDED_DEPTH = 2;
const ENVELOPE = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);
const CALL = new Set(["name", "arguments", "task", "_meta", "inputResponses", "requestState"]);

/**
 * Tells whether any object in a JSON text, at any depth, has two equal keys (escapes decoded); in the outermost object and
 * those right inside it, keys that differ only in case are equal too. False for bytes that are no JSON.
 */
export function duplicateKeys(bytes: Uint8Array): boolean {
  // One entry per open bracket: the keys of an object so far, or null for an array.
  const open: (Set<string> | null)[] = [];
  let i = skipSpace(bytes, 0);
  while (i < bytes.length) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const end = skipString(bytes, i);
      if (end === -1) return false;
      const keys = open[open.length - 1];
      // In an object a string before a colon is a key; a value is followed by a comma or a brace.
      if (keys && bytes[skipSpace(bytes, end)] === 0x3a) {
        const key = decodeString(bytes, { start: i, end });
        if (key === undefined) return false;
        const name = open.length <= FOLDED_DEPTH ? foldCase(key) : key;
        if (keys.has(name)) return true;
        keys.add(name);
      }
      i = end;
      continue;
    }
    if (byte === BRACE) open.push(new Set());
    else if (byte === 0x5b) open.push(null);
    else if (byte === CLOSING_BRACE || byte === 0x5d) open.pop();
    i++;
  }
  return false;
}

/**
 * Tells whether a carriage return stands inside of a message. To JSON it is a space, but many readers of lines (Python's, Node's readline)
 * end one there, and would read what follows as a message of its own.
 */
export function hasInnerLineEnd(bytes: Uint8Array): boolean {
  const first = bytes.indexOf(BRACE);
  const found = first === -1 ? -1 : bytes.indexOf(CARRIAGE_RETURN, first);
  return found !== -1 && found < bytes.lastIndexOf(CLOSING_BRACE);
}

/** Tells whether a message has a key such as "Method", which some readers take for an envelope's own. */
export function disguisedEnvelope(value: object): boolean {
  return hasDisguised(value, ENVELOPE);
}

/** Tells whether the params of a tools/call have a key such as "Arguments", which some readers take for the protocol's own. */
export function disguisedCall(params: object): boolean {
  return hasDisguised(params, CALL);
}

function hasDisguised(value: object, names: ReadonlySet<string>): boolean {
  for (const key in value) if (!names.has(key) && names.has(foldCase(key))) return true;
  return false;
}

// Both ways, since U+017F lowers to itself but uppers to S, and U+212A the other way round.
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}
