// What isn't as it was in what a server lists of its own accord? Order means nothing there, and what moves by itself (times, sizes, counters, a log) isn't held
// against a call. Pure.
import { canonicalJson, isJsonObject, type Json, objectFrom, parseJson } from "./json.ts";

/** What a listing showed, in time. Undefined: nothing. */
export interface Glances {
  /** Before the call, twice: what differs between the two counts for nothing. */
  readonly first: Json | undefined;
  readonly before: Json | undefined;
  /** After the call. */
  readonly left: Json | undefined;
  /** After its undo. */
  readonly after: Json | undefined;
}

/** One place that isn't as it was; "": all of it. */
export interface MovedPlace {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Lists the places that the undo left otherwise than the call found them; members with an `ignored` name are passed over wherever they stand. */
export function movedPlaces(glances: Glances, ignored: ReadonlySet<string>, path = ""): readonly MovedPlace[] {
  const { first, before, left, after } = glances;
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !ignored.has(name));
    return names.flatMap((name) => {
      const within = {
        first: memberOf(first, name),
        before: memberOf(before, name),
        left: memberOf(left, name),
        after: memberOf(after, name),
      };
      return movedPlaces(within, ignored, path === "" ? name : `${path}.${name}`);
    });
  }
  const [wasFirst, was, between, is] = [first, before, left, after].map((value) => printsOf(value, ignored));
  if (wasFirst === undefined || was === undefined || between === undefined || is === undefined) return [];
  const areSizes = typeof before === "number" && typeof after === "number";
  if (areSizes || !isSame(wasFirst, was) || isSame(was, is) || movesByItself(glances, was, between, is)) return [];
  const [gone, come] = [without(was, is), without(is, was)];
  const isList = (Array.isArray(before) || isLines(before)) && (Array.isArray(after) || isLines(after));
  return [{ path, before: isList ? listed(gone) : before, after: isList ? listed(come) : after }];
}

/** Tells whether two of them show something else, by the same measure. */
export function isMoved(before: Json | undefined, after: Json | undefined, ignored: ReadonlySet<string>): boolean {
  return movedPlaces({ first: before, before, left: after, after }, ignored).length > 0;
}

/** A text that the call and the undo both set anew, as a version is; a list that both made longer, as a log is. */
function movesByItself(
  { before, left, after }: Glances,
  was: readonly string[],
  between: readonly string[],
  is: readonly string[],
): boolean {
  if ([before, left, after].every(Array.isArray) || [before, left, after].every(isLines))
    return (
      without(was, between).length === 0 && without(between, is).length === 0 && was.length < between.length && between.length < is.length
    );
  return [before, left, after].every(isPlain) && !isSame(was, between) && !isSame(between, is);
}

const isPlain = (value: Json | undefined) =>
  value !== undefined && value !== null && !Array.isArray(value) && !isJsonObject(value) && !isLines(value);
const isLines = (value: Json | undefined) => typeof value === "string" && value.includes("\n");
const memberOf = (value: Json | undefined, name: string) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);

/** A print of each element or line, sorted; of anything else, of the whole. */
function printsOf(value: Json | undefined, ignored: ReadonlySet<string>): readonly string[] {
  if (value === undefined) return [];
  const parts = Array.isArray(value) ? value : typeof value === "string" ? value.split("\n") : [value];
  return parts.map((part) => canonicalJson(unordered(part, ignored))).sort();
}

/** A day with its time, or a time: that a record was touched at another one isn't what undo puts back. */
const TIMES = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?|\b\d{1,2}:\d\d(:\d\d)?([.,]\d+)?\b/g;

function unordered(value: Json, ignored: ReadonlySet<string>): Json {
  if (typeof value === "string") return value.replace(TIMES, "(time)");
  if (Array.isArray(value))
    return value
      .map((element) => [canonicalJson(unordered(element, ignored)), unordered(element, ignored)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, element]) => element);
  if (!isJsonObject(value)) return value;
  return objectFrom(
    Object.entries(value).flatMap(([name, member]) => (ignored.has(name) ? [] : [[name, unordered(member, ignored)] as const])),
  );
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((print, at) => print === b[at]);
}

/** Those of the first that the second hasn't, as often as it lacks them. */
function without(prints: readonly string[], others: readonly string[]): readonly string[] {
  const rest = new Map<string, number>();
  for (const print of others) rest.set(print, (rest.get(print) ?? 0) + 1);
  return prints.filter((print) => {
    const left = rest.get(print) ?? 0;
    if (left > 0) rest.set(print, left - 1);
    return left === 0;
  });
}

/** Elements or lines as they were, but for their order. */
function listed(prints: readonly string[]): Json | undefined {
  return prints.length === 0 ? undefined : prints.map(parseJson);
}
