// With which arguments does one tool read, or take back, what another one changes? By names, choices and schemas. Where nothing says where an
// argument would come from, it is named as unresolved; never guesses an identity.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../core/json.ts";
import { printPath } from "../core/reference.ts";
import { schemaAt } from "../core/schema-at.ts";
import { isControl, isIdentity, isOfTheCopied, isSearch, namesThing, sameInput, shapesMeet } from "./same-input.ts";
import type { Input, ToolFacts } from "./tool-facts.ts";
import { deedOf } from "./verbs.ts";
import { wordsOf } from "./words.ts";

/** Arguments as templates. `grounded`: schemas say that every reference finds something. */
export interface Arguments {
  readonly args: JsonObject;
  readonly grounded: boolean;
  /** Required inputs for which nothing was found. */
  readonly unresolved: readonly string[];
  /** Inputs of the call that say what is to be, and that the arguments don't put back. */
  readonly notRestored: readonly string[];
}

/** Where the state comes from that an inverse writes back. */
export interface StateSource {
  readonly reader: ToolFacts;
  /** The inputs of the call that say which thing it is: those that the read takes. */
  readonly identity: ReadonlySet<string>;
}

const WHOLE = new Set("content contents text body markdown data value".split(" "));
/** Gives the arguments by which a read shows what a call is about; undefined where the call lacks one that the read needs. */
export function readArguments(
  reader: ToolFacts,
  call: ToolFacts,
): { readonly args: JsonObject; readonly identity: ReadonlySet<string> } | undefined {
  const identity = new Set<string>();
  const args: [string, Json][] = [];
  for (const input of reader.inputs) {
    const source = input.choices.length === 1 ? undefined : sameInput(input, reader, call);
    if (
      source !== undefined &&
      !(source.type === "object" && HOLDERS.has(source.key)) &&
      (input.required ? source.required : isIdentity(input) && source.required)
    ) {
      identity.add(source.name);
      args.push([input.name, reference("$", source.name)]);
    } else if (input.required) {
      const fixed = fixedValue(input, "read");
      if (fixed === undefined) return undefined;
      args.push([input.name, fixed]);
    }
  }
  return { args: objectFrom(args), identity };
}

/** Gives the arguments by which `target` writes back what was read before the call. */
export function restoringArguments(target: ToolFacts, call: ToolFacts, { reader, identity }: StateSource): Arguments {
  const state = reader.tool.outputSchema;
  const values = call.inputs.filter((input) => !identity.has(input.name) && !isControl(input) && !namesThing(input, call));
  // A read that isn't told which one shows many, and nothing says where among them this one is.
  const unseen = call.inputs.filter((input) => input.required && !identity.has(input.name) && namesThing(input, call));
  let grounded = true;
  const members: [string, Json][] = [];
  const unresolved: string[] = unseen.map(({ name }) => name);
  const restored = new Set<string>();
  for (const input of target.inputs) {
    const source = input.choices.length === 1 ? undefined : sameInput(input, target, call);
    if (source !== undefined && (identity.has(source.name) || (source.required && namesThing(source, call)))) {
      members.push([input.name, reference("$", source.name)]);
      continue;
    }
    if (isControl(input) || fixedValue(input, "write") !== undefined) {
      const fixed = source?.required === true && isControl(input) ? reference("$", source.name) : fixedValue(input, "write");
      if (input.required && fixed !== undefined) members.push([input.name, fixed]);
      else if (input.required) unresolved.push(input.name);
      continue;
    }
    const found = membersInState(input, state) ?? inState(input, state, reader);
    if (found === undefined) {
      if (input.required) unresolved.push(input.name);
      continue;
    }
    grounded &&= found.certain;
    restored.add(source?.name ?? input.name);
    members.push([input.name, found.text]);
  }
  const whole = values.some(({ name }) => restored.has(name)) || restored.size > 0;
  const lost = target === call ? values.filter(({ name }) => !restored.has(name)).map(({ name }) => name) : [];
  return {
    args: objectFrom(members),
    grounded: grounded && whole,
    unresolved: whole ? unresolved : ["the state before"],
    notRestored: lost,
  };
}

