// What do the tools of a server look like, taken apart once: words, verb, thing, inputs? Names and schemas only; judges nothing.
import { isJsonObject, type Json } from "../core/json.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import { type Deed, deedOf, FILLERS, oppositesOf, PREPOSITIONS, VIEW_WORDS } from "./verbs.ts";
import { nameKey, singular, wordsOf } from "./words.ts";

/** One input of a tool. `key` is its name without case, separators and plural endings. */
export interface Input {
  readonly name: string;
  readonly key: string;
  readonly schema: Json;
  readonly required: boolean;
  /** The one type that its schema says it has. */
  readonly type: string | undefined;
  /** The texts that it may be, where its schema lists them. */
  readonly choices: readonly string[];
}

/** A tool taken apart. */
export interface ToolFacts {
  readonly tool: ListedTool;
  readonly name: string;
  /** The words of its name, without those that every tool of the server begins with. */
  readonly words: readonly string[];
  readonly verb: string | undefined;
  readonly deed: Deed | undefined;
  /** What it is about: the words beside the verb, singular; `where` are those behind a preposition. */
  readonly thing: readonly string[];
  readonly where: readonly string[];
  readonly inputs: readonly Input[];
}

/** Takes each tool apart, in their order. */
export function factsOf(tools: readonly ListedTool[]): readonly ToolFacts[] {
  const split = tools.map(({ name }) => wordsOf(name));
  const shared = sharedPrefix(split);
  const names = split.map((words) => {
    const begins = words.length > shared.length && shared.every((word, at) => words[at] === word);
    return begins ? words.slice(shared.length) : words;
  });
  const language = languageOf(names);
  const read = names.map((words) => readWords(words, language));
  const said = new Set(read.map(({ verb, thing }) => [verb, ...thing].join(" ")));
  return tools.map((tool, index) => {
    const facts = { tool, name: tool.name, inputs: inputsOf(tool.inputSchema), ...(read[index] ?? readWords([])) };
    // A description may say of what is named like an addition that it changes as well.
    if (facts.deed === "add" && MAY_UPDATE.test(tool.description?.slice(0, 500) ?? "")) return { ...facts, deed: "put" as const };
    // To show what another tool hides is no read.
    const switches = facts.deed === "read" && oppositesOf(facts.verb ?? "").some((verb) => said.has([verb, ...facts.thing].join(" ")));
    return switches ? { ...facts, deed: "switch" as const } : facts;
  });
}

const MAY_UPDATE = /^\W*((creat|add|insert|register|sav)(e|es|s)? ?(or|\/) ?(updat|overwrit|replac|modif)|upsert)/i;

/** What the names of a list say of its words: `things` stand behind a plain verb, `switches` have their opposite in the list. */
interface Language {
  readonly things: ReadonlySet<string>;
  readonly switches: ReadonlySet<string>;
}

function languageOf(names: readonly (readonly string[])[]): Language {
  const first = new Set(names.map(([word = ""]) => word));
  const unknown = [...first].filter((word) => deedOf(word) === undefined);
  return {
    things: new Set(names.filter(([word = ""]) => PLAIN.has(deedOf(word) ?? "run")).map((words) => singular(words.at(-1) ?? ""))),
    switches: new Set(unknown.filter((word) => word.length > 2 && oppositesOf(word).some((other) => first.has(other)))),
  };
}

const NO_LANGUAGE: Language = { things: new Set(), switches: new Set() };

/** Reads words as a verb and its thing: of a tool's name, or of one mode of a tool. */
export function readWords(
  words: readonly string[],
  language: Language = NO_LANGUAGE,
): Pick<ToolFacts, "words" | "verb" | "deed" | "thing" | "where"> {
  const switches = language.switches.has(words[0] ?? "");
  const at = switches ? 0 : verbAt(words, language.things);
  const verb = at < 0 ? undefined : words[at];
  const deed = switches ? "switch" : deedAt(words, at);
  const beside = words.filter((_word, index) => index !== at);
  const all = at >= 0 && words[at + 1] === "or" ? beside.filter((word, index) => index >= at + 2 || (index < at && word !== "or")) : beside;
  const end = all.indexOf("by");
  const named = end < 0 ? all : all.slice(0, end); // `by id` is neither what nor where
  const split = named.findIndex((word) => PREPOSITIONS.has(word));
  const thing = nouns(split < 0 ? named : named.slice(0, split));
  return { words, verb, deed, thing, where: split < 0 ? [] : nouns(named.slice(split)) };
}

