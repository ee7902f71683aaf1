// What may stand in a policy's arguments, and what does it become in a given call? References and templates, as data.
// Never reads inherited members, and never leaves a `$snapshot` or `$result` that found nothing out of what is sent.
import { isJsonObject, type Json, objectFrom, printJson } from "./json.ts";
import { readPath, readReference } from "./reference.ts";

export type Namespace = "args" | "snapshot" | "result";

/** One step of a path: a member, a position (`[0]`), or every element (`[]`). */
export type PathStep =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" };

/** `$.path`, `$snapshot.path` or `$result.path`; no steps: the whole value. */
export interface Reference {
  readonly namespace: Namespace;
  readonly steps: readonly PathStep[];
  /** As written. */
  readonly text: string;
}

/** A compiled piece of a policy's arguments. */
export type Template =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "reference"; readonly reference: Reference; readonly missing?: Json }
  | { readonly kind: "text"; readonly parts: readonly (string | Reference)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, Template])[] };

/** The values a template may draw on; an absent namespace can't be read. */
export interface Bindings {
  readonly args?: Json;
  readonly snapshot?: Json;
  readonly result?: Json;
}

/** A resolved value, or the reference that found nothing. Under `$.` a missing member is left out instead (10-manifest, base rules). */
export type Resolution = { readonly kind: "value"; readonly value: Json } | { readonly kind: "missing"; readonly reference: Reference };

/** What is wrong with a piece of a template, and where it stands in the value that was compiled. */
export interface TemplateProblem {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** A reference, and where it stands in the value that was compiled. */
export interface PlacedReference {
  readonly reference: Reference;
  readonly path: readonly (string | number)[];
}

/** Compiles a value as a policy holds it, or says everything that is wrong with it. */
export function compileTemplate(
  value: Json,
): { kind: "compiled"; template: Template } | { kind: "invalid"; problems: readonly TemplateProblem[] } {
  const problems: TemplateProblem[] = [];
  const template = compile(value, [], problems);
  return problems.length === 0 ? { kind: "compiled", template } : { kind: "invalid", problems };
}

/** Lists every reference of a template in the order written. */
export function referencesIn(template: Template): readonly Reference[] {
  return placedReferencesIn(template).map((placed) => placed.reference);
}

/** Lists every reference of a template with its place, as `["edits", 0, "text"]`. */
export function placedReferencesIn(template: Template, path: readonly (string | number)[] = []): readonly PlacedReference[] {
  switch (template.kind) {
    case "literal":
      return [];
    case "reference":
      return [{ reference: template.reference, path: template.missing === undefined ? path : [...path, "from"] }];
    case "text":
      return template.parts.filter((part) => typeof part !== "string").map((reference) => ({ reference, path }));
    case "list":
      return template.items.flatMap((item, index) => placedReferencesIn(item, [...path, index]));
    case "object":
      return template.members.flatMap(([name, member]) => placedReferencesIn(member, [...path, name]));
  }
}

/**
 * Resolves a template (10-manifest, "A reference that finds nothing"). A `$.` reference alone that finds nothing leaves its member or
 * element out; inside text, at the top, and under `$snapshot` or `$result` it is reported as missing. `missing:` supplies a value only
 * where its namespace is bound.
 */
export function resolve(template: Template, bindings: Bindings): Resolution {
  const resolved = resolvePart(template, bindings);
  return resolved.kind === "omitted" ? { kind: "missing", reference: resolved.reference } : resolved;
}

/** Prints a value as it appears inside text: a string as it is, a number by its digits, anything else as compact JSON. */
export function valueAsText(value: Json): string {
  return typeof value === "string" ? value : printJson(value);
}

type PartResolution = Resolution | { readonly kind: "omitted"; readonly reference: Reference };

function compile(value: Json, path: readonly (string | number)[], problems: TemplateProblem[]): Template {
  if (typeof value === "string") return compileText(value, path, problems);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compile(item, [...path, index], problems));
    return items.every((item) => item.kind === "literal") ? literal(items.map(literalValue)) : { kind: "list", items };
  }
  if (!isJsonObject(value)) return literal(value);
  const names = Object.keys(value);
  if (names.length === 2 && Object.hasOwn(value, "from") && Object.hasOwn(value, "missing")) return compileMissing(value, path, problems);
  if (Object.hasOwn(value, "for_each") && Object.hasOwn(value, "item"))
    problems.push({ path, reason: "this version doesn't know `for_each`" });
  const members = names.map((name) => [name, compile(value[name] as Json, [...path, name], problems)] as const);
  if (members.some(([, member]) => member.kind !== "literal")) return { kind: "object", members };
  return literal(objectFrom(members.map(([name, member]) => [name, literalValue(member)] as const)));
}

