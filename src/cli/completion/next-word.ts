// What could the word be that somebody is typing? Found in the commands' own data, so that nothing has to be told to the shells anew. Pure
// but for loading the one command; what only this machine knows is asked for. Never shows what is hidden.
import type { Command, Option, ValueSource } from "../command.ts";
import type { CommandEntry } from "../command-list.ts";
import { LEADING } from "../find-command.ts";

/** One word that could stand there. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** What could stand there: words, or what the shell itself knows how to find. */
export interface NextWord {
  readonly shell: "nothing" | "files" | "folders" | "programs";
  readonly words: readonly Candidate[];
  /** What of the word being typed stands before the value, such as `--manifest=`. */
  readonly before: string;
}

/** What is known about the words before: the files that were named, as they were typed. */
export interface Named {
  readonly manifest?: string;
  readonly journal?: string;
}

/** Looks up what only this machine knows. */
export type LookUp = (source: ValueSource, named: Named) => Promise<readonly Candidate[]>;

const NOTHING: NextWord = { shell: "nothing", words: [], before: "" };
const HELP: Candidate = { word: "--help", about: "print help" };

/** Gives what the last of the words could be; those before it are complete. The program's own name isn't among them. */
export async function nextWord(words: readonly string[], commands: readonly CommandEntry[], lookUp: LookUp): Promise<NextWord> {
  const typed = words.at(-1) ?? "";
  const found = await candidatesFor(words.slice(0, -1), typed, commands, lookUp);
  const value = typed.slice(found.before.length);
  return { ...found, words: found.words.filter(({ word }) => word.startsWith(value)) };
}

async function candidatesFor(
  before: readonly string[],
  typed: string,
  commands: readonly CommandEntry[],
  lookUp: LookUp,
): Promise<NextWord> {
  const { leading, rest } = splitLeading(before);
  if (LEADING[leading.at(-1) ?? ""] === true) return { ...NOTHING, shell: "files" };
  const [first, ...more] = rest;
  if (first === undefined) return typed.startsWith("-") ? leadingOptions(typed) : choose(namesAfter("", commands));
  if (first === "help")
    return choose(more.length === 0 ? namesAfter("", commands) : more.length === 1 ? namesAfter(`${more[0]} `, commands) : []);
  const family = more.length === 0 ? namesAfter(`${first} `, commands) : [];
  const entry = commands.find(({ name }) => name === `${first} ${more[0]}`) ?? commands.find(({ name }) => name === first);
  if (entry === undefined) return choose(family);
  const { default: command } = await entry.load();
  const own = await inCommand(command, [...leading, ...rest.slice(entry.name.split(" ").length)], typed, lookUp);
  return { ...own, words: [...family, ...own.words] };
}

/** What stands before a command's word: options that are handed to it, and their values. */
function splitLeading(words: readonly string[]): { leading: readonly string[]; rest: readonly string[] } {
  let at = 0;
  while (words[at]?.startsWith("-") === true) at += LEADING[words[at] ?? ""] === true ? 2 : 1;
  return { leading: words.slice(0, at), rest: words.slice(at) };
}

function leadingOptions(typed: string): NextWord {
  const [name = "", value] = typed.split("=", 2);
  if (value !== undefined) return LEADING[name] === true ? { ...NOTHING, shell: "files", before: `${name}=` } : NOTHING;
  const options = Object.keys(LEADING).map((word) => ({ word, about: "handed to the command" }));
  return choose([...options, { word: "--version", about: "print the version" }, HELP]);
}

/** The words that can follow a beginning of commands' names. */
function namesAfter(beginning: string, commands: readonly CommandEntry[]): readonly Candidate[] {
  const found = new Map<string, string>();
  for (const { name, summary } of commands) {
    if (!name.startsWith(beginning)) continue;
    const [word = "", ...more] = name.slice(beginning.length).split(" ");
    if (!found.has(word)) found.set(word, more.length === 0 ? summary : `${name}: ${summary}`);
  }
  return [...found].map(([word, about]) => ({ word, about }));
}

async function inCommand(command: Command, before: readonly string[], typed: string, lookUp: LookUp): Promise<NextWord> {
  const given = readGiven(command, before);
  const values = (of: Pick<Option, "choices" | "from" | "value">) => valuesOf(of, given.named, lookUp);
  if (given.rest !== undefined) return command.rest !== true ? NOTHING : { ...NOTHING, shell: given.rest === 0 ? "programs" : "files" };
  if (given.pending !== undefined) return values(given.pending);
  const equals = typed.startsWith("--") ? typed.indexOf("=") : -1;
  if (equals > 0) {
    const option = optionOf(command, typed.slice(2, equals));
    return option === undefined || option.kind === "flag" ? NOTHING : { ...(await values(option)), before: typed.slice(0, equals + 1) };
  }
  const options = choose(freeOptions(command, given.used));
  if (typed.startsWith("-")) return options;
  if (given.positionals >= (command.positionals?.max ?? 0)) return options;
  return values(command.positionals ?? {});
}

interface Given {
  readonly used: ReadonlySet<string>;
  readonly positionals: number;
  /** The option whose value comes next. */
  readonly pending: Option | undefined;
  /** How many words stand after `--`. */
  readonly rest: number | undefined;
  readonly named: Named;
}

function readGiven(command: Command, words: readonly string[]): Given {
  const used = new Set<string>();
  const named: { manifest?: string; journal?: string } = {};
  let positionals = 0;
  let pending: { readonly name: string; readonly option: Option } | undefined;
  const take = (name: string, value: string) => {
    if (name === "manifest" || name === "journal") named[name] = value;
  };
  for (const [at, word] of words.entries()) {
    if (pending !== undefined) {
      take(pending.name, word);
      pending = undefined;
    } else if (word === "--") return { used, positionals, pending: undefined, rest: words.length - at - 1, named };
    else if (word.startsWith("--")) {
      const [name = "", ...value] = word.slice(2).split("=");
      used.add(name);
      const option = optionOf(command, name);
      if (value.length > 0) take(name, value.join("="));
      else if (option !== undefined && option.kind !== "flag") pending = { name, option };
    } else if (!word.startsWith("-")) positionals += 1;
  }
  return { used, positionals, pending: pending?.option, rest: undefined, named };
}

function optionOf({ options }: Command, name: string): Option | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

/** The options that can still be given; a `--` too, where a command to run can follow. */
function freeOptions({ options, rest }: Command, used: ReadonlySet<string>): readonly Candidate[] {
  const free = Object.entries(options).filter(([name, { hidden, kind }]) => hidden !== true && (kind === "list" || !used.has(name)));
  const end = rest === true ? [{ word: "--", about: "a command to run follows" }] : [];
  return [...free.map(([name, { about }]) => ({ word: `--${name}`, about })), HELP, ...end];
}

async function valuesOf(
  { choices, from, value }: Pick<Option, "choices" | "from" | "value">,
  named: Named,
  lookUp: LookUp,
): Promise<NextWord> {
  if (choices !== undefined) return choose(choices.map((word) => ({ word, about: "" })));
  if (from !== undefined) return choose(await lookUp(from, named));
  return { ...NOTHING, shell: value === "FILE" ? "files" : value === "DIR" ? "folders" : "nothing" };
}

function choose(words: readonly Candidate[]): NextWord {
  return { ...NOTHING, words };
}