function nouns(words: readonly string[]): readonly string[] {
  return words.filter((word) => !FILLERS.has(word) && !PREPOSITIONS.has(word)).map(singular);
}

const HTTP_METHODS = new Set(["get", "post"]);

/** A verb stands first (`create_issue`), last (`issue.create`), or behind the area it belongs to (`storage_upload_file`). */
function verbAt(words: readonly string[], things: ReadonlySet<string>): number {
  const first = words.findIndex((word) => !FILLERS.has(word));
  // `post-search`: the method of an HTTP request, and then what it does.
  if (HTTP_METHODS.has(words[first] ?? "") && deedOf(words[first + 1] ?? "") === "read") return first + 1;
  if (first < 0 || deedOf(words[first] ?? "") !== undefined) return first;
  const verbs = words
    .keys()
    .filter((index) => deedOf(words[index] ?? "") !== undefined)
    .toArray();
  // `add` in `stories_add_link` is a verb wherever it stands; a link may be a thing.
  const plain = verbs.find((index) => PLAIN.has(deedOf(words[index] ?? "") ?? "run"));
  // Where `create_lesson_schedule` is in the list, `ring_lesson_schedule` doesn't schedule.
  return plain ?? verbs.findLast((index) => index < words.length - 1 || !things.has(singular(words[index] ?? ""))) ?? -1;
}
const PLAIN: ReadonlySet<Deed> = new Set(["read", "add", "change", "put", "remove", "move"]);

/** `create_or_update` puts; of any other two verbs that are joined the one that is harder to undo counts. */
function deedAt(words: readonly string[], at: number): Deed | undefined {
  const deed = deedOf(words[at] ?? "");
  const joined = words[at + 1] === "or" || words[at + 1] === "and" ? deedOf(words[at + 2] ?? "") : undefined;
  if (joined === undefined || deed === undefined) return deed;
  const both = new Set([deed, joined]);
  if (both.has("final") || both.has("run")) return "final";
  if (both.has("add") && (both.has("change") || both.has("put"))) return "put";
  return deed === "read" ? joined : deed;
}

/** The words that nearly all of the names begin with. */
function sharedPrefix(names: readonly (readonly string[])[]): readonly string[] {
  const shared: string[] = [];
  for (;;) {
    const counts = new Map<string, number>();
    for (const words of names) counts.set(words[shared.length] ?? "", (counts.get(words[shared.length] ?? "") ?? 0) + 1);
    const [word = "", count = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    if (word === "" || names.length < 3 || count < names.length * 0.75 || deedOf(word) !== undefined) return shared;
    shared.push(word);
  }
}

function inputsOf(schema: Json): readonly Input[] {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return [];
  const { required } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(schema["properties"]).map(([name, member]) => {
    const type = isJsonObject(member) && typeof member["type"] === "string" ? member["type"] : undefined;
    return { name, key: nameKey(name), schema: member, required: needed.has(name), type, choices: choicesOf(member) };
  });
}

function choicesOf(schema: Json): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { enum: listed, const: only, anyOf, oneOf } = schema;
  if (typeof only === "string") return [only];
  if (Array.isArray(listed)) return listed.filter((each) => typeof each === "string");
  const branches = anyOf ?? oneOf;
  return Array.isArray(branches) ? branches.flatMap(choicesOf) : [];
}

/** Tells whether the name of a tool speaks of several things of its kind: `get_cards`, but not `get_card_details`. */
export function showsMany({ words, thing }: ToolFacts): boolean {
  const last = bareThing(thing).at(-1) ?? "";
  return !VIEW_WORDS.has(last) && words.some((word) => word !== last && singular(word) === last);
}

/** The words of a thing without those that only say which view of it a read gives. */
export function bareThing(thing: readonly string[]): readonly string[] {
  const known = BARE.get(thing);
  if (known !== undefined) return known;
  const words = thing.filter((word) => !VIEW_WORDS.has(word));
  const bare = words.length === 0 ? thing : words;
  BARE.set(thing, bare);
  return bare;
}
const BARE = new WeakMap<readonly string[], readonly string[]>(); // asked of each pair of tools
