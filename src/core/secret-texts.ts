// Where else does a secret stand, in texts, keys and numbers, however it is escaped there? Pure; never leaves a part of one where several overlap.
import { isExactNumber, isJsonObject, type Json, objectFrom, parseJson, printJson } from "./json.ts";

/** What stands for each text that is looked for, in every form. */
export type Needles = ReadonlyMap<string, string>;

/** A shorter text stands in too many others by chance: it is only hidden at its own place. */
const SHORTEST = 4;

/** A longer text is looked for in fewer forms, each of which is as long. */
const LONG = 64 * 1024;

/** Lists the texts and numbers in a value, those in a text that is JSON itself too; not the names of members. */
export function leavesOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value, ...leavesWithin(value)];
  if (isNumber(value)) return numberForms(value);
  const parts: readonly Json[] = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return parts.flatMap(leavesOf);
}

function leavesWithin(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    return leavesOf(parseJson(text));
  } catch {
    return []; // no JSON
  }
}

/** Adds a text in all its forms. */
export function addNeedle(needles: Map<string, string>, text: string, stands: string): void {
  if (text.length < SHORTEST) return;
  for (const form of formsOf(text)) needles.set(form, stands);
}

/** Replaces secrets wherever they stand in a value. */
export function hideTexts(value: Json, needles: Needles): Json {
  if (needles.size === 0) return value;
  if (typeof value === "string") return replaceIn(value, needles);
  if (isNumber(value))
    return numberForms(value).find((text) => holdsNeedle(text, needles)) === undefined ? value : standsFor(value, needles);
  if (Array.isArray(value)) return value.map((item: Json) => hideTexts(item, needles));
  if (!isJsonObject(value)) return value;
  return objectFrom(Object.entries(value).map(([name, member]) => [replaceIn(name, needles), hideTexts(member, needles)] as const));
}

/** Tells whether a secret stands anywhere in a value. */
export function holdsHidden(value: Json, needles: Needles): boolean {
  if (typeof value === "string") return holdsNeedle(value, needles);
  if (isNumber(value)) return numberForms(value).some((text) => holdsNeedle(text, needles));
  if (Array.isArray(value)) return value.some((item: Json) => holdsHidden(item, needles));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, member]) => holdsNeedle(name, needles) || holdsHidden(member, needles));
}

/** A number as it was written, and as whoever computes with it would write it. */
function numberForms(value: Json): readonly string[] {
  const written = printJson(value);
  return [...new Set([written, String(Number(written))])];
}

function isNumber(value: Json): boolean {
  return typeof value === "number" || isExactNumber(value);
}

function standsFor(value: Json, needles: Needles): string {
  const [hidden] = numberForms(value).filter((text) => holdsNeedle(text, needles));
  return replaceIn(hidden ?? "", needles);
}

function holdsNeedle(text: string, needles: Needles): boolean {
  for (const needle of needles.keys()) if (text.includes(needle)) return true;
  return false;
}

interface Found {
  readonly from: number;
  readonly to: number;
  /** How long the longest secret is that stands there. */
  readonly length: number;
  readonly stands: string;
}

function replaceIn(text: string, needles: Needles): string {
  const found: Found[] = [];
  for (const [needle, stands] of needles)
    for (let from = text.indexOf(needle); from >= 0; from = text.indexOf(needle, from + 1))
      found.push({ from, to: from + needle.length, length: needle.length, stands });
  if (found.length === 0) return text;
  let left = "";
  let end = 0;
  for (const { from, to, stands } of joined(found)) {
    left += text.slice(end, from) + stands;
    end = to;
  }
  return left + text.slice(end);
}

/** Makes one of those that overlap: what stands for the longest stands for all of them. */
function joined(found: Found[]): readonly Found[] {
  const apart: Found[] = [];
  for (const next of found.sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || next.from >= last.to) apart.push(next);
    else apart[apart.length - 1] = { ...(next.length > last.length ? next : last), from: last.from, to: Math.max(last.to, next.to) };
  }
  return apart;
}

const asJson = (text: string) => JSON.stringify(text).slice(1, -1);
const codeOf = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, "0");

/** How common libraries write a text inside of another one. */
const ESCAPES: readonly ((text: string) => string)[] = [
  asJson,
  (text) => asJson(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${codeOf(unit)}`), // Python
  (text) => asJson(text).replaceAll("/", "\\/"), // PHP, which escapes the rest like Python
  (text) =>
    asJson(text)
      .replaceAll("/", "\\/")
      .replace(/[^\x20-\x7e]/g, (unit) => `\\u${codeOf(unit)}`),
  (text) => asJson(text).replace(/[<>&\u2028\u2029]/g, (unit) => `\\u${codeOf(unit)}`), // Go
  (text) =>
    asJson(text.replaceAll('"', "\0"))
      .replaceAll("\\u0000", "\\u0022")
      .replace(/[^\x20-\x7e]|[<>&'+`]/g, (unit) => `\\u${codeOf(unit).toUpperCase()}`), // .NET
  (text) => encodeURIComponent(text.toWellFormed()),
];

function formsOf(text: string): readonly string[] {
  if (text.length > LONG) return [...new Set([text, asJson(text), asJson(asJson(text))])];
  const once = new Set([text, ...ESCAPES.map((write) => write(text))]);
  return [...new Set([...once, ...[...once].flatMap((form) => ESCAPES.map((write) => write(form)))])];
}
