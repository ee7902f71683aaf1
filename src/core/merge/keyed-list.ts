// By what are the elements of a list known, on all sides alike, and in which order do they belong? Lists of records by their identity,
// sets by the members themselves. Never by position.
import { isExactNumber, isJsonObject, type Json } from "../json.ts";
import { readPath } from "../reference.ts";
import type { PathStep } from "../template.ts";
import type { Place } from "./place.ts";
import { below, EVERYTHING, isSet, keyWithin, type Scope } from "./scope.ts";

/** A list as its elements by key, in its order. */
export type Keyed = ReadonlyMap<string, Json>;

/** The lists by key, in the order given. */
export interface KeyedLists {
  /** Undefined: the lists are sets, of which the order doesn't count. */
  readonly identity: readonly PathStep[] | undefined;
  readonly lists: readonly Keyed[];
}

type List = readonly Json[];
type Steps = readonly PathStep[];

const EACH: PathStep = { kind: "each" };
/** The usual names of an identity, the best first. */
const USUAL: readonly Steps[] = ["id", "name", "key"].map((name) => [{ kind: "member", name }]);

/** Gives lists by key; undefined where their elements can't be told apart but by position. */
export function keyedLists(lists: readonly List[], scope: Scope): KeyedLists | undefined {
  if (isSet(scope)) return { identity: undefined, lists: lists.map((list) => bySelf(list, scope)) };
  if ([...scope.ignore, ...(scope.relevant ?? [])].some((path) => path[0]?.kind === "index")) return undefined;
  if (lists.some((list) => !list.every(isJsonObject))) return undefined;
  for (const identity of identities(scope)) {
    const keyed: Keyed[] = [];
    for (const list of lists) {
      const known = byIdentity(list, identity);
      if (known === undefined) break;
      keyed.push(known);
    }
    if (keyed.length === lists.length) return { identity, lists: keyed };
  }
  return undefined;
}

/** Gives the place of an element of keyed lists. */
export function placeOf(list: Place, element: Json, identity: Steps | undefined): Place {
  return { up: list, step: identity ? { kind: "selection", field: identity, element } : EACH };
}

/** What the rules say identifies the elements; else what the inverse selects them by, and the usual names, unless these never count. */
function identities(scope: Scope): readonly Steps[] {
  const said = scope.identity.filter((path) => path.length > 1 && path[0]?.kind === "each" && path.slice(1).every(isMember));
  if (said.length > 0) return said.map((path) => path.slice(1));
  const element = below({ ...scope, relevant: undefined }, EACH);
  if (element === undefined) return [];
  const selected =
    scope.relevant?.flatMap(([step]): Steps[] => (step?.kind === "where" ? [[{ kind: "member", name: step.name }]] : [])) ?? [];
  return [...selected, ...USUAL].filter((path) => path.every((step) => below(element, step) !== undefined));
}

function isMember(step: PathStep): boolean {
  return step.kind === "member";
}

function byIdentity(list: List, identity: Steps): Keyed | undefined {
  const known = new Map<string, Json>();
  for (const element of list) {
    const read = readPath(element, identity);
    if (read.kind === "absent" || !(typeof read.value === "string" || typeof read.value === "number" || isExactNumber(read.value)))
      return undefined;
    known.set(keyWithin(read.value, EVERYTHING), element);
  }
  return known.size === list.length ? known : undefined;
}

/** By value and how often it was there already, so that equal members are told apart. */
function bySelf(list: List, scope: Scope): Keyed {
  const member = below(scope, EACH);
  const seen = new Map<string, number>();
  const known = new Map<string, Json>();
  for (const element of list) {
    const value = member === undefined ? "" : keyWithin(element, member);
    const times = seen.get(value) ?? 0;
    seen.set(value, times + 1);
    known.set(`${times} ${value}`, element);
  }
  return known;
}

/**
 * Puts what is wanted into an order: that of `main`, and what `main` doesn't have right behind the neighbour that it follows in `other`;
 * if it follows none, before the one that it precedes.
 */
export function weave(main: Iterable<string>, other: Iterable<string>, wanted: ReadonlySet<string>): readonly string[] {
  const order = [...main].filter((key) => wanted.has(key));
  const anchors = new Set(order);
  const behind = new Map<string, string[]>();
  const first: string[] = [];
  let anchor: string | undefined;
  let follower: string | undefined;
  for (const key of other) {
    if (anchors.has(key)) {
      anchor = key;
      follower ??= key;
    } else if (wanted.has(key)) {
      const group = anchor === undefined ? first : (behind.get(anchor) ?? []);
      group.push(key);
      if (anchor !== undefined) behind.set(anchor, group);
    }
  }
  const woven = order.flatMap((key) => [...(key === follower ? first : []), key, ...(behind.get(key) ?? [])]);
  return follower === undefined ? [...woven, ...first] : woven;
}
