// Which fields does a text hold, by a policy's patterns? In RE2's syntax, whose time is linear in the text whatever the pattern.
import type { RE2JS } from "re2js";
import { type Json, type JsonObject, objectFrom } from "./json.ts";
import { onlyTextOf, valueOfResult } from "./result-value.ts";

/** Fields by name, each with the pattern that finds it. */
export type Patterns = Readonly<Record<string, string>>;

/** Gives the fields whose pattern is found: what its group matched, or all of the match where it has none. A field that isn't found is left out. */
export function extractFields(text: string, patterns: Patterns): JsonObject {
  const fields = Object.entries(patterns).flatMap(([name, pattern]) => {
    const compiled = compiledPattern(pattern);
    const matcher = compiled.matcher(text);
    const found = matcher.find() ? matcher.group(compiled.groupCount()) : null;
    return found === null ? [] : [[name, found] as const];
  });
  return objectFrom(fields);
}

/** Gives what a rule's `$result` is: the value of the result, or the fields that the rule takes out of its only text. */
export function resultFor(result: Json, fields: Patterns | undefined): Json {
  return fields === undefined ? valueOfResult(result) : extractFields(onlyTextOf(result) ?? "", fields);
}

/** Says what is wrong with a pattern; undefined where it can be used. */
export function patternTrouble(pattern: string): string | undefined {
  try {
    return compiledPattern(pattern).groupCount() > 1
      ? "it has several groups; write all but one as `(?:...)`: the one is what the field takes"
      : undefined;
  } catch (error) {
    // The library's own words: what it can't parse is often what takes more than linear time, a backreference, say.
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
  }
}

const known = new Map<string, RE2JS>();

function compiledPattern(pattern: string): RE2JS {
  const compiled = known.get(pattern) ?? library().RE2JS.compile(pattern);
  known.set(pattern, compiled);
  return compiled;
}

/** Only policies that extract pay for the library, and they have to be read without waiting. */
function library(): typeof import("re2js") {
  return require("re2js");
}
