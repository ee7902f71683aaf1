// Which fields does a text hold, by a policy's patterns (RE2)?
import { type Json, type JsonObject, objectFrom } from "./json.ts";
import { compiledPattern, unreadablePattern } from "./re2.ts";
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
  const trouble = unreadablePattern(pattern);
  if (trouble !== undefined || compiledPattern(pattern).groupCount() <= 1) return trouble;
  return "it has several groups; write all but one as `(?:...)`: the one is what the field takes";
}