function compileMissing(
  value: { readonly [key: string]: Json },
  path: readonly (string | number)[],
  problems: TemplateProblem[],
): Template {
  const from = compile(value["from"] as Json, [...path, "from"], problems);
  if (from.kind === "reference") return { kind: "reference", reference: from.reference, missing: value["missing"] as Json };
  problems.push({ path: [...path, "from"], reason: "`from` beside `missing` must be a single reference, like `$snapshot.notes`" });
  return from;
}

function compileText(text: string, path: readonly (string | number)[], problems: TemplateProblem[]): Template {
  const parts: (string | Reference)[] = [];
  let written = "";
  let position = 0;
  for (let dollar = text.indexOf("$"); dollar >= 0; dollar = text.indexOf("$", position)) {
    written += text.slice(position, dollar);
    position = dollar + 2;
    if (text[dollar + 1] === "$") {
      written += "$";
      continue;
    }
    const read = readReference(text, dollar);
    if (read.kind === "invalid") {
      problems.push({ path, reason: read.reason });
      return literal(text);
    }
    if (written !== "") parts.push(written);
    parts.push(read.reference);
    written = "";
    position = read.end;
  }
  written += text.slice(position);
  if (parts.length === 0) return literal(written);
  if (written !== "") parts.push(written);
  const only = parts[0];
  return parts.length === 1 && only !== undefined && typeof only !== "string"
    ? { kind: "reference", reference: only }
    : { kind: "text", parts };
}

function literal(value: Json): Template {
  return { kind: "literal", value };
}

function literalValue(template: Template): Json {
  return template.kind === "literal" ? template.value : null;
}

function resolvePart(template: Template, bindings: Bindings): PartResolution {
  switch (template.kind) {
    case "literal":
      return { kind: "value", value: template.value };
    case "reference":
      return resolveReference(template.reference, bindings, template.missing);
    case "text":
      return resolveText(template.parts, bindings);
    case "list": {
      const items = resolveParts(template.items, bindings);
      return Array.isArray(items) ? { kind: "value", value: items.flatMap((item) => (item === undefined ? [] : [item.value])) } : items;
    }
    case "object": {
      const values = resolveParts(
        template.members.map(([, member]) => member),
        bindings,
      );
      if (!Array.isArray(values)) return values;
      const members = template.members.flatMap(([name], index) => {
        const resolved = values[index];
        return resolved === undefined ? [] : [[name, resolved.value] as const];
      });
      return { kind: "value", value: objectFrom(members) };
    }
  }
}

type Missing = Extract<Resolution, { kind: "missing" }>;

/** Resolves each; an omitted one leaves a gap. */
function resolveParts(templates: readonly Template[], bindings: Bindings): ({ readonly value: Json } | undefined)[] | Missing {
  const resolved: ({ readonly value: Json } | undefined)[] = [];
  for (const template of templates) {
    const part = resolvePart(template, bindings);
    if (part.kind === "missing") return part;
    resolved.push(part.kind === "value" ? part : undefined);
  }
  return resolved;
}

function resolveReference(reference: Reference, bindings: Bindings, missing: Json | undefined): PartResolution {
  const bound = bindings[reference.namespace];
  if (bound === undefined) return { kind: "missing", reference };
  const read = readPath(bound, reference.steps);
  if (read.kind === "found") return { kind: "value", value: read.value };
  if (missing !== undefined) return { kind: "value", value: missing };
  return { kind: reference.namespace === "args" ? "omitted" : "missing", reference };
}

function resolveText(parts: readonly (string | Reference)[], bindings: Bindings): PartResolution {
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const read = resolveReference(part, bindings, undefined);
    if (read.kind !== "value") return { kind: "missing", reference: part };
    text += valueAsText(read.value);
  }
  return { kind: "value", value: text };
}
