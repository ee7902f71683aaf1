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
  const find = finderOf(needles);
  const walk = (part: Json): Json => {
    if (typeof part === "string") return replaceIn(part, find);
    if (isNumber(part)) {
      const hidden = numberForms(part).find((text) => find(text).length > 0);
      return hidden === undefined ? part : replaceIn(hidden, find);
    }
    if (Array.isArray(part)) return part.map(walk);
    return isJsonObject(part)
      ? objectFrom(Object.entries(part).map(([name, member]) => [replaceIn(name, find), walk(member)] as const))
      : part;
  };
  return walk(value);
}

/** Lists which of the secrets stand anywhere in a value. */
export function needlesIn(value: Json, needles: Needles): ReadonlySet<string> {
  const found = new Set<string>();
  if (needles.size === 0) return found;
  const find = finderOf(needles);
  const look = (text: string) => {
    for (const { needle } of find(text)) found.add(needle);
  };
  const walk = (part: Json): void => {
    if (typeof part === "string") look(part);
    else if (isNumber(part)) numberForms(part).forEach(look);
    else if (Array.isArray(part)) part.forEach(walk);
    else if (isJsonObject(part))
      for (const [name, member] of Object.entries(part)) {
        look(name);
        walk(member);
      }
  };
  walk(value);
  return found;
}

/** Tells whether a secret stands anywhere in a value. */
export function holdsHidden(value: Json, needles: Needles): boolean {
  return needlesIn(value, needles).size > 0;
}

/** A number as it was written, and as whoever computes with it would write it. */
function numberForms(value: Json): readonly string[] {
  const written = printJson(value);
  return [...new Set([written, String(Number(written))])];
}

function isNumber(value: Json): boolean {
  return typeof value === "number" || isExactNumber(value);
}

interface Found {
  readonly from: number;
  readonly to: number;
  /** The longest that stands there. */
  readonly needle: string;
  readonly stands: string;
}

type Finder = (text: string) => Found[];

/** So few are looked for one after the other. */
const FEW = 8;

function finderOf(needles: Needles): Finder {
  return needles.size <= FEW ? (text) => findEach(text, needles) : findAllOf(needles);
}

function findEach(text: string, needles: Needles): Found[] {
  const found: Found[] = [];
  for (const [needle, stands] of needles)
    for (let from = text.indexOf(needle); from >= 0; from = text.indexOf(needle, from + 1))
      found.push({ from, to: from + needle.length, needle, stands });
  return found;
}

/** Goes over a text once, however many are looked for: a list of tokens has thousands. */
function findAllOf(needles: Needles): Finder {
  const lengths = new Map<string, Set<number>>(); // by how they begin
  for (const needle of needles.keys()) {
    const start = needle.slice(0, SHORTEST);
    const known = lengths.get(start) ?? new Set();
    lengths.set(start, known.add(needle.length));
  }
  return (text) => {
    const found: Found[] = [];
    for (let from = 0; from + SHORTEST <= text.length; from++)
      for (const length of lengths.get(text.slice(from, from + SHORTEST)) ?? []) {
        const needle = text.slice(from, from + length);
        const stands = needles.get(needle);
        if (stands !== undefined) found.push({ from, to: from + length, needle, stands });
      }
    return found;
  };
}

function replaceIn(text: string, find: Finder): string {
  let left = "";
  let end = 0;
  for (const { from, to, stands } of joined(find(text))) {
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
    else
      apart[apart.length - 1] = {
        ...(next.needle.length > last.needle.length ? next : last),
        from: last.from,
        to: Math.max(last.to, next.to),
      };
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
