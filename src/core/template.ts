// What may stand in a policy's arguments, and what does it become in a given call? References and templates, as data.
// Never reads inherited members, and never leaves a `$snapshot` or `$result` that found nothing out of what is sent.
import { type Json, objectFrom, printJson } from "./json.ts";
import { type LongText, setLongText } from "./long-text.ts";
import { negated } from "./negate.ts";
import { type Lookup, longTextAt, readPath } from "./reference.ts";
import { fromTheTop } from "./references-in.ts";

/** `current` is the snapshot's read, repeated right before the inverse is sent; `item` the element for which a `for_each` is just being made. */
export type Namespace = "args" | "snapshot" | "current" | "result" | "item";

/** Those that a call's own values stand in. */
export const NAMESPACES = ["args", "snapshot", "current", "result"] as const satisfies readonly Namespace[];

/** One step of a path: a member, a position (`[0]`), every element (`[]`), or the one element whose member has a value (`[id=7]`, `[id=$.id]`). */
export type PathStep =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" }
  | { readonly kind: "where"; readonly name: string; readonly value: Json }
  | { readonly kind: "where"; readonly name: string; readonly reference: Reference };

/** `$.path`, `$snapshot.path`, `$current.path`, `$result.path` or `$item.path`; no steps: the whole value. */
export interface Reference {
  readonly namespace: Namespace;
  readonly steps: readonly PathStep[];
  /** As written. */
  readonly text: string;
  /** Under `$item`: the elements of the list, as a reference that isn't under `$item`. */
  readonly elements?: Reference;
}

/** A compiled piece of a policy's arguments. */
export type Template =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "reference"; readonly reference: Reference; readonly missing?: Json; readonly negate?: true }
  | { readonly kind: "text"; readonly parts: readonly (string | Reference)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, Template])[] }
  /** `{ for_each, item }`: a list with one `item` for each element. */
  | { readonly kind: "each"; readonly list: ListTemplate; readonly item: Template };

/** What stands behind `for_each`. */
export type ListTemplate = Template & { readonly kind: "reference" };

/** The values a template may draw on; an absent namespace can't be read. */
export type Bindings = { readonly [name in Namespace]?: Json } & {
  /** What is only known right before the inverse is sent: until then, what it doesn't show stands for itself, as it is written. */
  readonly notYet?: "current";
  /** Nothing is left out: a `$.` reference that finds nothing is missing like any other. */
  readonly isWhole?: true;
};

/** A resolved value, or the reference that gave none. Under `$.` a missing member is left out instead (10-manifest, base rules). */
export type Resolution = { readonly kind: "value"; readonly value: Json } | Missing;

/** A reference that gave no value: what it reads isn't known (yet), has nothing there, or nothing that can be negated or gone through. */
export interface Missing {
  readonly kind: "missing";
  readonly reference: Reference;
  readonly why: "unbound" | "absent" | "not-a-number" | "not-a-list";
}

/**
 * Resolves a template (10-manifest, "A reference that finds nothing"). A `$.` reference alone that finds nothing leaves its member or
 * element out; inside text, at the top, negated, and under any other namespace it is reported as missing. `missing:` supplies a value
 * only where its namespace is bound. Of several that are missing, one whose namespace is bound is reported first. Where `isWhole` is bound,
 * nothing is left out.
 */
export function resolve(template: Template, bindings: Bindings): Resolution {
  const resolved = resolvePart(template, bindings);
  return resolved.kind === "omitted" ? absent(resolved.reference) : resolved;
}

/** Reads what a reference names; absent also where what it selects by names nothing. */
export function lookUp(reference: Reference, bindings: Bindings): Lookup | Missing {
  const found = lookUpBound(reference, bindings);
  return found.kind === "found" || reference.namespace !== bindings.notYet ? found : { kind: "found", value: reference.text };
}

function lookUpBound(reference: Reference, bindings: Bindings): Lookup | Missing {
  const bound = bindings[reference.namespace];
  if (bound === undefined) return { kind: "missing", reference, why: "unbound" };
  const steps: PathStep[] = [];
  for (const step of reference.steps) {
    const wanted = step.kind === "where" && "reference" in step ? lookUp(step.reference, bindings) : undefined;
    if (wanted?.kind === "missing") return wanted;
    if (wanted?.kind === "absent") return step.kind === "where" && "reference" in step ? absent(step.reference) : wanted;
    steps.push(wanted === undefined || step.kind !== "where" ? step : { kind: "where", name: step.name, value: wanted.value });
  }
  return readPath(bound, steps);
}

