// Does a tool only read? Certainly, likely, or not as far as anybody can tell: by its name, its hints and the names of its inputs; where they
// disagree or say nothing, the answer is no. A description may only speak against it: a server writes it, and no policy may rest on its prose.
import { areDefaults, toolHints } from "../core/hints.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { choosesChange, VAGUE } from "./modes.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { type Deed, deedOf } from "./verbs.ts";
import { quoted, wordsOf } from "./words.ts";

/**
 * A tool that only reads: `by` a hint or an unmistakable name it is certain, else `likely`, for a person to say; or one about which that can't
 * be said; `why` ends a sentence that begins with "held, because".
 */
export type ReadSign =
  | { readonly kind: "read"; readonly by: "hint" | "name" | "likely" }
  | { readonly kind: "unsure"; readonly why: string };

/** Words that make a read unmistakable where they come first. */
const READ_VERBS: ReadonlySet<string> = new Set(["get", "list", "search", "read", "describe", "find", "count", "retrieve"]);
/** Names that end so are of reads, where nothing in them is a verb. */
const SHOWN = new Set("info information status stats statistics overview whoami logs metrics summary history".split(" "));
/** What is ticked off, or left, where it is checked; anything else is looked at. */
const TICKED = new Set("item box checkbox checklist todo task subtask step mark entry goal habit option".split(" "));
/** With these, one checks out a book, and checks off a line. */
const LEAVING = new Set(["out", "off"]);
/** Opened, they stand before a person. */
const OPENED = new Set("browser window tab app application dialog".split(" "));
/** Inputs that say whether what is read is taken away. */
const TAKING = new Set("ack ackmode acknowledge autoack consume requeue".split(" "));
/** Shown to a person, not to the caller. */
const DISPLAYED = new Set("notification dialog message toast alert window popup".split(" "));

/** Words that nobody puts into the name of a mere read. */
const CHANGE_WORDS = new Set(
  (
    "create update upsert delete remove destroy erase wipe purge drop truncate write overwrite insert add edit modify patch replace " +
    "rename send execute exec evaluate eval kill terminate"
  ).split(" "),
);
/** Words that name a change where a verb stands, and a thing elsewhere: `run_job`, but `get_run`. */
const CHANGE_VERBS = new Set(
  (
    "set run put post push commit merge move copy start stop restart reset clear save store upload import sync deploy install apply grant " +
    "revoke trigger cancel close archive restore publish submit approve reject assign enable disable toggle mark invoke call notify email " +
    "reply comment fork clone checkout rebase revert pay charge refund book order buy transfer change make download schedule subscribe"
  ).split(" "),
);
const JOINING_WORDS = new Set(["and", "or", "then"]);
/** Inputs that carry a program rather than a value: what it does is decided by the caller. */
const PROGRAM_WORDS = new Set(
  "sql statement statements command commands cmd cypher script scripts mutation graphql javascript shell".split(" "),
);
const CODE_INPUTS = new Set(["code", "source code", "python code", "js code"]);
const SEARCH_WORDS = new Set(["search", "find", "list", "lookup"]);
/** A description that says so speaks of a language in which one can write. */
const LANGUAGES = /\b(sql|cypher|mutation|graphql|insert|sparql|gremlin)\b/i;

/** What begins with a verb of one of these is no read, whatever its server says; what is generated may be only the answer. */
const NO_READS: ReadonlySet<Deed> = new Set(["add", "change", "remove", "move", "put", "toggle", "final"]);
const MAKES_AN_ANSWER = "generate";
/** Verbs of looking that are verbs of changing, too: where a server says that it only reads, it looks. */
const LOOKS: ReadonlySet<string> = new Set(["open", "check", "load", "resolve"]);
/** Where a server says that it only reads, these say that a verb behind them is a thing (`analyze_email`). */
const EXAMINES: ReadonlySet<string> = new Set(["analyze", "analyse", "extract", "check", "verify", "validate", "classify", "detect"]);
/** Without one of these, what is downloaded is the answer. */
const DESTINATIONS = new Set("path paths file directory dir folder destination dest output save local".split(" "));

/** Tells whether a tool only reads, as far as that can be said. */
export function readSign(facts: ToolFacts): ReadSign {
  const { tool } = facts;
  const words = wordsOf(tool.name);
  const hint = tool.annotations?.["readOnlyHint"];
  const hinted = hint === true;
  const named = words.length > 1 && READ_VERBS.has(words[0] ?? "") && facts.deed === "read";
  const likely = named || isLikely(facts);
  if (!hinted && !likely) return { kind: "unsure", why: "nothing says that it only reads" };
  const unsaid = areDefaults(toolHints(tool.annotations) ?? {});
  // By the protocol this hint means something only where `readOnlyHint` is false; a name has to say, too, that it does here.
  const meant = !(hinted && deedOf(facts.words[0] ?? "") === "read");
  const destructive = tool.annotations?.["destructiveHint"] === true;
  if (!unsaid && destructive && meant) return { kind: "unsure", why: "the server calls it destructive" };
  if (!unsaid && !hinted && hint === false) return { kind: "unsure", why: "it is named like a read, but the server doesn't call it one" };
  const fetched = hinted && facts.verb === "download" && !savesFile(facts);
  const verb = fetched ? undefined : changeWord(facts.words, hinted);
  if (verb !== undefined) return { kind: "unsure", why: `its name says "${verb}"` };
  const first = deedOf(facts.words[0] ?? "");
  if (first !== undefined && NO_READS.has(first) && !isReader(facts.words) && !fetched && facts.words[0] !== MAKES_AN_ANSWER)
    return { kind: "unsure", why: `its name says "${facts.words[0]}"` };
  const inputs = inputNames(tool.inputSchema);
  const program = inputs.find(carriesProgram)?.name;
  if (program !== undefined) return { kind: "unsure", why: `what it does depends on its input ${quoted(program.slice(0, 60))}` };
  // A query in members, as where a server says that it only reads, isn't written in a language.
  const query = inputs.find((input) => isQuery(input, words) && !(hinted && input.type === "object"))?.name;
  if (query !== undefined && (facts.thing.length === 0 || speaksALanguage(facts)))
    return { kind: "unsure", why: `what it does depends on its input ${quoted(query.slice(0, 60))}` };
  const taking = inputs.find((input) => input.words.some((word) => TAKING.has(word)))?.name;
  if (taking !== undefined) return { kind: "unsure", why: `its input ${quoted(taking.slice(0, 60))} may take away what it reads` };
  if (facts.verb === "open" && OPENED.has(facts.thing.at(-1) ?? "")) return { kind: "unsure", why: "what it opens stands before a person" };
  const mode = choosesChange(facts);
  if (mode !== undefined) return { kind: "unsure", why: `it can be told to ${quoted(mode.slice(0, 60))}` };
  // What is fetched from an address may tell something there, which can't be taken back.
  const address = !hinted && inputs.some((input) => input.words.some((word) => word === "url" || word === "urls"));
  const switched = facts.deed === "switch" && !LOOKS.has(facts.verb ?? "");
  const marks = inputs.some((input) => input.type === "boolean" && input.words.length > 1 && isChange(input.words[0] ?? ""));
  if (query !== undefined || address || unsaid || destructive || switched || marks || fetched) return { kind: "read", by: "likely" };
  return { kind: "read", by: hinted ? "hint" : named ? "name" : "likely" };
}

