// What does a client hear when it says hello to several servers at once? One initialize result: the capabilities of all, the
// instructions of each under its name, our own once, and a protocol version that no server is too old for.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../../core/json.ts";
import { buildResult } from "../../wire/build.ts";
import { META } from "../../wire/era.ts";
import type { IdKey } from "../../wire/message.ts";
import { INSTRUCTIONS } from "../answers.ts";
import { mergeHints } from "./cache-hints.ts";
import type { RoutedServer } from "./routed-server.ts";
import { union } from "./union.ts";

/** A server's initialize or server/discover result. */
export interface Greeting {
  readonly server: RoutedServer;
  readonly result: JsonObject;
}

/** Lists of which we say ourselves that they change: a server may die, and another answer late. */
export const CHANGING_LISTS = ["tools", "prompts", "resources"] as const;

/** Builds the one initialize result; `greetings` in the order of the manifest, at least one. `version` is our own. */
export function buildWelcome(id: IdKey, greetings: readonly Greeting[], version: string): Uint8Array {
  const results = greetings.map(({ result }) => result);
  const welcome: readonly (readonly [string, Json])[] = [
    ["protocolVersion", lowestVersion(results.map((result) => result["protocolVersion"]))],
    ["capabilities", capabilitiesOf(results.map((result) => result["capabilities"]))],
    ["serverInfo", ownInfo(version)],
    ["instructions", instructionsOf(greetings)],
  ];
  return buildMerged(id, welcome, results);
}

/**
 * Builds the one server/discover result (2026-07-28, "Discovery"); `greetings` as above. `versions` are those that all servers support.
 * `isWhole`: no server is missing that may still come.
 */
export function buildDiscovery(
  id: IdKey,
  greetings: readonly Greeting[],
  { versions, version, isWhole }: { versions: readonly string[]; version: string; isWhole: boolean },
): Uint8Array {
  const results = greetings.map(({ result }) => result);
  const hintsOf = ({ ttlMs, cacheScope }: JsonObject) => ({ ttlMs, cacheScope });
  const welcome: readonly (readonly [string, Json])[] = [
    ["resultType", "complete"],
    ["ttlMs", 0],
    ["cacheScope", "private"],
    ["supportedVersions", versions],
    ["capabilities", capabilitiesOf(results.map((result) => result["capabilities"]))],
    ["instructions", instructionsOf(greetings)],
    ...mergeHints(results.map(hintsOf), isWhole),
    ["_meta", { [META.serverInfo]: ownInfo(version) }],
  ];
  return buildMerged(id, welcome, results);
}

/** Gives what we say of ourselves where we answer for all; `version` is our own. */
export function ownInfo(version: string): JsonObject {
  return { name: "synartesis", version };
}

/** What isn't merged is added as it is. The last of two equal names would win: the first server's words are to. */
function buildMerged(id: IdKey, merged: readonly (readonly [string, Json])[], results: readonly JsonObject[]): Uint8Array {
  const taken = new Set(["serverInfo", ...merged.map(([name]) => name)]);
  const others = results.flatMap((result) => Object.entries(result)).filter(([name]) => !taken.has(name));
  return buildResult(id, objectFrom([...merged, ...others.toReversed()])).bytes;
}

/**
 * The lowest of the versions that the servers answered. Each has taken the client's request, so a client that speaks the lowest is
 * understood by all; what newer versions add is announced by capabilities, or optional, up to 2025-11-25 ("Lifecycle", "Versioning").
 */
export function lowestVersion(versions: readonly (Json | undefined)[]): Json {
  const dates = versions.filter((version): version is string => typeof version === "string" && /^\d{4}-\d\d-\d\d$/.test(version));
  return dates.toSorted()[0] ?? versions[0] ?? null;
}

function capabilitiesOf(all: readonly (Json | undefined)[]): JsonObject {
  const merged = all.filter(isJsonObject).reduce(union, { tools: {} });
  const members = Object.entries(merged).map(([name, value]): readonly [string, Json] => {
    const changes = CHANGING_LISTS.some((list) => list === name) && isJsonObject(value);
    return [name, changes ? union(value, { listChanged: true }) : value];
  });
  return objectFrom(members);
}

function instructionsOf(greetings: readonly Greeting[]): string {
  const texts = greetings.flatMap(({ server, result }) => {
    const text = result["instructions"];
    return typeof text === "string" && text !== ""
      ? [`# ${server.name} (its tools and prompts are named ${server.prefix}...)\n${text}`]
      : [];
  });
  const names = greetings.map(({ server }) => server.prefix).join(", ");
  const how = `Several servers are behind this entry. The name of each tool and prompt begins with the name of its server: ${names}.`;
  return [how, ...texts, INSTRUCTIONS].join("\n\n");
}
