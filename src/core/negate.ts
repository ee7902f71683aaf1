// What is a number with its sign turned round? By its digits, never by a double, so that nothing of it is lost. The one arithmetic there is.
import { isExactNumber, type Json, parseJson } from "./json.ts";

/** Gives the number with the other sign, its digits as they were; zero has none. Undefined for what is no number. */
export function negated(value: Json): Json | undefined {
  if (typeof value !== "number" && !isExactNumber(value)) return undefined;
  const text = typeof value === "number" ? String(value) : value.rawJSON;
  const digits = text.replace(/^-/, "");
  const isZero = !/[1-9]/.test(digits.split(/e/i, 1)[0] ?? "");
  return parseJson(text.startsWith("-") || isZero ? digits : `-${digits}`);
}
