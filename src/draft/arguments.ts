// With which arguments does one tool read, or take back, what another one changes? By names, choices and schemas. Where nothing says where an
// argument would come from, it is named as unresolved; never guesses an identity.
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../core/json.ts";
import { type Found, HOLDERS, inResult, inState, membersInState, reference } from "./found-in.ts";
import {
  asksForToken,
  isControl,
  isIdentity,
  isOfTheCopied,
  isSearch,
  namesThing,
  sameInput,
  samePlace,
  sameQualifier,
  shapesMeet,
} from "./same-input.ts";
import { type Input, showsMany, type ToolFacts } from "./tool-facts.ts";
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
  for (const input of identity.size === 0 ? [] : reader.inputs) {
    const place = input.required ? undefined : samePlace(input, call);
    if (place === undefined || identity.has(place.name)) continue;
    identity.add(place.name);
    args.push([input.name, reference("$", place.name)]);
  }
  return { args: objectFrom(args), identity };
}

/** Gives the arguments by which `target` writes back what was read before the call. */
export function restoringArguments(target: ToolFacts, call: ToolFacts, { reader, identity }: StateSource): Arguments {
  const state = reader.tool.outputSchema;
  const values = call.inputs.filter((input) => !identity.has(input.name) && !isControl(input) && !namesThing(input, call));
  const unseen = unseenBy(reader, identity, target, call);
  let grounded = true;
  const members: [string, Json][] = [];
  const unresolved: string[] = [...unseen, ...target.inputs.filter(asksForToken)].map(({ name }) => name);
  const restored = new Set<string>();
  for (const input of target.inputs) {
    const source = input.choices.length === 1 ? undefined : sameInput(input, target, call);
    if (source !== undefined && (identity.has(source.name) || unseen.includes(source))) {
      members.push([input.name, reference("$", source.name)]);
      continue;
    }
    if (asksForToken(input)) continue;
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

/** A read that isn't told which one shows many, and nothing says where among them this one is. */
function unseenBy(reader: ToolFacts, identity: ReadonlySet<string>, target: ToolFacts, call: ToolFacts): readonly Input[] {
  const many = showsMany(reader) && !showsMany(call);
  return call.inputs.filter((input) => {
    if (identity.has(input.name)) return false;
    const one = many && input.required && input.key.endsWith(" id") && target.inputs.some(({ key }) => key === input.key);
    return one || ((input.required || identity.size === 0) && namesThing(input, call));
  });
}

/** Gives the arguments by which `target` takes back what a call has added or switched, from the call and its result. */
export function offsettingArguments(target: ToolFacts, call: ToolFacts, fixed: JsonObject = {}): Arguments {
  const result = call.tool.outputSchema;
  let grounded = true;
  const members: [string, Json][] = [];
  const unresolved = target.inputs.filter(asksForToken).map(({ name }) => name);
  for (const input of target.inputs.filter((each) => !asksForToken(each))) {
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
  members.push(...qualifiersOf(target, call, new Set(members.map(([name]) => name))));
  return { args: objectFrom(members), grounded, unresolved, notRestored: [] };
}

/** Without the host or the kind that the call was told, another thing of that name would go. */
function qualifiersOf(target: ToolFacts, call: ToolFacts, told: ReadonlySet<string>): readonly [string, Json][] {
  if (target.deed === "change" || target.deed === "put") return [];
  return target.inputs.flatMap((input) => {
    const same = told.has(input.name) || isOfTheCopied(input, target, call) ? undefined : sameQualifier(input, target, call);
    return same === undefined ? [] : [[input.name, reference("$", same.name)] as [string, Json]];
  });
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
  // What ends something makes nothing whose id it could answer.
  if (found?.certain === false && endsSomething(call)) return undefined;
  if (found?.certain !== false || call.deed !== "add" || target.deed !== "remove") return found;
  const several = call.inputs.some(({ key, type, required }) => required && type === "array" && key === call.thing.at(-1));
  const others = members.some(([, value]) => typeof value === "string" && value.startsWith("$result"));
  const named = target.inputs.some((each) => each.required && namesThing(each, target));
  const itsOwn = named ? namesThing(input, target) : !others && target.thing.join(" ") === call.thing.join(" ");
  return several || !itsOwn ? undefined : found;
}

function endsSomething({ deed, verb = "" }: ToolFacts): boolean {
  return deed === "remove" || /^(un|dis|de)|^(close|stop|end|leave)$/.test(verb);
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
