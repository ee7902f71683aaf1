// What did a person ask for? Checks words against a command's definition. Never guesses: what it doesn't know is an error with a suggestion.
import { parseArgs as tokenize } from "node:util";
import { nearest } from "../core/near-name.ts";
import { SynartesisError } from "../errors.ts";
import type { Args, Command } from "./command.ts";

/** Help was asked for, or the arguments are in order. */
export type Parsed = { readonly kind: "help" } | { readonly kind: "args"; readonly args: Args };

type Found = Map<string, true | string | string[]>;

/** Parses the words after a command's name. @throws usage */
export function parseArgs(command: Command, words: readonly string[]): Parsed {
  const found: Found = new Map();
  const positionals: string[] = [];
  let rest: string[] | undefined;
  for (const token of tokensOf(command, words)) {
    if (token.kind === "option-terminator") rest = [];
    else if (token.kind === "positional" && rest !== undefined) rest.push(token.value);
    else if (token.kind === "positional") positionals.push(token.value);
    else if (token.name === "help" || token.rawName === "-h") return { kind: "help" };
    else takeOption(command, found, token);
  }
  checkCount(command, positionals, rest);
  const options: Record<string, boolean | string | readonly string[] | undefined> = {};
  for (const [name, option] of Object.entries(command.options)) {
    options[name] = found.get(name) ?? (option.kind === "flag" ? false : option.kind === "list" ? [] : undefined);
  }
  return { kind: "args", args: { options, positionals, rest } };
}

/** Lists the names of the options that were given. */
export function givenOptions(options: Args["options"]): readonly string[] {
  const given = Object.entries(options).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false,
  );
  return given.map(([name]) => name);
}

function tokensOf(command: Command, words: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { kind }]) => [
      name,
      { type: kind === "flag" ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  return tokenize({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function takeOption(command: Command, found: Found, token: OptionToken): void {
  const { name, rawName, value } = token;
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (option === undefined || !rawName.startsWith("--")) throw unknownOption(command, rawName);
  if (option.kind === "flag") {
    if (value !== undefined) throw usage(command, `--${name} takes no value, but was given "${value}"`);
    found.set(name, true);
    return;
  }
  const needs = `--${name} needs a value: --${name} ${option.value ?? "VALUE"}`;
  if (value === undefined || value === "") throw usage(command, needs);
  if (token.inlineValue === false && value.startsWith("-") && value !== "-") {
    throw usage(command, needs, `a value that begins with "-" is written --${name}=${value}`);
  }
  checkChoice(command, `--${name}`, option.choices, value);
  const before = found.get(name);
  if (option.kind === "list") found.set(name, [...(Array.isArray(before) ? before : []), value]);
  else if (before !== undefined) throw usage(command, `--${name} was given twice`);
  else found.set(name, value);
}

function checkChoice(command: Command, what: string, choices: readonly string[] | undefined, value: string): void {
  if (choices === undefined || choices.includes(value)) return;
  const near = nearest(value, choices);
  throw usage(command, `${what} can't be "${value}"`, near === undefined ? `one of: ${choices.join(", ")}` : `did you mean "${near}"?`);
}

function checkCount(command: Command, positionals: readonly string[], rest: readonly string[] | undefined): void {
  const { min, max } = command.positionals ?? { min: 0, max: 0 };
  const extra = positionals[max];
  if (extra !== undefined) {
    const hint = command.rest === true ? `a command to run goes after --: synartesis ${command.usage}` : undefined;
    throw usage(command, `${command.name} doesn't know what to do with "${extra}"`, hint);
  }
  for (const word of positionals) checkChoice(command, `what ${command.name} is given`, command.positionals?.choices, word);
  if (positionals.length < min) throw usage(command, `${command.name} needs more than that`);
  if (rest !== undefined && command.rest !== true) throw usage(command, `${command.name} takes nothing after --`);
  if (rest?.length === 0) throw usage(command, "nothing follows --");
}

function unknownOption(command: Command, rawName: string): SynartesisError {
  const names = Object.keys(command.options).map((name) => `--${name}`);
  const near = nearest(rawName, [...names, "--help"]);
  const first = near === undefined ? `usage: synartesis ${command.usage}` : `did you mean ${near}?`;
  const rest = command.rest === true && near === undefined ? "; options of a command to run go after --" : "";
  return usage(command, `${command.name} has no option ${rawName}`, `${first}${rest}`);
}

function usage(command: Command, message: string, hint = `usage: synartesis ${command.usage}`): SynartesisError {
  return new SynartesisError("usage", message, { hint });
}