/** Gives the arguments by which `target` takes back what a call has added or switched, from the call and its result. */
export function offsettingArguments(target: ToolFacts, call: ToolFacts, fixed: JsonObject = {}): Arguments {
  const result = call.tool.outputSchema;
  let grounded = true;
  const members: [string, Json][] = [];
  const unresolved: string[] = [];
  for (const input of target.inputs) {
    const given = Object.hasOwn(fixed, input.name) ? fixed[input.name] : undefined;
    const source = input.choices.length === 1 || isOfTheCopied(input, target, call) ? undefined : sameInput(input, target, call);
    // Of what a call adds its result says what is new: the rest was there before, and isn't ours to remove.
    const added = call.deed === "add" && input.type === "array" ? inResult(input, target, result) : undefined;
    if (source?.required === true && !shapesMeet(input, source)) unresolved.push(input.name);
    else if (added !== undefined) members.push([input.name, added.text]);
    else if (given !== undefined) members.push([input.name, given]);
    else if (source !== undefined && (source.required || (input.required && isIdentity(input) && call.deed !== "add"))) {
      grounded &&= source.required;
      members.push([input.name, reference("$", source.name)]);
    } else if (input.required) {
      const value = fixedValue(input, "remove");
      const found = value === undefined ? newId(input, target, call, members) : { text: value, certain: true };
      if (found === undefined) unresolved.push(input.name);
      else {
        grounded &&= found.certain;
        members.push([input.name, found.text]);
      }
    }
  }
  const unsaid = call.deed === "add" && target.deed === "remove" ? whichOne(target, members) : undefined;
  if (unsaid !== undefined) {
    const found = isSearch(unsaid) ? undefined : inResult(unsaid, target, result);
    if (found === undefined) unresolved.push(unsaid.name);
    else members.push([unsaid.name, found.text]);
    grounded &&= found?.certain === true;
  }
  return { args: objectFrom(members), grounded, unresolved, notRestored: [] };
}

/** What would say which one is removed, may be left out, and is: then it could be any of them, or all. */
function whichOne(target: ToolFacts, members: readonly (readonly [string, Json])[]): Input | undefined {
  const said = new Set(members.filter(([, value]) => value !== null).map(([name]) => name));
  const told = target.inputs.some(
    (input) => said.has(input.name) && (namesThing(input, target) || (isIdentity(input) && !input.key.includes(" "))),
  );
  if (told || members.some(([, value]) => typeof value === "string" && value.startsWith("$result"))) return undefined;
  return target.inputs.find((input) => !input.required && !said.has(input.name) && (namesThing(input, target) || isSearch(input)));
}

/** The id of what was added, in the result; of several things there is no one id, and of another thing none at all. */
function newId(input: Input, target: ToolFacts, call: ToolFacts, members: readonly (readonly [string, Json])[]): Found | undefined {
  const result = call.tool.outputSchema;
  const found = inResult(input, target, result);
  if (found?.certain !== false || call.deed !== "add" || target.deed !== "remove") return found;
  const several = call.inputs.some(({ key, type, required }) => required && type === "array" && key === call.thing.at(-1));
  const others = members.some(([, value]) => typeof value === "string" && value.startsWith("$result"));
  const named = target.inputs.some((each) => each.required && namesThing(each, target));
  const itsOwn = named ? namesThing(input, target) : !others && target.thing.join(" ") === call.thing.join(" ");
  return several || !itsOwn ? undefined : found;
}

