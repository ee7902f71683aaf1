// How much is `10m` or `64MiB`? Reads the durations and sizes of options. Never guesses a unit.
import { DURATION_WORDS, readAmount, readDuration } from "../core/duration.ts";
import { SynartesisError } from "../errors.ts";

const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Reads a duration such as `30s`, `10m`, `2h` or `7d`, in milliseconds. @throws SynartesisError usage */
export function durationOf(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : orUsage(readDuration(text), option, text, DURATION_WORDS);
}

/** Reads a size such as `512KiB` or `64MiB`, in bytes. @throws SynartesisError usage */
export function sizeOf(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : orUsage(readAmount(text, BYTES), option, text, "a size such as 512KiB or 64MiB");
}

function orUsage(amount: number | undefined, option: string, text: string, wanted: string): number {
  if (amount === undefined) throw new SynartesisError("usage", `${option} ${text}: not ${wanted}`);
  return amount;
}
