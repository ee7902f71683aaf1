// What does a value in a policy's arguments mean, and is it written rightly? Everything that is wrong with it is said, with its place.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "./json.ts";
import { readReference } from "./reference.ts";
import { elementsIn } from "./references-in.ts";
import { isBare, type ListTemplate, type PathStep, type Reference, type Template } from "./template.ts";

/** What is wrong with a piece of a template, and where it stands in the value that was compiled. */
export interface TemplateProblem {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Compiles a value as a policy holds it, or says everything that is wrong with it. `list`: the one by whose elements it is repeated, if so. */
export function compileTemplate(
  value: Json,
  list?: ListTemplate,
): { kind: "compiled"; template: Template } | { kind: "invalid"; problems: readonly TemplateProblem[] } {
  const problems: TemplateProblem[] = [];
  const template = compile(value, [], { problems, elements: list && elementsIn(list.reference) });
  return problems.length === 0 ? { kind: "compiled", template } : { kind: "invalid", problems };
}

interface Scope {
  readonly problems: TemplateProblem[];
  /** What `$item` is one of; undefined outside of a `for_each`. */
  readonly elements: Reference | undefined;
}

function compile(value: Json, path: readonly (string | number)[], scope: Scope): Template {
  if (typeof value === "string") return compileText(value, path, scope);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compile(item, [...path, index], scope));
    return items.every((item) => item.kind === "literal") ? literal(items.map(literalValue)) : { kind: "list", items };
  }
  if (!isJsonObject(value)) return literal(value);
  const special = compileModified(value, path, scope) ?? compileEach(value, path, scope);
  if (special !== undefined) return special;
  const members = Object.keys(value).map((name) => [name, compile(value[name] as Json, [...path, name], scope)] as const);
  if (members.some(([, member]) => member.kind !== "literal")) return { kind: "object", members };
  return literal(objectFrom(members.map(([name, member]) => [name, literalValue(member)] as const)));
}

/** Compiles `{ from, missing }` and `{ from, negate }`; undefined where it is an ordinary object. */
function compileModified(value: JsonObject, path: readonly (string | number)[], scope: Scope): Template | undefined {
  const [modifier, ...others] = Object.keys(value).filter((name) => name !== "from");
  if (!Object.hasOwn(value, "from") || ![modifier, ...others].every((name) => name === "missing" || name === "negate")) return undefined;
  const from = compile(value["from"] as Json, [...path, "from"], scope);
  const invalid = (place: readonly string[], reason: string) => void scope.problems.push({ path: [...path, ...place], reason });
  if (from.kind !== "reference" || !isBare(from))
    invalid(["from"], `\`from\` beside \`${modifier}\` must be a single reference, like \`$snapshot.notes\``);
  else if (others.length > 0) invalid([], "`missing` and `negate` don't go together");
  else if (modifier === "missing") return { kind: "reference", reference: from.reference, missing: value["missing"] as Json };
  else if (value["negate"] === true) return { kind: "reference", reference: from.reference, negate: true };
  else invalid(["negate"], "`negate` must be `true`; leave it out for the value as it is");
  return from;
}

/** Compiles `{ for_each, item }`; undefined where `for_each` is an ordinary member. */
function compileEach(value: JsonObject, path: readonly (string | number)[], scope: Scope): Template | undefined {
  if (!Object.hasOwn(value, "for_each")) return undefined;
  const names = Object.keys(value);
  const list = compile(value["for_each"] as Json, [...path, "for_each"], scope);
  if (!names.includes("item") && list.kind === "literal") return undefined;
  const invalid = (place: readonly string[], reason: string) => {
    scope.problems.push({ path: [...path, ...place], reason });
    return list;
  };
  if (list.kind !== "reference" || list.negate)
    return invalid(["for_each"], "`for_each` must be a single reference to a list, like `$snapshot.items[]`");
  if (!names.includes("item")) return invalid([], "`for_each` needs an `item`: what to make of each element");
  const other = names.find((name) => name !== "for_each" && name !== "item");
  if (other !== undefined) return invalid([other], `\`${other}\` can't stand beside \`for_each\` and \`item\``);
  const item = compile(value["item"] as Json, [...path, "item"], { ...scope, elements: elementsIn(list.reference) });
  return { kind: "each", list, item };
}

function compileText(text: string, path: readonly (string | number)[], { problems, elements }: Scope): Template {
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
    const reference = read.kind === "reference" ? withElements(read.reference, elements) : undefined;
    if (read.kind === "invalid" || reference === undefined) {
      problems.push({
        path,
        reason: read.kind === "invalid" ? read.reason : `\`${read.reference.text}\`: only within \`for_each\` is there an \`$item\``,
      });
      return literal(text);
    }
    if (written !== "") parts.push(written);
    parts.push(reference);
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

/** Tells a reference what its `$item` is one of, in its selections too; undefined where it is under `$item` and there is none. */
function withElements(reference: Reference, elements: Reference | undefined): Reference | undefined {
  const steps: PathStep[] = [];
  for (const step of reference.steps) {
    const selecting = step.kind === "where" && "reference" in step ? withElements(step.reference, elements) : undefined;
    if (step.kind !== "where" || !("reference" in step)) steps.push(step);
    else if (selecting === undefined) return undefined;
    else steps.push({ ...step, reference: selecting });
  }
  if (reference.namespace !== "item") return { ...reference, steps };
  return elements && { ...reference, steps, elements };
}

function literal(value: Json): Template {
  return { kind: "literal", value };
}

function literalValue(template: Template): Json {
  return template.kind === "literal" ? template.value : null;
}
