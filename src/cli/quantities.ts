// How much is `10m` or `64MiB`? Reads durations and sizes as a person types them. Never guesses a unit.
import { SynartesisError } from "../errors.ts";

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Reads a duration such as `30s`, `10m`, `2h` or `7d`, in milliseconds. @throws SynartesisError usage */
export function durationOf(option: string, text: string | undefined): number | undefined {
  return read(option, text, MILLISECONDS, "a duration such as 30s, 10m, 2h or 7d");
}

/** Reads a size such as `512KiB` or `64MiB`, in bytes. @throws SynartesisError usage */
export function sizeOf(option: string, text: string | undefined): number | undefined {
  return read(option, text, BYTES, "a size such as 512KiB or 64MiB");
}

function read(option: string, text: string | undefined, units: Readonly<Record<string, number>>, wanted: string): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9})([A-Za-z]+)$/.exec(text);
  const unit = match?.[2] === undefined || !Object.hasOwn(units, match[2]) ? undefined : units[match[2]];
  const amount = Number(match?.[1]);
  if (unit === undefined || amount === 0) throw new SynartesisError("usage", `${option} ${text}: not ${wanted}`);
  return amount * unit;
}
