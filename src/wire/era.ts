// Which era does a message belong to? Modern requests say version, identity and capabilities themselves, in `_meta`; legacy ones leave that to
// initialize. Reads messages, changes none.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../core/json.ts";

/** The names in `_meta` by which a modern request says who asks (2026-07-28, "_meta"). */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  /** On what a subscription brings: the id of its request ("Subscriptions"). */
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The newest modern version that we know. */
export const MODERN_VERSION = "2026-07-28";

/** The newest version with a session. */
const LAST_LEGACY_VERSION = "2025-11-25";

/** The last version whose messages may come in batches (2025-06-18, changelog). */
const LAST_WITH_BATCHES = "2025-03-26";

/** Version, client info and capabilities of a modern request, as they stand in its `_meta`. */
export type RequestMeta = JsonObject;

/** Reads who asks from the params of a request; undefined where it is none of the modern era. */
export function requestMeta(params: Json | undefined): RequestMeta | undefined {
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  if (!isJsonObject(meta) || typeof meta[META.version] !== "string") return undefined;
  const names = [META.version, META.clientInfo, META.clientCapabilities];
  return objectFrom(names.flatMap((name) => (meta[name] === undefined ? [] : [[name, meta[name]] as const])));
}

/** Tells whether a request says who asks, as those of the modern era do. */
export function isModernRequest({ value }: { readonly value: JsonObject }): boolean {
  return requestMeta(value["params"]) !== undefined;
}

/** Gives the `_meta` with which a client that said this hello (params of initialize) would speak to a modern server. */
export function metaOfHello(hello: JsonObject): RequestMeta {
  const said = requestMeta(hello);
  if (said !== undefined) return said;
  const info = hello["clientInfo"];
  return objectFrom([
    [META.version, MODERN_VERSION],
    ...(info === undefined ? [] : [[META.clientInfo, info] as const]),
    [META.clientCapabilities, hello["capabilities"] ?? {}],
  ]);
}

/** Gives the params of initialize with which a client that said this hello would speak to a legacy server. */
export function legacyHello(hello: JsonObject): JsonObject {
  const meta = requestMeta(hello);
  if (meta === undefined) return hello;
  return {
    protocolVersion: LAST_LEGACY_VERSION,
    capabilities: meta[META.clientCapabilities] ?? {},
    clientInfo: meta[META.clientInfo] ?? { name: "unknown", version: "" },
  };
}

/** Finds who a server says it is: in an initialize result, or in the `_meta` of a modern result. Null where it doesn't say. */
export function serverInfoOf(result: Json | undefined): Json {
  if (!isJsonObject(result)) return null;
  const meta = result["_meta"];
  return result["serverInfo"] ?? (isJsonObject(meta) ? meta[META.serverInfo] : undefined) ?? null;
}

/** Tells whether a legacy version has batches. */
export function hasBatches(version: string): boolean {
  return version <= LAST_WITH_BATCHES; // versions are dates
}