/** The one value that an input can have, or the choice that suits; true for what only asks to be confirmed. */
function fixedValue({ schema, choices, key, type }: Input, purpose: "read" | "remove" | "write"): Json | undefined {
  if (isJsonObject(schema) && purpose !== "write" && schema["default"] !== undefined) return schema["default"];
  if (choices.length === 1) return choices[0];
  if (purpose !== "write") {
    const suits = choices.find((choice) => wordsOf(choice).length === 1 && deedOf(choice) === purpose);
    if (suits !== undefined) return suits;
  }
  return type === "boolean" && key.startsWith("confirm") ? true : undefined;
}

interface Found {
  readonly text: Json;
  readonly certain: boolean;
}

const HOLDERS = new Set("body data field fields attribute attributes payload input update patch value".split(" "));

/** Some servers take all that is to be written in one object: its members are put back one by one. */
function membersInState({ key, type, schema }: Input, state: Json | undefined): Found | undefined {
  if (type !== "object" || !HOLDERS.has(key) || !isJsonObject(schema) || !isJsonObject(schema["properties"])) return undefined;
  const places = Object.keys(schema["properties"]).map((name) => ({ name, at: schemaAt(state, [{ kind: "member", name }]).kind }));
  const there = places.filter(({ at }) => at !== "none");
  if (there.length === 0) return undefined;
  return {
    text: objectFrom(there.map(({ name }) => [name, reference("$snapshot", name)])),
    certain: there.every(({ at }) => at === "schema") && there.length === places.length,
  };
}

function inState(input: Input, state: Json | undefined, reader: ToolFacts): Found | undefined {
  const at = schemaAt(state, [{ kind: "member", name: input.name }]);
  const isWhole = WHOLE.has(input.key) && input.type === "string";
  if (at.kind === "schema") return { text: reference("$snapshot", input.name), certain: true };
  if (at.kind === "none") {
    const only = isWhole && isJsonObject(state) && isJsonObject(state["properties"]) ? Object.keys(state["properties"]) : [];
    return only.length === 1 && WHOLE.has(only[0] ?? "") ? { text: reference("$snapshot", only[0] ?? ""), certain: true } : undefined;
  }
  if (isWhole && state === undefined && (reader.verb === "read" || reader.words.some((word) => WHOLE.has(word))))
    return { text: "$snapshot", certain: false };
  return { text: reference("$snapshot", input.name), certain: false };
}

/** In the result under its own name, as the id of what was made, or as one member of each element of a list. */
function inResult(input: Input, target: ToolFacts, result: Json | undefined): Found | undefined {
  const short = namesThing(input, target) ? (input.key.split(" ").at(-1) ?? "") : input.name;
  for (const name of [input.name, short]) {
    if (schemaAt(result, [{ kind: "member", name }]).kind === "schema") return { text: reference("$result", name), certain: true };
  }
  const listed = input.type === "array" ? inElements(input, result) : undefined;
  if (listed !== undefined) return { text: listed, certain: true };
  if (schemaAt(result, [{ kind: "member", name: short }]).kind === "none") return undefined;
  return input.type === "array" || input.type === "object" || !isIdentity(input)
    ? undefined
    : { text: reference("$result", short), certain: false };
}

function inElements(input: Input, result: Json | undefined): string | undefined {
  if (!isJsonObject(result) || !isJsonObject(result["properties"])) return undefined;
  const last = input.key.split(" ").at(-1) ?? "";
  for (const [name, member] of Object.entries(result["properties"])) {
    if (!isJsonObject(member) || !isJsonObject(member["items"]) || !isJsonObject(member["items"]["properties"])) continue;
    if (Object.hasOwn(member["items"]["properties"], last)) return `${reference("$result", name)}[].${last}`;
  }
  return undefined;
}

/** Writes a reference to a member, whatever its name is made of. */
export function reference(namespace: "$" | "$snapshot" | "$result", name: string): string {
  const path = printPath([{ kind: "member", name }]);
  return path.startsWith("[") ? `${namespace}${path}` : `${namespace}.${path}`;
}