/** A verb of reading where the verb stands, or no verb at all and a word for what is shown at the end. */
function isLikely({ deed, verb, words, thing, where, inputs }: ToolFacts): boolean {
  const last = thing.at(-1) ?? "";
  if (words[0] === "open" && words.at(-1) === "details") return true;
  if (verb === "check") return last !== "" && where.length === 0 && !TICKED.has(last) && !words.some((word) => LEAVING.has(word));
  if (verb === "show" && DISPLAYED.has(last)) return false;
  // `fetch` alone may be that of git, which changes the repository.
  if (verb === "fetch" && thing.length === 0) return inputs.some(({ key }) => key === "url");
  const shown = SHOWN.has(words.at(-1) ?? "") || words[0] === "reports";
  return deed === "read" || (shown && !VAGUE.has(words[0] ?? "") && words.every((word) => deedOf(word) === undefined || SHOWN.has(word)));
}

function savesFile({ inputs }: ToolFacts): boolean {
  return inputs.some(({ key }) => key.split(" ").some((word) => DESTINATIONS.has(word)));
}

function isChange(word: string): boolean {
  return CHANGE_WORDS.has(word) || CHANGE_VERBS.has(word);
}

/** Where hint and verb both say that it reads, an `update` behind them is a thing. */
function changeWord(words: readonly string[], hinted: boolean): string | undefined {
  const sure = hinted && READ_VERBS.has(words[0] ?? "");
  const saysRead = words.some((word) => READ_VERBS.has(word) || word === "reader") || (hinted && EXAMINES.has(words[0] ?? ""));
  const joined = (index: number) => index === 1 || JOINING_WORDS.has(words[index - 1] ?? "");
  // In `get_run` a run is a thing; in `run_get`, `find_or_set` and `git_commit` the word is what the tool does.
  const isVerb = (index: number) => (index === 0 && !isReader(words)) || !saysRead || JOINING_WORDS.has(words[index - 1] ?? "");
  return words.find((word, index) => (CHANGE_WORDS.has(word) && (!sure || joined(index))) || (CHANGE_VERBS.has(word) && isVerb(index)));
}

/** `deploy_reader` reads deployments. */
function isReader(words: readonly string[]): boolean {
  return words.at(-1) === "reader";
}

function carriesProgram({ words }: NamedInput): boolean {
  return words.some((word) => PROGRAM_WORDS.has(word)) || CODE_INPUTS.has(words.join(" "));
}

/** A query may be words to look for, or a program. */
function isQuery({ words }: NamedInput, toolWords: readonly string[]): boolean {
  if (!words.includes("query") && !words.includes("queries")) return false;
  return toolWords.includes("query") || toolWords.includes("sql") || !toolWords.some((word) => SEARCH_WORDS.has(word));
}

function speaksALanguage({ tool, inputs, words }: ToolFacts): boolean {
  const said = [tool.description ?? "", ...inputs.map(({ schema }) => (isJsonObject(schema) ? String(schema["description"] ?? "") : ""))];
  return words.includes("sql") || said.some((text) => LANGUAGES.test(text.slice(0, 4000)));
}

/** The name of an input, also one inside of another, and its words. */
interface NamedInput {
  readonly name: string;
  readonly words: readonly string[];
  readonly type: Json | undefined;
}

/** All inputs, at any depth: some servers hide theirs in one object. Of several alike one. */
function inputNames(schema: Json): readonly NamedInput[] {
  const names = new Map<string, NamedInput>();
  const rest: Json[] = [schema];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (Array.isArray(value)) {
      for (const each of value) if (typeof each === "object") rest.push(each);
      continue;
    }
    if (!isJsonObject(value)) continue;
    const properties = value["properties"];
    for (const [name, member] of isJsonObject(properties) ? Object.entries(properties) : []) {
      const type = isJsonObject(member) ? member["type"] : undefined;
      const key = `${String(type)} ${name}`;
      if (!names.has(key)) names.set(key, { name, words: wordsOf(name), type });
    }
    for (const each of Object.values(value)) if (typeof each === "object") rest.push(each);
  }
  return [...names.values()];
}
