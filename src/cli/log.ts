// How does the program's own log look? One JSON object per line on stderr, from the wanted level up. Never on stdout.
import type { Json } from "../core/json.ts";
import { LOG_LEVELS, type Log, type LogLevel } from "../core/log.ts";

/** Makes a log that writes lines `{"time","level","msg",...fields}` through `write`; `now` gives milliseconds since the epoch. */
export function createLog(write: (line: string) => void, level: LogLevel, now: () => number): Log {
  const limit = LOG_LEVELS.indexOf(level);
  return {
    log(at: LogLevel, message: string, fields: Readonly<Record<string, Json | undefined>> = {}): void {
      if (LOG_LEVELS.indexOf(at) > limit) return;
      // The three of ours come last, so that a field can't pose as one of them; their place in the line stays the first.
      const own = { time: new Date(now()).toISOString(), level: at, msg: message };
      write(`${JSON.stringify({ ...own, ...fields, ...own })}\n`);
    },
  };
}

/** Tells whether a text is a log level. */
export function isLogLevel(text: string): text is LogLevel {
  return (LOG_LEVELS as readonly string[]).includes(text);
}
