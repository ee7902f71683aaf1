// Are the arguments that a rule sends those that the tool takes? By the tool's inputSchema, and by what schemas say of what is read. Says only
// what a schema denies.
import { isExactNumber, isJsonObject, type Json } from "./json.ts";
import type { CallTemplate } from "./policy.ts";
import { schemaAt, typeAt, typesAt } from "./schema-at.ts";
import type { Namespace, PathStep, Reference, Template } from "./template.ts";

/** The schema of what each namespace stands for; undefined where nothing is said. */
export type Schemas = Readonly<Record<Namespace, Json | undefined>>;

/** One argument that doesn't fit. `certain`: by the tool's own schema alone; otherwise it depends on the call, or on how strict the server is. */
export interface Misfit {
  readonly what: "unknown" | "missing" | "type";
  readonly certain: boolean;
  readonly words: string;
}

/** Compares the arguments of a call with the tool's inputSchema; `schemas` tell what the references in them may find. */
export function misfitsOf({ server, tool, args }: CallTemplate, inputSchema: Json, schemas: Schemas): readonly Misfit[] {
  const sent = membersOf(args);
  if (sent === undefined || !isJsonObject(inputSchema)) return [];
  const name = `\`${server}.${tool}\``;
  return [
    ...unknownArguments(sent, inputSchema, name),
    ...missingArguments(sent, inputSchema, name, schemas),
    ...wrongTypes(args, [], inputSchema, schemas).map((misfit) => ({ ...misfit, words: `${name} takes ${misfit.words}` })),
  ];
}

type Members = readonly (readonly [string, Template])[];

/** The arguments that a template names; undefined where they depend on the call. */
export function membersOf(args: Template): Members | undefined {
  if (args.kind === "object") return args.members;
  if (args.kind !== "literal" || !isJsonObject(args.value)) return undefined;
  return Object.entries(args.value).map(([name, value]) => [name, { kind: "literal", value }] as const);
}

function unknownArguments(sent: Members, { properties, additionalProperties }: { readonly [key: string]: Json }, tool: string): Misfit[] {
  const takesOthers = additionalProperties === true || isJsonObject(additionalProperties);
  if (!isJsonObject(properties) || takesOthers) return [];
  const certain = additionalProperties === false;
  const unknown = sent.filter(([name]) => !Object.hasOwn(properties, name));
  return unknown.map(([name]) => ({ what: "unknown", certain, words: `${tool} takes no argument \`${name}\`` }));
}

function missingArguments(sent: Members, { required }: { readonly [key: string]: Json }, tool: string, schemas: Schemas): Misfit[] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return names.flatMap((name): Misfit[] => {
    const [, template] = sent.find(([each]) => each === name) ?? [];
    if (template === undefined) return [{ what: "missing", certain: true, words: `${tool} needs the argument \`${name}\`` }];
    if (template.kind !== "reference" || template.missing !== undefined || !mayBeLeftOut(template.reference, schemas.args)) return [];
    const words = `${tool} needs the argument \`${name}\`, and a call may leave out \`${template.reference.text}\``;
    return [{ what: "missing", certain: false, words }];
  });
}

/** Only an argument of the agent's is left out of what is sent. */
function mayBeLeftOut({ namespace, steps }: Reference, schema: Json | undefined): boolean {
  const [first] = steps;
  if (namespace !== "args" || first?.kind !== "member" || !isJsonObject(schema)) return false;
  const { properties, required } = schema;
  const isListed = isJsonObject(properties) && Object.hasOwn(properties, first.name);
  const hasDefault = isListed && isJsonObject(properties[first.name]) && Object.hasOwn(properties[first.name] as object, "default");
  return isListed && !hasDefault && !(Array.isArray(required) && required.includes(first.name));
}

/** Types that differ, at any depth that the schema speaks of. */
function wrongTypes(template: Template, place: readonly PathStep[], inputSchema: Json, schemas: Schemas): Misfit[] {
  const at = schemaAt(inputSchema, place);
  if (at.kind !== "schema") return [];
  const wanted = typesAt(inputSchema, place);
  const found = typeOf(template, schemas);
  if (wanted !== undefined && found !== undefined && !wanted.some((type) => fits(found, type))) {
    const words = `${article(wanted.join(" or "))} as \`${placeText(place)}\`, and is sent ${article(found)}`;
    return [{ what: "type", certain: template.kind !== "reference", words }];
  }
  const members = membersOf(template);
  return (members ?? []).flatMap(([name, member]) => wrongTypes(member, [...place, { kind: "member", name }], inputSchema, schemas));
}

function placeText(place: readonly PathStep[]): string {
  return place.map((step) => (step.kind === "member" ? step.name : "[]")).join(".");
}

function article(type: string): string {
  if (type === "null") return type;
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

/** Whether a value of one type may be one of another; a number may be an integer. */
function fits(found: string, wanted: string): boolean {
  return found === wanted || (found === "integer" && wanted === "number") || (found === "number" && wanted === "integer");
}

function typeOf(template: Template, schemas: Schemas): string | undefined {
  switch (template.kind) {
    case "literal":
      return typeOfValue(template.value);
    case "text":
      return "string";
    case "list":
    case "each":
      return "array";
    case "object":
      return "object";
    case "reference":
      return typeOfReference(template.reference, schemas);
  }
}

function typeOfReference(reference: Reference, schemas: Schemas): string | undefined {
  if (reference.namespace === "item" || reference.steps.some(({ kind }) => kind === "each")) return undefined;
  return typeAt(schemas[reference.namespace], reference.steps);
}

function typeOfValue(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" || isExactNumber(value)) return "number";
  return typeof value;
}
