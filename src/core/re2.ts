// What does a pattern of a policy find? By RE2, whose time is linear in the text whatever the pattern. Never by the language's own expressions,
// which give up on some texts and take exponential time on others.
import type { RE2JS } from "re2js";

const known = new Map<string, RE2JS>();

/** Gives a pattern as the library reads it. @throws an error of the library's own where it can't */
export function compiledPattern(pattern: string): RE2JS {
  const compiled = known.get(pattern) ?? library().RE2JS.compile(pattern);
  known.set(pattern, compiled);
  return compiled;
}

/** Says why a pattern can't be read; undefined where it can. */
export function unreadablePattern(pattern: string): string | undefined {
  try {
    compiledPattern(pattern);
    return undefined;
  } catch (error) {
    // The library's own words: what it can't parse is often what takes more than linear time, a backreference, say.
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
  }
}

/** Only policies with patterns pay for the library, and they have to be read without waiting. */
function library(): typeof import("re2js") {
  return require("re2js");
}
