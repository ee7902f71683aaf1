// What is a command? Data (what it takes, one example) and a function of an injected context. Never looks at process.*.
import type { Io } from "./io.ts";

/** Where the values of an option or of a word come from that only this machine knows: what completions look up. */
export const VALUE_SOURCES = [
  "runs",
  "undoable-runs",
  "open-runs",
  "undo-runs",
  "held-calls",
  "deniable-calls",
  "unknown-calls",
  "servers",
  "url-servers",
  "client-servers",
  "policies",
] as const;
export type ValueSource = (typeof VALUE_SOURCES)[number];

/** What a value can be. */
interface Values {
  /** These, and no others. */
  readonly choices?: readonly string[];
  /** Completed from there; others are taken as well. */
  readonly from?: ValueSource;
}

/** One `--name`. `flag`: present or not; `text`: one value, given once; `list`: a value each time it is given. */
export interface Option extends Values {
  readonly kind: "flag" | "text" | "list";
  /** What stands for the value in help and errors; `FILE` and `DIR` are completed as such. */
  readonly value?: string;
  readonly about: string;
  /** Accepted, but not shown in help. */
  readonly hidden?: boolean;
}
export type Options = Readonly<Record<string, Option>>;

type OptionValue<K extends Option["kind"]> = K extends "flag" ? boolean : K extends "list" ? readonly string[] : string | undefined;

/** What was given, checked against the command's definition. */
export interface Args<O extends Options = Options> {
  readonly options: { readonly [K in keyof O]: OptionValue<O[K]["kind"]> };
  readonly positionals: readonly string[];
  /** The words after `--`; undefined where there was no `--`. */
  readonly rest: readonly string[] | undefined;
}

/** What a command is handed besides its arguments. */
export interface Context {
  readonly io: Io;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Has something done when the command has ended, in whatever way; last given, first done. */
  defer(work: () => Promise<unknown> | unknown): void;
  /** Writes to stdout, with a newline. */
  print(text: string): void;
  /** Writes one JSON document to stdout: the whole output of a command with --json. */
  printJson(value: unknown): void;
  /** Writes a remark for a person to stderr, with a newline. */
  note(text: string): void;
}

export interface Command<O extends Options = Options> {
  /** The word or words, such as `audit verify`. */
  readonly name: string;
  /** What follows `synartesis`, such as `show [RUN]`. */
  readonly usage: string;
  /** A sentence or a few; wrapped where it is shown, so that the author's line breaks count as blanks. */
  readonly about: string;
  /** What follows `synartesis` in the one example. */
  readonly example: string;
  readonly options: O;
  /** How many words it takes besides options; the default is none. */
  readonly positionals?: { readonly min: number; readonly max: number } & Values;
  /** Whether it takes words after `--`; the default is no. */
  readonly rest?: boolean;
  /** It listens to signals itself (the proxy): Ctrl-C and SIGTERM aren't handled for it. */
  readonly ownsSignals?: boolean;
  /** Resolves with the exit code. @throws SynartesisError where it can't do what was asked. */
  run(context: Context, args: Args<O>): Promise<number>;
}

/** Gives a command the types of its own options, then forgets them: the caller checks the words against the same definition. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  // Sound because Args are only ever built by parseArgs from this very command's options.
  return command as unknown as Command;
}

/** Options that many commands share. */
export const JSON_OPTION = { json: { kind: "flag", about: "print one JSON document instead (shapes: docs/json.md)" } } as const;
export const JOURNAL_OPTIONS = {
  journal: { kind: "text", value: "FILE", about: "use this journal" },
  manifest: { kind: "text", value: "FILE", about: "use this manifest, and the journal beside it" },
} as const;
export const MANIFEST_OPTION = { manifest: { kind: "text", value: "FILE", about: "use this manifest" } } as const;
export const BY_OPTION = {
  by: { kind: "text", value: "NAME", about: "who answers; recorded as claimed (default: your login name)" },
} as const;
