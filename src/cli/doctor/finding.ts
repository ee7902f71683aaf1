// What does doctor find, and what is there to do about it? Never holds a secret: what others wrote is shown only as far as its place in a file.
import { systemCode } from "../../errors.ts";
import type { Context } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { type FileOptions, findGiven } from "../find-files.ts";

/** What is looked at, in the order in which it is told. */
export const AREAS = ["program", "files", "permissions", "record", "clients", "servers"] as const;

/** What is said where no client's entry that was found runs the proxy: nothing may be wrong, and all the same nothing be guarded. */
export const NOTHING_GUARDED = "no client's entry that was found here runs this program, so nothing is guarded";

/** One thing that was looked at. */
export interface Finding {
  readonly area: (typeof AREAS)[number];
  /** `wrong`: something doesn't work, or isn't safe. `note`: as it may be, but worth knowing. */
  readonly level: "ok" | "note" | "wrong";
  readonly what: string;
  /** What mends it, in words. */
  readonly hint?: string | undefined;
  /** The command that mends it, or says more, as it runs here. */
  readonly command?: string | undefined;
}

/** What the parts of doctor are handed. */
export interface Examination {
  readonly context: Context;
  readonly options: FileOptions;
  /** Writes a command of ours that finds the same files. */
  readonly command: (...words: string[]) => string;
}

/** Prepares an examination of the files that the options mean. */
export function examinationOf(context: Context, options: FileOptions): Examination {
  const told = findGiven(context.io, options);
  return { context, options, command: (...words) => commandLine(context.io, words, told) };
}

/** Makes findings of one area. */
export function findingsOf(area: Finding["area"]) {
  const make =
    (level: Finding["level"]) =>
    (what: string, mend: Pick<Finding, "hint" | "command"> = {}): Finding => ({ ...mend, area, level, what });
  return { ok: make("ok"), note: make("note"), wrong: make("wrong") };
}

/** Says why the system refused something, by its code, such as `EACCES`. */
export function codeOf(error: unknown): string {
  return systemCode(error) ?? "unknown error";
}
