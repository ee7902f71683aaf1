// Which things does a call touch? Their keys are what locks, dependencies and the plan go by, so two ways of writing one path must
// give one key. Never used to find the thing itself.
import { canonicalJson, isJsonObject, type Json, objectFrom } from "./json.ts";
import type { Rule } from "./policy.ts";
import { callsOfRead, type ResolvedRead } from "./resolved-read.ts";
import { type Bindings, lookUp, type Reference, resolve, type Template, valueAsText } from "./template.ts";

/** How many things one call may touch. References to lists multiply, and each name is a lock and a row. */
export const MAX_RESOURCES = 10_000;

/** The names of what a call touches; undefined where they are more than MAX_RESOURCES. */
export type Resources = readonly string[] | undefined;

/**
 * Names what a call touches, as `server:text`, sorted and each once. Texts come from the rule's `resource`; one whose reference finds
 * nothing (yet) is left out. Where none is left it is the snapshot's tools and arguments; without a snapshot, nothing.
 */
export function resourcesOf(rule: Rule, server: string, bindings: Bindings, read: ResolvedRead | undefined): Resources {
  const texts: string[] = [];
  for (const template of rule.resource ?? []) {
    const found = textsOf(template, bindings);
    if (found === undefined || texts.length + found.length > MAX_RESOURCES) return undefined;
    for (const text of found) texts.push(`${server}:${normalizePath(text)}`);
  }
  if (texts.length > 0) return [...new Set(texts)].sort();
  if (read === undefined) return [];
  return [...new Set(callsOfRead(read).map((call) => `${call.server}:${call.tool}:${canonicalJson(normalizeTexts(call.args))}`))].sort();
}

/**
 * Writes a path in one way: `./a`, `a//b`, `a/./b` and `a/x/../b` lose what says nothing; a leading `/` and a leading `..` stay. A
 * prefix before a colon, as in `file:./a`, stays in front.
 */
export function normalizePath(text: string): string {
  const colon = text.indexOf(":");
  const prefix = colon >= 0 && !text.slice(0, colon).includes("/") ? text.slice(0, colon + 1) : "";
  const path = text.slice(prefix.length);
  const root = path.startsWith("/") ? "/" : "";
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept[kept.length - 1] !== "..") kept.pop();
    else if (root === "") kept.push("..");
  }
  return prefix + root + kept.join("/");
}

/** Every text a template gives: a reference to a list gives one for each of its elements. Undefined where they are too many. */
function textsOf(template: Template, bindings: Bindings): readonly string[] | undefined {
  if (template.kind === "reference") return textsAt(template.reference, bindings);
  if (template.kind === "text") {
    let texts: readonly string[] = [""];
    for (const part of template.parts) {
      const endings = typeof part === "string" ? [part] : textsAt(part, bindings);
      if (texts.length * endings.length > MAX_RESOURCES) return undefined;
      texts = texts.flatMap((text) => endings.map((ending) => text + ending));
    }
    return texts;
  }
  const resolved = resolve(template, bindings);
  return resolved.kind === "value" ? [valueAsText(resolved.value)] : [];
}

function textsAt(reference: Reference, bindings: Bindings): readonly string[] {
  const read = lookUp(reference, bindings);
  return read.kind === "found" ? flatten(read.value).map(valueAsText) : [];
}

function flatten(value: Json): readonly Json[] {
  return Array.isArray(value) ? value.flatMap(flatten) : [value];
}

function normalizeTexts(value: Json): Json {
  if (typeof value === "string") return normalizePath(value);
  if (Array.isArray(value)) return value.map(normalizeTexts);
  if (isJsonObject(value)) return objectFrom(Object.entries(value).map(([name, member]) => [name, normalizeTexts(member)] as const));
  return value;
}
