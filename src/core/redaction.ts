// What of a call stays out of the record, and what stands there instead? Paths as a rule's `redact` has them. Pure; never gives back a text
// in which one of the hidden values could still be read.
import { isJsonObject, type Json, objectFrom, parseJson, printJson } from "./json.ts";
import { readReference } from "./reference.ts";
import { type Namespace, type PathStep, type Reference, valueAsText } from "./template.ts";

/** What stands for each hidden value, by its text. */
export type Shown = ReadonlyMap<string, string>;

/** A shorter text stands in too many others by chance: it is only hidden at its own place. */
const SHORTEST_ELSEWHERE = 4;

/** Gives what stands for a value: that something is hidden, its length in characters, and a keyed mark by which two can be told apart. */
export function shownFor(text: string, mark: string): string {
  return `[redacted: ${text.length} characters, ${mark.slice(0, 16)}]`;
}

/** Lists the paths of `redact` in one namespace; the texts were read before. */
export function hiddenPaths(redact: readonly string[], namespace: Namespace): readonly (readonly PathStep[])[] {
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

/** Lists the texts of what stands at hidden places. */
export function hiddenIn(value: Json, paths: readonly (readonly PathStep[])[]): readonly string[] {
  const found: string[] = [];
  for (const path of paths)
    replaceAt(value, path, (hidden) => {
      found.push(valueAsText(hidden));
      return hidden;
    });
  return found;
}

/** Puts what is shown in the places of what is hidden. */
export function hidePaths(value: Json, paths: readonly (readonly PathStep[])[], shown: Shown): Json {
  return paths.reduce((current, path) => replaceAt(current, path, (hidden) => shown.get(valueAsText(hidden)) ?? hidden), value);
}

/** Replaces hidden texts wherever they stand in a value, in keys and inside of other texts too. */
export function hideTexts(value: Json, shown: Shown): Json {
  const replace = (text: string): string => {
    let current = text;
    for (const [hidden, stands] of shown) if (hidden.length >= SHORTEST_ELSEWHERE) current = current.replaceAll(hidden, () => stands);
    return current;
  };
  const walk = (part: Json): Json => {
    if (typeof part === "string") return replace(part);
    if (Array.isArray(part)) return part.map(walk);
    return isJsonObject(part) ? objectFrom(Object.entries(part).map(([name, member]) => [replace(name), walk(member)] as const)) : part;
  };
  return shown.size === 0 ? value : walk(value);
}

/** Tells whether a hidden text is one of the texts of a value. */
export function holdsHidden(value: Json, shown: Shown): boolean {
  if (typeof value === "string") return value.length >= SHORTEST_ELSEWHERE && shown.has(value);
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return parts.some((part: Json) => holdsHidden(part, shown));
}

/** Hides in the result of a tools/call what is hidden in its value: in `structuredContent`, and in text blocks that are JSON themselves. */
export function hideResult(result: Json, paths: readonly (readonly PathStep[])[], shown: Shown): Json {
  if (!isJsonObject(result)) return hideTexts(result, shown);
  if (paths.some((path) => path.length === 0)) return objectFrom(Object.entries(result).filter(([name]) => name === "isError"));
  const members = Object.entries(result).map(([name, member]): readonly [string, Json] => {
    if (name === "structuredContent") return [name, hidePaths(member, paths, shown)];
    return [name, name === "content" && Array.isArray(member) ? member.map((block) => hideBlock(block, paths, shown)) : member];
  });
  return hideTexts(objectFrom(members), shown);
}

function hideBlock(block: Json, paths: readonly (readonly PathStep[])[], shown: Shown): Json {
  const text = isJsonObject(block) ? block["text"] : undefined;
  if (!isJsonObject(block) || typeof text !== "string") return block;
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return block; // its texts are looked through with the others
  }
  const hidden = hideTexts(hidePaths(value, paths, shown), shown);
  return printJson(hidden) === printJson(value) ? block : { ...block, text: printJson(hidden) };
}

/** Gives the value with what stands at a path replaced; a position, a choice and `[]` alike stand for every element. */
function replaceAt(value: Json, [step, ...rest]: readonly PathStep[], replace: (found: Json) => Json): Json {
  if (step === undefined) return replace(value);
  if (step.kind !== "member") return Array.isArray(value) ? value.map((item) => replaceAt(item, rest, replace)) : value;
  if (!isJsonObject(value) || !Object.hasOwn(value, step.name)) return value;
  return objectFrom(
    Object.entries(value).map(([name, member]) => [name, name === step.name ? replaceAt(member, rest, replace) : member] as const),
  );
}
