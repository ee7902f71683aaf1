// Which command do the words ask for, and which of them are its own? Never runs or loads one.
import { nearest } from "../core/near-name.ts";
import { SynartesisError } from "../errors.ts";
import type { CommandEntry } from "./command-list.ts";

export type FoundCommand =
  | { readonly kind: "version" }
  /** No word at all. */
  | { readonly kind: "none" }
  /** `of`: only the commands whose names begin with this word. */
  | { readonly kind: "help"; readonly of?: string }
  | { readonly kind: "command"; readonly entry: CommandEntry; readonly words: readonly string[] };

/** Options that may also stand before the command's word, and whether a value follows. */
export const LEADING: Readonly<Record<string, boolean>> = { "--json": false, "--manifest": true, "--journal": true };

/** Finds the command; options before its word are handed to it as if they stood after. @throws usage */
export function findCommand(args: readonly string[], commands: readonly CommandEntry[]): FoundCommand {
  const leading: string[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (!word.startsWith("-")) break;
    if (word === "--version" || word === "-V") return { kind: "version" };
    if (word === "--help" || word === "-h") return { kind: "help" };
    const name = word.split("=", 1)[0] ?? word;
    if (!Object.hasOwn(LEADING, name)) throw unknownLeading(word);
    leading.push(word);
    if (LEADING[name] === true && name === word) {
      at += 1;
      leading.push(...args.slice(at, at + 1));
    }
  }
  const words = args.slice(at);
  if (words.length === 0 && leading.length > 0) {
    throw new SynartesisError("usage", `no command follows ${leading[0]}`, { hint: "synartesis --help lists the commands" });
  }
  if (words.length === 0) return { kind: "none" };
  const [first = "", second = ""] = words;
  if (first === "help") return helpFor(words.slice(1), commands);
  if (isHelp(second) && isFamily(first, commands)) return { kind: "help", of: first };
  const { entry, length } = match(words, commands);
  return { kind: "command", entry, words: [...leading, ...words.slice(length)] };
}

function helpFor(words: readonly string[], commands: readonly CommandEntry[]): FoundCommand {
  const [first = ""] = words;
  if (first === "" || first === "help" || isHelp(first)) return { kind: "help" };
  if (words.length === 1 && isFamily(first, commands)) return { kind: "help", of: first };
  return { kind: "command", entry: match(words, commands).entry, words: ["--help"] };
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

/** Tells whether a word only begins the names of commands, as `audit` does. */
function isFamily(word: string, commands: readonly CommandEntry[]): boolean {
  return commands.some(({ name }) => name.startsWith(`${word} `)) && !commands.some(({ name }) => name === word);
}

function match(words: readonly string[], commands: readonly CommandEntry[]): { entry: CommandEntry; length: number } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const entry = commands.find((candidate) => candidate.name === name);
    if (entry !== undefined && words.length >= length) return { entry, length };
  }
  const [first = "", second = ""] = words;
  const below = commands.filter((candidate) => candidate.name.startsWith(`${first} `)).map((candidate) => candidate.name);
  if (below.length > 0) {
    const said = second === "" || second.startsWith("-") ? `${first} needs another word` : `there is no command "${first} ${second}"`;
    throw new SynartesisError("usage", said, { hint: `one of: ${below.join(", ")}` });
  }
  const near = nearest(
    first,
    commands.map((candidate) => candidate.name),
  );
  const hint = near === undefined ? "synartesis --help lists the commands" : `did you mean "${near}"?`;
  throw new SynartesisError("usage", `there is no command "${first}"`, { hint });
}

function unknownLeading(word: string): SynartesisError {
  const near = nearest(word, [...Object.keys(LEADING), "--version", "--help"]);
  const hint = near === undefined ? "options of a command stand after its name: synartesis COMMAND --option" : `did you mean ${near}?`;
  return new SynartesisError("usage", `there is no option ${word} before a command`, { hint });
}
