// What of a call stays out of the record, and what stands there instead? Paths as a rule's `redact` has them. Pure; where a value has another
// shape than a path expects, all of it is hidden: never less.
import { canonicalJson, isExactNumber, isJsonObject, type Json, objectFrom, parseJson, printJson } from "./json.ts";
import { readReference } from "./reference.ts";
import { addNeedle, hideTexts, leavesOf } from "./secret-texts.ts";
import type { Namespace, PathStep, Reference } from "./template.ts";

/** Where something is hidden. */
export type HiddenPaths = readonly (readonly PathStep[])[];

/** What stands for hidden values. */
export interface Shown {
  /** At its own place, by the value's canonical JSON. */
  readonly places: Map<string, string>;
  /** Anywhere else. */
  readonly texts: Map<string, string>;
}

/** Gives what nothing is hidden by yet. */
export function nothingShown(): Shown {
  return { places: new Map(), texts: new Map() };
}

/** Gives what stands for a value: that something is hidden, its length in characters, and a keyed mark by which two can be told apart. */
export function shownFor(value: Json, mark: string): string {
  return `[redacted: ${typeof value === "string" ? value.length : canonicalJson(value).length} characters, ${mark.slice(0, 16)}]`;
}

/** Tells whether something in a value was hidden when it was recorded. */
export function showsHidden(value: Json): boolean {
  return /\[redacted: \d+ characters, [0-9a-f]{16}\]/.test(printJson(value));
}

/** Hides a value from now on: at its place, and each text and number in it wherever it stands. */
export function addShown({ places, texts }: Shown, value: Json, stands: string): void {
  places.set(canonicalJson(value), stands);
  for (const text of leavesOf(value)) addNeedle(texts, text, stands);
}

/** Lists the paths of `redact` in one namespace; the texts were read before. */
export function hiddenPaths(redact: readonly string[], namespace: Namespace): HiddenPaths {
  return redact.flatMap((text) => {
    const read = readReference(text, 0);
    return read.kind === "reference" && read.reference.namespace === namespace ? [read.reference.steps] : [];
  });
}

/** Tells whether a reference reads something hidden: the same place, one around it, or one inside of it. */
export function readsHidden({ namespace, steps }: Pick<Reference, "namespace" | "steps">, redact: readonly string[]): boolean {
  const paths = hiddenPaths(redact, namespace === "current" ? "snapshot" : namespace);
  const isSameStep = (a: PathStep, b: PathStep) => a.kind !== "member" || b.kind !== "member" || a.name === b.name;
  return paths.some((path) => path.slice(0, steps.length).every((step, index) => isSameStep(step, steps[index] ?? step)));
}

/** Lists what stands at hidden places. */
export function hiddenIn(value: Json, paths: HiddenPaths): readonly Json[] {
  const found: Json[] = [];
  replaceAt(value, paths, (hidden) => {
    found.push(hidden);
    return hidden;
  });
  return found;
}

/** Puts what is shown in the places of what is hidden. */
export function hidePaths(value: Json, paths: HiddenPaths, { places }: Pick<Shown, "places">): Json {
  return replaceAt(value, paths, (hidden) => places.get(canonicalJson(hidden)) ?? "[redacted]");
}

/** Lists what stands at hidden places of the result of a tools/call, wherever it says its value. */
export function hiddenInResult(result: Json, paths: HiddenPaths): readonly Json[] {
  const found: Json[] = [];
  if (paths.some((path) => path.length === 0)) return [result];
  mapValues(result, (value) => {
    found.push(...hiddenIn(value, fitting(value, paths)));
    return value;
  });
  return found;
}

/** Hides in the result of a tools/call what is hidden in its value: in `structuredContent`, in text blocks that are JSON themselves, and wherever else it stands. */
export function hideResult(result: Json, paths: HiddenPaths, shown: Shown): Json {
  if (paths.some((path) => path.length === 0))
    return objectFrom(isJsonObject(result) ? Object.entries(result).filter(([name]) => name === "isError") : []);
  return hideTexts(
    mapValues(result, (value) => hideTexts(hidePaths(value, fitting(value, paths), shown), shown.texts)),
    shown.texts,
  );
}

/** A result may say in words what a path expects as a value: its secrets are looked for in them, and the words are kept. */
export function fitting(value: Json, paths: HiddenPaths): HiddenPaths {
  return paths.filter(([step]) => step === undefined || !isOtherShape(value, step));
}

/** Some servers still answer in the form of 2024-10-07, with everything one level down in `toolResult`. */
function mapValues(result: Json, map: (value: Json) => Json): Json {
  if (!isJsonObject(result)) return result;
  return objectFrom(
    Object.entries(result).map(([name, member]): readonly [string, Json] => {
      if (name === "structuredContent") return [name, map(member)];
      if (name === "toolResult") return [name, mapValues(isJsonObject(member) && "content" in member ? member : map(member), map)];
      return [name, name === "content" && Array.isArray(member) ? member.map((block: Json) => mapBlock(block, map)) : member];
    }),
  );
}

function mapBlock(block: Json, map: (value: Json) => Json): Json {
  const text = isJsonObject(block) ? block["text"] : undefined;
  if (!isJsonObject(block) || typeof text !== "string") return block;
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return block; // its texts are looked through with the others
  }
  const mapped = map(value);
  return printJson(mapped) === printJson(value) ? block : { ...block, text: printJson(mapped) };
}

/** Replaces what stands at any of the paths, once, the outermost; a position, a choice and `[]` alike stand for every element. */
function replaceAt(value: Json, paths: HiddenPaths, replace: (found: Json) => Json): Json {
  if (paths.length === 0) return value;
  if (paths.some(([step]) => step === undefined || isOtherShape(value, step))) return replace(value);
  const within = (name: string | undefined) =>
    paths.flatMap(([step, ...rest]) => ((step?.kind === "member" ? step.name : undefined) === name ? [rest] : []));
  if (Array.isArray(value)) return value.map((item: Json) => replaceAt(item, within(undefined), replace));
  if (!isJsonObject(value)) return value;
  return objectFrom(Object.entries(value).map(([name, member]) => [name, replaceAt(member, within(name), replace)] as const));
}

/** Tells whether a value can't have what a step of a path names, but something else in its place. */
function isOtherShape(value: Json, step: PathStep): boolean {
  if (value === null || typeof value === "boolean") return false;
  if (typeof value !== "object" || isExactNumber(value)) return true;
  return Array.isArray(value) === (step.kind === "member");
}
