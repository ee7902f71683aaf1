// Which tools does a saved answer to tools/list hold? The result, the whole reply, or the bare list. Never takes a list half: what can't be
// read as a tool makes the file unreadable, with the reason.
import { isJsonObject, type Json, parseJson } from "../core/json.ts";
import { readTool } from "../upstream/list-tools.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import { quoted } from "./words.ts";

/** The tools; or why the file can't be read as a list of tools, ending a sentence that begins with its name. */
export type SavedTools =
  | { readonly kind: "tools"; readonly tools: readonly ListedTool[] }
  | { readonly kind: "unreadable"; readonly reason: string };

/** More bytes than this no server's list of tools has. */
export const LONGEST_LIST = 64 * 1024 * 1024;

/** Reads the bytes of a saved list. */
export function readSavedTools(bytes: Uint8Array): SavedTools {
  if (bytes.length > LONGEST_LIST) return unreadable(`has more than ${LONGEST_LIST / 1024 / 1024} MiB`);
  let value: Json;
  try {
    value = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return unreadable("isn't JSON in UTF-8");
  }
  const listed = listIn(value);
  if (listed === undefined) return unreadable('has no list of tools: expected {"tools": [...]}, a reply to tools/list, or a list');
  const nameless = listed.findIndex((each) => readTool(each).length === 0);
  if (nameless >= 0) return unreadable(`has a tool without a name: the ${ordinal(nameless + 1)} of the list`);
  const tools = listed.flatMap(readTool);
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) return unreadable(`lists two tools of the name ${quoted(name.slice(0, 90))}`);
    names.add(name);
  }
  return { kind: "tools", tools };
}

function listIn(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return undefined;
  const { tools, result } = value;
  const listed = tools ?? (isJsonObject(result) ? result["tools"] : undefined);
  return Array.isArray(listed) ? listed : undefined;
}

function ordinal(position: number): string {
  const ending = position % 100 >= 11 && position % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][position % 10] ?? "th");
  return `${position}${ending}`;
}

function unreadable(reason: string): SavedTools {
  return { kind: "unreadable", reason };
}
