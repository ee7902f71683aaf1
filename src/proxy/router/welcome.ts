// What does a client hear when it says hello to several servers at once? One initialize result: the capabilities of all, the
// instructions of each under its name, our own once, and a protocol version that no server is too old for.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../../core/json.ts";
import { buildResult } from "../../wire/build.ts";
import type { IdKey } from "../../wire/message.ts";
import { INSTRUCTIONS } from "../answers.ts";
import type { RoutedServer } from "./routed-server.ts";

/** A server's initialize result. */
export interface Greeting {
  readonly server: RoutedServer;
  readonly result: JsonObject;
}

/** Lists of which we say ourselves that they change: a server may die, and another answer late. */
export const CHANGING_LISTS = ["tools", "prompts", "resources"] as const;

const MERGED = new Set(["protocolVersion", "capabilities", "serverInfo", "instructions"]);

/** Builds the one initialize result; `greetings` in the order of the manifest, at least one. `version` is our own. */
export function buildWelcome(id: IdKey, greetings: readonly Greeting[], version: string): Uint8Array {
  const results = greetings.map(({ result }) => result);
  const others = results.flatMap((result) => Object.entries(result)).filter(([name]) => !MERGED.has(name));
  const welcome: readonly (readonly [string, Json])[] = [
    ["protocolVersion", lowestVersion(results.map((result) => result["protocolVersion"]))],
    ["capabilities", capabilitiesOf(results.map((result) => result["capabilities"]))],
    ["serverInfo", { name: "synartesis", version }],
    ["instructions", instructionsOf(greetings)],
  ];
  // The last of two equal names would win: the first server's words are to.
  return buildResult(id, objectFrom([...welcome, ...others.toReversed()])).bytes;
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

/** All members of both, at any depth; where both have one that is no object, the first's, but true wins over false. */
function union(first: JsonObject, second: JsonObject): JsonObject {
  const members = new Map(Object.entries(first));
  for (const [name, value] of Object.entries(second)) {
    const own = members.get(name);
    if (own === undefined || own === false) members.set(name, value === false ? false : value);
    else if (isJsonObject(own) && isJsonObject(value)) members.set(name, union(own, value));
  }
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
