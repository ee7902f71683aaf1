// Is a tool certainly a read? Judged by its name, its hints and the names of its inputs; where they disagree or say nothing, the answer is no.
// Never trusts a description: a server writes it, and no policy may rest on its prose.
import { isJsonObject, type Json } from "../core/json.ts";
import type { ListedTool } from "../upstream/upstream.ts";

/** A tool that only reads, or one about which that can't be said; `why` ends a sentence that begins with "held, because". */
export type ReadSign = { readonly kind: "read"; readonly by: "hint" | "name" } | { readonly kind: "unsure"; readonly why: string };

/** Words that make a read unmistakable where they come first. */
export const READ_VERBS: ReadonlySet<string> = new Set(["get", "list", "search", "read", "describe", "find", "count"]);

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

/** Splits a name into lower-case words at separators and at changes of case: `getHTTPStatus`, `get-http-status`, `get_http_status` alike. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\d]+/u)
    .filter((word) => word !== "");
}

/** Tells whether a tool only reads, as far as that is certain. */
export function readSign(tool: ListedTool): ReadSign {
  const words = wordsOf(tool.name);
  const hint = tool.annotations?.["readOnlyHint"];
  const hinted = hint === true;
  const named = words.length > 1 && READ_VERBS.has(words[0] ?? "");
  if (!hinted && !named) return { kind: "unsure", why: "nothing says that it only reads" };
  if (tool.annotations?.["destructiveHint"] === true) return { kind: "unsure", why: "the server calls it destructive" };
  if (!hinted && hint === false) return { kind: "unsure", why: "it is named like a read, but the server doesn't call it one" };
  const verb = changeWord(words);
  if (verb !== undefined) return { kind: "unsure", why: `its name says "${verb}"` };
  const inputs = inputNames(tool.inputSchema);
  const program = inputs.find((name) => carriesProgram(name, words));
  if (program !== undefined) return { kind: "unsure", why: `what it does depends on its input ${quoted(program.slice(0, 60))}` };
  if (!hinted && inputs.some((name) => wordsOf(name).some((word) => word === "url" || word === "urls"))) {
    return { kind: "unsure", why: "it may send something to an address, which can't be taken back" };
  }
  return { kind: "read", by: hinted ? "hint" : "name" };
}

function changeWord(words: readonly string[]): string | undefined {
  const saysRead = words.some((word) => READ_VERBS.has(word));
  // In `get_run` a run is a thing; in `run_get`, `find_or_set` and `git_commit` the word is what the tool does.
  const isVerb = (index: number) => index === 0 || !saysRead || JOINING_WORDS.has(words[index - 1] ?? "");
  return words.find((word, index) => CHANGE_WORDS.has(word) || (CHANGE_VERBS.has(word) && isVerb(index)));
}

function carriesProgram(input: string, toolWords: readonly string[]): boolean {
  const words = wordsOf(input);
  if (words.some((word) => PROGRAM_WORDS.has(word)) || CODE_INPUTS.has(words.join(" "))) return true;
  if (!words.includes("query") && !words.includes("queries")) return false;
  return toolWords.includes("query") || toolWords.includes("sql") || !toolWords.some((word) => SEARCH_WORDS.has(word));
}

/** The names of all inputs, at any depth: some servers hide theirs in one object. */
function inputNames(schema: Json): readonly string[] {
  const names: string[] = [];
  const rest: Json[] = [schema];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (isJsonObject(value)) {
      const properties = value["properties"];
      if (isJsonObject(properties)) names.push(...Object.keys(properties));
      rest.push(...Object.values(value));
    } else if (Array.isArray(value)) rest.push(...value);
  }
  return names;
}

/** Puts a server's text between quotes so that it reads as itself, on one line, with nothing invisible; valid as a YAML scalar, too. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, escaped);
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`).join("");
}
