// What may stand in a policy's arguments, and what does it become in a given call? References and templates, as data.
// Never reads inherited members, and never leaves a `$snapshot` or `$result` that found nothing out of what is sent.
import { isJsonObject, type Json, type JsonObject, objectFrom, printJson } from "./json.ts";
import { negated } from "./negate.ts";
import { readPath, readReference } from "./reference.ts";

/** `current` is the snapshot's read, repeated right before the inverse is sent. */
export type Namespace = "args" | "snapshot" | "current" | "result";

/** One step of a path: a member, a position (`[0]`), or every element (`[]`). */
export type PathStep =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" };

/** `$.path`, `$snapshot.path`, `$current.path` or `$result.path`; no steps: the whole value. */
export interface Reference {
  readonly namespace: Namespace;
  readonly steps: readonly PathStep[];
  /** As written. */
  readonly text: string;
}

/** A compiled piece of a policy's arguments. */
export type Template =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "reference"; readonly reference: Reference; readonly missing?: Json; readonly negate?: true }
  | { readonly kind: "text"; readonly parts: readonly (string | Reference)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, Template])[] };

/** The values a template may draw on; an absent namespace can't be read. */
export type Bindings = { readonly [name in Namespace]?: Json };

/** A resolved value, or the reference that gave none. Under `$.` a missing member is left out instead (10-manifest, base rules). */
export type Resolution = { readonly kind: "value"; readonly value: Json } | Missing;

/** A reference that gave no value: what it reads isn't known (yet), has nothing there, or nothing that can be negated. */
export interface Missing {
  readonly kind: "missing";
  readonly reference: Reference;
  readonly why: "unbound" | "absent" | "not-a-number";
}

/** What is wrong with a piece of a template, and where it stands in the value that was compiled. */
export interface TemplateProblem {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** A reference, and where it stands in the value that was compiled. */
export interface PlacedReference extends Pick<Template & { kind: "reference" }, "negate"> {
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
    case "reference": {
      const { reference, negate } = template;
      return [{ reference, path: isBare(template) ? path : [...path, "from"], ...(negate && { negate }) }];
    }
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
 * element out; inside text, at the top, negated, and under any other namespace it is reported as missing. `missing:` supplies a value
 * only where its namespace is bound. Of several that are missing, one whose namespace is bound is reported first.
 */
export function resolve(template: Template, bindings: Bindings): Resolution {
  const resolved = resolvePart(template, bindings);
  return resolved.kind === "omitted" ? absent(resolved.reference) : resolved;
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
  const modified = compileModified(value, path, problems);
  if (modified !== undefined) return modified;
  if (Object.hasOwn(value, "for_each") && Object.hasOwn(value, "item"))
    problems.push({ path, reason: "this version doesn't know `for_each`" });
  const members = Object.keys(value).map((name) => [name, compile(value[name] as Json, [...path, name], problems)] as const);
  if (members.some(([, member]) => member.kind !== "literal")) return { kind: "object", members };
  return literal(objectFrom(members.map(([name, member]) => [name, literalValue(member)] as const)));
}

/** Compiles `{ from, missing }` and `{ from, negate }`; undefined where it is an ordinary object. */
function compileModified(value: JsonObject, path: readonly (string | number)[], problems: TemplateProblem[]): Template | undefined {
  const [modifier, ...others] = Object.keys(value).filter((name) => name !== "from");
  if (!Object.hasOwn(value, "from") || ![modifier, ...others].every((name) => name === "missing" || name === "negate")) return undefined;
  const from = compile(value["from"] as Json, [...path, "from"], problems);
  const invalid = (place: readonly string[], reason: string) => void problems.push({ path: [...path, ...place], reason });
  if (from.kind !== "reference" || !isBare(from))
    invalid(["from"], `\`from\` beside \`${modifier}\` must be a single reference, like \`$snapshot.notes\``);
  else if (others.length > 0) invalid([], "`missing` and `negate` don't go together");
  else if (modifier === "missing") return { kind: "reference", reference: from.reference, missing: value["missing"] as Json };
  else if (value["negate"] === true) return { kind: "reference", reference: from.reference, negate: true };
  else invalid(["negate"], "`negate` must be `true`; leave it out for the value as it is");
  return from;
}

/** Tells whether it is the reference alone, as in `"$.id"`. */
function isBare({ missing, negate }: Template & { kind: "reference" }): boolean {
  return missing === undefined && negate === undefined;
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
      return template.negate
        ? resolveNegated(template.reference, bindings)
        : resolveReference(template.reference, bindings, template.missing);
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

/** Resolves each; an omitted one leaves a gap. */
function resolveParts(templates: readonly Template[], bindings: Bindings): ({ readonly value: Json } | undefined)[] | Missing {
  const parts = templates.map((template) => resolvePart(template, bindings));
  return firstMissing(parts) ?? parts.map((part) => (part.kind === "value" ? part : undefined));
}

function firstMissing(parts: readonly PartResolution[]): Missing | undefined {
  const missing = parts.filter((part) => part.kind === "missing");
  return missing.find(({ why }) => why !== "unbound") ?? missing[0];
}

function resolveReference(reference: Reference, bindings: Bindings, missing: Json | undefined): PartResolution {
  const bound = bindings[reference.namespace];
  if (bound === undefined) return { kind: "missing", reference, why: "unbound" };
  const read = readPath(bound, reference.steps);
  if (read.kind === "found") return { kind: "value", value: read.value };
  if (missing !== undefined) return { kind: "value", value: missing };
  return reference.namespace === "args" ? { kind: "omitted", reference } : absent(reference);
}

/** A number that isn't there isn't left out: the server's default in its place would be no negation of what the agent did. */
function resolveNegated(reference: Reference, bindings: Bindings): PartResolution {
  const read = resolveReference(reference, bindings, undefined);
  if (read.kind !== "value") return read.kind === "omitted" ? absent(reference) : read;
  const value = negated(read.value);
  return value === undefined ? { kind: "missing", reference, why: "not-a-number" } : { kind: "value", value };
}

function resolveText(parts: readonly (string | Reference)[], bindings: Bindings): PartResolution {
  const read = parts.map((part): PartResolution => {
    if (typeof part === "string") return { kind: "value", value: part };
    const resolved = resolveReference(part, bindings, undefined);
    return resolved.kind === "omitted" ? absent(part) : resolved;
  });
  const text = read.map((part) => (part.kind === "value" ? valueAsText(part.value) : "")).join("");
  return firstMissing(read) ?? { kind: "value", value: text };
}

function absent(reference: Reference): Missing {
  return { kind: "missing", reference, why: "absent" };
}
