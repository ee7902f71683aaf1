// How long is `10m`? Reads an amount with its unit as a person writes it. Never guesses a unit.
const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How a duration is written, for messages. */
export const DURATION_WORDS = "a duration such as 30s, 10m, 2h or 7d";

/** Reads a duration such as `30s`, `10m`, `2h` or `7d`, in milliseconds; undefined where it is none, or nought. */
export function readDuration(text: string): number | undefined {
  return readAmount(text, MILLISECONDS);
}

/** Reads a whole amount with one of the units behind it, in the unit that counts 1; undefined where it is none, or nought. */
export function readAmount(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, digits = "", name = ""] = /^(\d{1,9})([A-Za-z]+)$/.exec(text) ?? [];
  const unit = Object.hasOwn(units, name) ? units[name] : undefined;
  return unit === undefined || Number(digits) === 0 ? undefined : Number(digits) * unit;
}
