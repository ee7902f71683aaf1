// Which input of one tool means the same as an input of another, and what is it for? By names, things and types; an id is never taken for
// the id of something else.
import { isJsonObject } from "../core/json.ts";
import { bareThing, type Input, type ToolFacts } from "./tool-facts.ts";

const IDENTITY = new Set(
  "id ids name number key path uri slug owner repo ref branch uuid guid identifier file filename filepath".split(" "),
);
/** Inputs that say how to do it, or why, rather than what is to be. */
const CONTROLS = new Set(
  "force dry confirm format page limit cursor message reason comment sha etag version timeout verbose notify silent options rationale confidence suggestion include exclude response header headers select expand if match".split(
    " ",
  ),
);
const PATHS = new Set(["path", "file", "filename", "filepath", "file path", "file name"]);

/** The input of another tool that means the same: of the same name, or the same beside the words for the thing; paths go by several names. */
export function sameInput(input: Input, owner: ToolFacts, other: ToolFacts): Input | undefined {
  const exact = other.inputs.find(({ key }) => key === input.key);
  if (exact !== undefined) return typesMeet(input, exact) ? exact : undefined;
  const rest = without(input.key, owner, other);
  const alike = other.inputs.filter(({ key }) => without(key, owner, other) === rest || (PATHS.has(key) && PATHS.has(input.key)));
  const [only] = alike;
  return alike.length === 1 && only !== undefined && isIdentity(input) && typesMeet(input, only) ? only : undefined;
}

/** A key without the name of a thing before it: `issue id` is `id` where issues are spoken of, and `project id` isn't. */
function without(key: string, ...spokenOf: readonly ToolFacts[]): string {
  for (const { thing } of spokenOf) {
    for (const name of [thing.join(" "), bareThing(thing).join(" "), thing.at(-1) ?? ""])
      if (name !== "" && key.startsWith(`${name} `)) return key.slice(name.length + 1);
  }
  return key;
}

/** Tells whether an input says which one of the things that the call is about: `id`, or `issue id` where it is about an issue. */
export function namesThing(input: Input, call: ToolFacts): boolean {
  return isIdentity(input) && /^((public|unique) )?(id|uuid|guid|identifier|key|path|uri|slug|number)$/.test(without(input.key, call));
}

const SEARCHES = new Set("filter filters where where clause query condition conditions criteria".split(" "));

/** Tells whether an input says by a search what is meant. */
export function isSearch({ key }: Input): boolean {
  return SEARCHES.has(key);
}

/** Tells whether what one tool takes as an object can be what the other one takes: as far as schemas say, it has the same members. */
export function shapesMeet(one: Input, other: Input): boolean {
  const [a, b] = [membersOf(one), membersOf(other)];
  return a === undefined || b === undefined || a.join("\n") === b.join("\n");
}

function membersOf({ schema }: Input): readonly string[] | undefined {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? Object.keys(properties).toSorted() : undefined;
}

/** Verbs that make another one of what there is. */
export const COPYING: ReadonlySet<string> = new Set(["duplicate", "copy", "clone", "fork"]);

/** Of a copy the call has the id of what was copied, and that of where it is. */
export function isOfTheCopied(input: Input, target: ToolFacts, call: ToolFacts): boolean {
  const words = input.key.split(" ");
  return (
    COPYING.has(call.verb ?? "") &&
    isIdentity(input) &&
    (namesThing(input, target) || words.length === 1 || words.includes(call.thing.at(-1) ?? ""))
  );
}

function typesMeet(one: Input, other: Input): boolean {
  return (
    one.type === undefined ||
    other.type === undefined ||
    one.type === other.type ||
    /^(number|integer) (number|integer)$/.test(`${one.type} ${other.type}`)
  );
}

/** Tells whether an input says which thing is meant. */
export function isIdentity({ key }: Input): boolean {
  return IDENTITY.has(key.split(" ").at(-1) ?? "");
}

/** Tells whether an input says how to do it, or why. */
export function isControl({ key }: Input): boolean {
  return key.split(" ").some((word) => CONTROLS.has(word));
}
