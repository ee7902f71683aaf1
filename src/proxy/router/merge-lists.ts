// How do the lists of several servers become one? Their entries one after the other, each with its own bytes; only names and task ids
// get their server's name in front. What else stands in a result is kept, the first server's where two say the same.
import { isJsonObject, printJson } from "../../core/json.ts";
import { readMember } from "../../wire/envelope.ts";
import { META } from "../../wire/era.ts";
import { joined } from "../../wire/lines.ts";
import type { IdKey } from "../../wire/message.ts";
import { elementsOf, memberSpan, membersOf, prependToString } from "../../wire/splice.ts";
import { mergeHints } from "./cache-hints.ts";
import { type Cursors, writeCursor } from "./cursors.ts";
import type { RoutedServer } from "./routed-server.ts";
import { ownInfo } from "./welcome.ts";

/** A list that a method gives. */
export interface ListKind {
  /** The member of the result that holds the entries. */
  readonly key: string;
  /** What a server that has the list announces. */
  readonly capability: string;
  /** The member of an entry that gets its server's name in front. */
  readonly prefixed?: "name" | "taskId";
  /** The member by which an entry is found again. */
  readonly identity: "name" | "uri" | "uriTemplate" | "taskId";
}

/** The methods whose answers are merged (MCP 2024-11-05 to 2026-07-28). */
export const LISTS: ReadonlyMap<string, ListKind> = new Map<string, ListKind>([
  ["tools/list", { key: "tools", capability: "tools", prefixed: "name", identity: "name" }],
  ["prompts/list", { key: "prompts", capability: "prompts", prefixed: "name", identity: "name" }],
  ["resources/list", { key: "resources", capability: "resources", identity: "uri" }],
  ["resources/templates/list", { key: "resourceTemplates", capability: "resources", identity: "uriTemplate" }],
  ["tasks/list", { key: "tasks", capability: "tasks", prefixed: "taskId", identity: "taskId" }],
]);

/** One server's page of a list. */
export interface Page {
  readonly server: RoutedServer;
  readonly bytes: Uint8Array;
}

/** What is in one server's page: its entries, and what each is known by (as the server says it). */
export interface PageEntries {
  readonly entries: readonly Uint8Array[];
  readonly identities: readonly string[];
}

/** Reads the entries of a page. */
export function entriesOf(kind: ListKind, bytes: Uint8Array): PageEntries {
  const span = memberSpan(bytes, ["result", kind.key]);
  const entries = span === undefined ? [] : elementsOf(bytes.subarray(span.start, span.end));
  const identities = entries.flatMap((entry) => {
    const identity = readMember(entry, [kind.identity]);
    return typeof identity === "string" ? [identity] : [];
  });
  return { entries, identities };
}

/** Builds the answer that gives these pages as one. `isWhole`: no server's page is missing. `version` is our own. */
export function mergePages(
  id: IdKey,
  kind: ListKind,
  pages: readonly Page[],
  { isWhole, version }: { isWhole: boolean; version: string },
): Uint8Array {
  const { prefixed } = kind;
  const entries = pages.flatMap(({ server, bytes }) =>
    entriesOf(kind, bytes).entries.map((entry) => (prefixed && prependToString(entry, [prefixed], server.prefix)) ?? entry),
  );
  const cursors: Cursors = pages.flatMap(({ server, bytes }) => {
    const cursor = readMember(bytes, ["result", "nextCursor"]);
    return typeof cursor === "string" && cursor !== "" ? [[server.name, cursor] as const] : [];
  });
  const hintsOf = ({ bytes }: Page) => ({
    ttlMs: readMember(bytes, ["result", "ttlMs"]),
    cacheScope: readMember(bytes, ["result", "cacheScope"]),
  });
  const hints = mergeHints(pages.map(hintsOf), isWhole).map(([name, value]): Part => [name, encode(printJson(value))]);
  const cursor: readonly Part[] = cursors.length === 0 ? [] : [["nextCursor", encode(printJson(writeCursor(cursors)))]];
  const own = [...cursor, ...hints];
  const others = withoutTwins(pages.flatMap(({ bytes }) => membersOf(bytes, ["result"]))).flatMap(([name, value]): readonly Part[] => {
    if (name === kind.key || name === "nextCursor" || own.some(([taken]) => taken === name)) return [];
    return [[name, name === "_meta" ? mergedMeta(pages, version) : value]];
  });
  const list: Part = [kind.key, joined([encode("["), ...separated(entries), encode("]")])];
  return joined([encode(`{"jsonrpc":"2.0","id":${id},"result":`), object([list, ...own, ...others]), encode("}")]);
}

type Part = readonly [name: string, value: Uint8Array];

/** A modern server says in each result who it is; one that is made of several is ours. */
function mergedMeta(pages: readonly Page[], version: string): Uint8Array {
  const metas = pages.filter(({ bytes }) => isJsonObject(readMember(bytes, ["result", "_meta"])));
  const parts = withoutTwins(metas.flatMap(({ bytes }) => membersOf(bytes, ["result", "_meta"])));
  return object(parts.map(([name, value]) => [name, name === META.serverInfo ? encode(printJson(ownInfo(version))) : value]));
}

function withoutTwins(parts: readonly Part[]): readonly Part[] {
  return parts.filter(([name], index) => parts.findIndex(([other]) => other === name) === index);
}

function object(parts: readonly Part[]): Uint8Array {
  const members = parts.map(([name, value]) => joined([encode(`${printJson(name)}:`), value]));
  return joined([encode("{"), ...separated(members), encode("}")]);
}

function separated(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
}

const encoder = new TextEncoder();
const COMMA = encode(",");

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}
