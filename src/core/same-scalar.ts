// Are two values without parts the same? Numbers are compared as decimals, never as doubles.
import { isExactNumber, type Json } from "./json.ts";

/** Tells whether two values without parts are the same. */
export function sameScalar(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  const a = decimalOf(left);
  return a !== undefined && a === decimalOf(right);
}

/** Gives a number as a text that two numbers share exactly where their decimal values are equal. */
export function decimalOf(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  if (!isExactNumber(value)) return undefined;
  const short = String(Number(value.rawJSON));
  const digits = digitsOf(value.rawJSON);
  return digits === digitsOf(short) ? short : digits;
}

/** A number as sign, digits without zeros around them, and power of ten. */
function digitsOf(written: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}
