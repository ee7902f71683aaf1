// Which input of one tool means the same as an input of another, and what is it for? By names, things and types; an id is never taken for
// the id of something else.
import { isJsonObject } from "../core/json.ts";
import { bareThing, type Input, type ToolFacts } from "./tool-facts.ts";
import { CONTAINERS } from "./verbs.ts";
import { wordsOf } from "./words.ts";

const IDENTITY = new Set(
  "id ids name username number key path uri slug owner repo ref branch uuid guid identifier file filename filepath".split(" "),
);
/** Inputs that say how to do it, or why, rather than what is to be. */
const CONTROLS = new Set(
  "force dry confirm format page limit cursor message reason comment sha etag version timeout verbose notify silent options rationale confidence suggestion include exclude response header headers select expand if match".split(
    " ",
  ),
);
const PATHS = new Set(["path", "file", "filename", "filepath", "file path", "file name"]);
const FOLDERS = new Set(["folder", "directory", "dir", "parent"]);

/** The input of another tool that means the same: of the same name, or the same beside the words for the thing; paths go by several names. */
export function sameInput(input: Input, owner: ToolFacts, other: ToolFacts): Input | undefined {
  const exact = other.inputs.find(({ key }) => key === input.key);
  if (exact !== undefined) return typesMeet(input, exact) ? exact : undefined;
  if (!isIdentity(input)) return undefined;
  const rest = without(input.key, owner, other);
  // Beside its folder, a file's name is no path.
  const placed = [owner, other].some(({ inputs }) => inputs.some(({ key }) => FOLDERS.has(key)));
  const paths = !placed && PATHS.has(input.key);
  const alike = other.inputs.filter(({ key }) => without(key, owner, other) === rest || (paths && PATHS.has(key)));
  const [only] = alike;
  return alike.length === 1 && only !== undefined && typesMeet(input, only) ? only : undefined;
}

/** A key without the name of a thing before it: `issue id` is `id` where issues are spoken of, and `project id` isn't. */
function without(key: string, ...spokenOf: readonly ToolFacts[]): string {
  if (!key.includes(" ")) return key;
  for (const { thing } of spokenOf) {
    for (const name of namesOf(thing)) if (key.startsWith(name)) return key.slice(name.length);
  }
  return key;
}

/** How inputs call a thing, each with the space behind it. */
function namesOf(thing: readonly string[]): readonly string[] {
  const known = NAMES.get(thing);
  if (known !== undefined) return known;
  const names = [thing.join(" "), bareThing(thing).join(" "), thing.at(-1) ?? ""].filter((name) => name !== "").map((name) => `${name} `);
  NAMES.set(thing, names);
  return names;
}
const NAMES = new WeakMap<readonly string[], readonly string[]>(); // asked of each pair of tools

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

const PLACES = new Set(
  "vhost namespace region zone workspace environment tenant account project database schema bucket branch ref space site cluster context vault mailbox kind host server instance connection".split(
    " ",
  ),
);

/** The input of the call that says where a thing is, which either may leave out: left out by both, both mean the same place. */
export function samePlace(input: Input, call: ToolFacts): Input | undefined {
  const same = call.inputs.find(({ key }) => key === input.key);
  return isPlace(input.key) && same !== undefined && typesMeet(input, same) ? same : undefined;
}

function isPlace(key: string): boolean {
  const place = key.replace(/ (id|string)$/, "");
  return PLACES.has(place) || (place !== key && CONTAINERS.has(place));
}

/** The input of the call that says where the thing is, or, where another tool removes what it adds, that says what is meant rather than how. */
export function sameQualifier(input: Input, target: ToolFacts, call: ToolFacts): Input | undefined {
  if (call.deed !== "add" || target.deed !== "remove" || target.name === call.name) return samePlace(input, call);
  const same = call.inputs.find(({ key }) => key === input.key);
  const plain = input.type === "string" || input.type === "number" || input.type === "integer";
  return plain && !isControl(input) && !isSearch(input) && same?.type === input.type ? same : undefined;
}

/** Tells whether an input takes what only a first call of the tool hands out: nothing that is sent at once has it. */
export function asksForToken({ name }: Input): boolean {
  const words = wordsOf(name);
  return words.some((word) => word.startsWith("confirm")) && words.some((word) => word === "token" || word === "code");
}

/** Tells whether an input says how to do it, or why. */
export function isControl({ key }: Input): boolean {
  return key.split(" ").some((word) => CONTROLS.has(word));
}
