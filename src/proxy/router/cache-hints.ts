// How long may a client keep an answer that was made of several servers' (2026-07-28, "Caching")? No longer than the least fresh of them
// allows, and for nobody else if one of them is private. Of an answer that lacks a server's part: not at all.
import type { Json } from "../../core/json.ts";

/** What one server says of its part; undefined where it doesn't. */
export interface CacheHints {
  readonly ttlMs: Json | undefined;
  readonly cacheScope: Json | undefined;
}

/** The members of the merged result, none where no server gives hints, as in the legacy era. `isWhole`: no server's part is missing. */
export function mergeHints(parts: readonly CacheHints[], isWhole: boolean): readonly (readonly [string, Json])[] {
  if (parts.every(({ ttlMs, cacheScope }) => ttlMs === undefined && cacheScope === undefined)) return [];
  const times = parts.map(({ ttlMs }) => (typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0));
  return [
    ["ttlMs", isWhole ? Math.min(...times) : 0],
    ["cacheScope", parts.every(({ cacheScope }) => cacheScope === "public") ? "public" : "private"],
  ];
}