/** Gives the bindings for each element of a list, in which `$item` is that element; none where the list is empty. */
export function eachElement(
  list: ListTemplate,
  bindings: Bindings,
): { readonly kind: "each"; readonly each: readonly Bindings[] } | Missing {
  const found = resolveElements(list, bindings);
  return found.kind === "omitted" ? absent(found.reference) : found;
}

/** Prints a value as it appears inside text: a string as it is, a number by its digits, anything else as compact JSON. */
export function valueAsText(value: Json): string {
  return typeof value === "string" ? value : printJson(value);
}

type PartResolution = Resolution | { readonly kind: "omitted"; readonly reference: Reference };

/** Tells whether it is the reference alone, as in `"$.id"`. */
export function isBare({ missing, negate }: Template & { kind: "reference" }): boolean {
  return missing === undefined && negate === undefined;
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
    case "list":
      return listOf(template.items.map((item) => resolvePart(item, bindings)));
    case "object":
      return resolveObject(template.members, bindings);
    case "each": {
      const found = resolveElements(template.list, bindings);
      return found.kind === "each" ? listOf(found.each.map((element) => resolvePart(template.item, element))) : found;
    }
  }
}

/** A long text that is taken over as it is isn't read for that. */
function resolveObject(members: (Template & { kind: "object" })["members"], bindings: Bindings): PartResolution {
  const long = new Map(members.map(([name, member]) => [name, longTextOf(member, bindings)]));
  const parts = members.map(([name, member]) => [name, long.get(name) ? EMPTY : resolvePart(member, bindings)] as const);
  const missing = firstMissing(parts.map(([, part]) => part));
  const value = objectFrom(parts.flatMap(([name, part]) => (part.kind === "value" ? [[name, part.value] as const] : [])));
  for (const [name, text] of long) if (text !== undefined) setLongText(value, name, text);
  return missing ?? { kind: "value", value };
}

const EMPTY = { kind: "value", value: "" } as const;

function longTextOf(template: Template, bindings: Bindings): LongText | undefined {
  if (template.kind !== "reference" || !isBare(template)) return undefined;
  return longTextAt(bindings[template.reference.namespace], template.reference.steps);
}

/** Where a path goes through several lists, they are gone through one after the other. */
function resolveElements(
  list: ListTemplate,
  bindings: Bindings,
): { kind: "each"; each: readonly Bindings[] } | Exclude<PartResolution, { kind: "value" }> {
  const read = resolvePart(list, bindings);
  if (read.kind !== "value") return read;
  const depth = list.reference.steps.filter(({ kind }) => kind === "each").length;
  let elements: readonly Json[] = [read.value];
  for (let level = 0; level < Math.max(depth, 1); level++) {
    if (!elements.every((element) => Array.isArray(element))) return { kind: "missing", reference: list.reference, why: "not-a-list" };
    elements = elements.flat();
  }
  return { kind: "each", each: elements.map((item) => ({ ...bindings, item })) };
}

/** What is omitted leaves no gap. */
function listOf(parts: readonly PartResolution[]): PartResolution {
  return firstMissing(parts) ?? { kind: "value", value: parts.flatMap((part) => (part.kind === "value" ? [part.value] : [])) };
}

function firstMissing(parts: readonly PartResolution[]): Missing | undefined {
  const missing = parts.filter((part) => part.kind === "missing");
  return missing.find(({ why }) => why !== "unbound") ?? missing[0];
}

function resolveReference(reference: Reference, bindings: Bindings, missing: Json | undefined): PartResolution {
  const read = lookUp(reference, bindings);
  if (read.kind === "missing") return read;
  if (read.kind === "found") return { kind: "value", value: read.value };
  if (missing !== undefined) return { kind: "value", value: missing };
  return fromTheTop(reference).namespace === "args" && !bindings.isWhole ? { kind: "omitted", reference } : absent(reference);
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
