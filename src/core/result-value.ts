// What does the result of a tools/call say: its value, its text, that it failed, that the thing isn't there? Never decides by words
// that the policy doesn't name.
import { matchesItself, saysWords } from "./echo.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "./json.ts";
import { type LongText, longTextsOf } from "./long-text.ts";
import { matchesWildcard } from "./wildcard.ts";

/**
 * Gives the value of a result (10-manifest, base rules): `structuredContent` if present, else its only text block parsed as JSON, else
 * that text. A result with no text block, or with several, is the list of its blocks: no `$result.name` finds anything in it.
 * `asText`: the only text block stays the text that it is.
 */
export function valueOfResult(result: Json, asText = false): Json {
  const body = bodyOf(result);
  const structured = ownMember(body, "structuredContent");
  if (structured !== undefined && structured !== null) return structured;
  const only = onlyTextOf(result);
  if (only === undefined) return ownMember(body, "content") ?? body;
  if (asText) return only;
  try {
    return parseJson(only);
  } catch {
    return only;
  }
}

/** Gives the only text block of a result, whatever stands beside it; undefined where there is none, or several. */
export function onlyTextOf(result: Json): string | undefined {
  const texts = blocksOf(result)
    .map(textOfBlock)
    .filter((text) => text !== undefined);
  return texts.length === 1 ? texts[0] : undefined;
}

/** Gives the whole text of a result that consists of a single text block; undefined for any other. */
export function textOfResult(result: Json): string | undefined {
  const blocks = blocksOf(result);
  return blocks.length === 1 ? textOfBlock(blocks[0] as Json) : undefined;
}

/** Gives everything a result says in words, its text blocks in order, one per line. */
export function errorTextOf(result: Json): string {
  return blocksOf(result)
    .map(textOfBlock)
    .filter((text) => text !== undefined)
    .join("\n");
}

/** Tells whether the server marked the result as a tool-level error (`isError: true`). */
export function isErrorResult(result: Json): boolean {
  return ownMember(bodyOf(result), "isError") === true;
}

/** Tells whether one of the patterns (`*` stands for anything) matches the whole text; case matters. */
export function matchesWholeText(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesWildcard(pattern, text));
}

/**
 * Tells whether one of the patterns matches the whole text, and would without what it repeats of the arguments (`asked`); "echo" if only what it
 * repeats makes it match.
 */
export function saysWhole(patterns: readonly string[], text: string, asked: Json): boolean | "echo" {
  const matching = patterns.filter((pattern) => matchesWildcard(pattern, text));
  const isOwn = (pattern: string) => matchesItself(text, piecesOf(pattern), asked, (rest) => matchesWildcard(pattern, rest));
  return matching.some(isOwn) || (matching.length > 0 && "echo");
}

function piecesOf(pattern: string): readonly string[] {
  return pattern
    .split("*")
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

/**
 * Tells whether an error says, in words that the policy names (`absentWhen`: lower-cased substrings), that the thing does not exist; "echo" if
 * the words only stand in what it repeats of the arguments (`asked`).
 */
export function saysAbsent(absentWhen: readonly string[], errorText: string, asked: Json): boolean | "echo" {
  const lower = errorText.toLowerCase();
  return absentWhen.some((words) => saysWords(lower, words, asked)) || (absentWhen.some((words) => lower.includes(words)) && "echo");
}

/** Tells whether U+FFFD occurs anywhere, keys included: bytes that were no text were lost on the way. */
export function hasReplacementCharacter(value: Json): boolean {
  if (typeof value === "string") return value.includes("\uFFFD");
  if (!Array.isArray(value) && !isJsonObject(value)) return false;
  const long = longTextsOf(value);
  const isIn = (name: string) => isInText(long?.get(name)) ?? hasReplacementCharacter((value as JsonObject)[name] as Json); // a list has indexes for names
  return Object.keys(value).some((name) => name.includes("\uFFFD") || isIn(name));
}

function isInText(text: LongText | undefined): boolean | undefined {
  let isIn = false;
  text?.eachPart((part) => {
    isIn ||= part.includes("\uFFFD");
  });
  return text && isIn;
}

/** Some servers still answer in the form of 2024-10-07, with everything one level down in `toolResult`. */
function bodyOf(result: Json): Json {
  const wrapped = ownMember(result, "toolResult");
  return wrapped !== undefined && ownMember(result, "content") === undefined ? wrapped : result;
}

/** Gives the blocks of a result, as they came. */
export function blocksOf(result: Json): readonly Json[] {
  const content = ownMember(bodyOf(result), "content");
  return Array.isArray(content) ? content : [];
}

function textOfBlock(block: Json): string | undefined {
  const text = ownMember(block, "type") === "text" ? ownMember(block, "text") : undefined;
  return typeof text === "string" ? text : undefined;
}

function ownMember(value: Json, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
