// What may a part of the program say to the person who runs it, beside its results? One line with fields; cli/log.ts writes it.
import type { Json } from "./json.ts";

/** From least to most talkative. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes log lines. Never throws, and never writes to stdout, which is the protocol. */
export interface Log {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, Json | undefined>>): void;
}
