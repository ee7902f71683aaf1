// Which versions of the protocol are spoken by HTTP, and what does each have? Versions are dates, so a later one is greater.
import { MODERN_VERSION } from "../../wire/era.ts";

/** With sessions, begun by `initialize`; the oldest two never had this transport, but a server may agree on them with such a client. */
export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
/** Without sessions: every request says its version itself. */
export const MODERN_VERSIONS: readonly string[] = [MODERN_VERSION];

/** Tells whether a stream may begin with an event without a message (since 2025-11-25). */
export function hasPriming(version: string): boolean {
  return version >= "2025-11-25";
}
