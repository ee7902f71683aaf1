// What is a state with the agent's change taken back, place by place? The base is what the agent left; one side is what is there now, the
// other what was there before. Never touches a place that somebody else changed since.
import type { Conflict } from "../conflict.ts";
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../json.ts";
import { own } from "../state-difference.ts";
import type { PathStep } from "../template.ts";
import { type Change, type Findings, noFindings } from "./findings.ts";
import { type Keyed, keyedLists, placeOf, weave } from "./keyed-list.ts";
import { mergeText } from "./merge-text.ts";
import { identityOf, type Place, printPlace } from "./place.ts";
import { below, countsWhole, EVERYTHING, isSet, type Scope, sameWithin } from "./scope.ts";

/** Something on its three sides. */
interface Sides<Side> {
  readonly before: Side;
  readonly left: Side;
  readonly now: Side;
}
type List = readonly Json[];

/** Merges one place and adds to what was found; an undefined side has nothing there. Where sides conflict, now's value stands in. */
export function mergeValue(sides: Sides<Json | undefined>, scope: Scope, place: Place, found: Findings): Json | undefined {
  const { before, left, now } = sides;
  if (before === left && left === now) return now;
  if (isJsonObject(before) && isJsonObject(left) && isJsonObject(now)) return mergeObject({ before, left, now }, scope, place, found);
  if (Array.isArray(before) && Array.isArray(left) && Array.isArray(now)) return mergeList({ before, left, now }, scope, place, found);
  return mergeWhole(sides, scope, place, found);
}

/** Lists where two values differ, lists by identity where they have one. */
export function changesWithin(from: Json | undefined, to: Json | undefined, scope: Scope, place: Place): readonly Change[] {
  const found = noFindings();
  mergeValue({ before: from, left: from, now: to }, scope, place, found);
  return found.kept;
}

function mergeObject({ before, left, now }: Sides<JsonObject>, scope: Scope, place: Place, found: Findings): Json {
  const members: (readonly [string, Json])[] = [];
  for (const name of new Set([...Object.keys(now), ...Object.keys(before), ...Object.keys(left)])) {
    const step: PathStep = { kind: "member", name };
    const inner = below(scope, step);
    const sides = { before: own(before, name), left: own(left, name), now: own(now, name) };
    const value = inner === undefined ? sides.now : mergeValue(sides, inner, { up: place, step }, found);
    if (value !== undefined) members.push([name, value]);
  }
  return objectFrom(members);
}

function mergeList(sides: Sides<List>, scope: Scope, place: Place, found: Findings): Json | undefined {
  const keyed = keyedLists([sides.before, sides.left, sides.now], scope);
  const [before, left, now] = keyed?.lists ?? [];
  if (before && left && now) return mergeKeyed({ before, left, now }, keyed?.identity, scope, place, found);
  const positions = scope.relevant?.flatMap(([step]) => (step?.kind === "index" ? [step.index] : [])) ?? [];
  if (positions.length > 0 && positions.length === scope.relevant?.length)
    return mergePositions(
      sides,
      [...new Set(positions)].sort((a, b) => a - b),
      scope,
      place,
      found,
    );
  return mergeWhole(sides, scope, place, found);
}

function mergeKeyed(
  sides: Sides<Keyed>,
  identity: readonly PathStep[] | undefined,
  scope: Scope,
  place: Place,
  found: Findings,
): readonly Json[] {
  const inner = below(scope, { kind: "each" });
  const merged = new Map<string, Json>();
  const newcomers = [...sides.now].filter(([key]) => !sides.left.has(key)).map(([, element]) => element);
  for (const key of new Set([...sides.now.keys(), ...sides.before.keys(), ...sides.left.keys()])) {
    const element = { before: sides.before.get(key), left: sides.left.get(key), now: sides.now.get(key) };
    const at = placeOf(place, element.now ?? element.left ?? element.before ?? null, identity);
    const isRenamed = (left: Json) => identity !== undefined && newcomers.some((other) => sameButFor(identity, left, other));
    const value = inner === undefined ? element.now : mergeElement(element, inner, at, found, isRenamed);
    if (value !== undefined) merged.set(key, value);
  }
  const [main, other] = isOrderPutBack(sides, identity, place, found) ? [sides.before, sides.now] : [sides.now, sides.before];
  // Every key comes from the map itself.
  return weave(main.keys(), other.keys(), new Set(merged.keys())).map((key) => merged.get(key) as Json);
}

/**
 * A record that somebody deleted since stays deleted, whatever the agent had changed in it. Where what the agent left is there under another
 * identity, it isn't deleted but renamed, and the agent's change stands in it.
 */
function mergeElement(
  { before, left, now }: Sides<Json | undefined>,
  scope: Scope,
  place: Place,
  found: Findings,
  isRenamed: (left: Json) => boolean,
): Json | undefined {
  if (before === undefined || left === undefined || now !== undefined) return mergeValue({ before, left, now }, scope, place, found);
  const isChanged = !sameWithin(before, left, scope);
  if (isChanged && isRenamed(left)) found.conflicts.push({ path: printPlace(place), before, left, now });
  else found.kept.push({ path: printPlace(place), from: left, to: undefined });
  if (isChanged) found.gone++;
  return undefined;
}

function sameButFor(identity: readonly PathStep[], a: Json, b: Json): boolean {
  const name = identity[0]?.kind === "member" ? identity[0].name : undefined;
  if (name === undefined || identity.length > 1 || !isJsonObject(a) || !isJsonObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return names.size > 1 && [...names].every((each) => each === name || sameWithin(own(a, each), own(b, each), EVERYTHING));
}

/** Merges the order of what all sides have, as one value. Of a set it doesn't count, but is put back where nothing speaks against it. */
function isOrderPutBack(sides: Sides<Keyed>, identity: readonly PathStep[] | undefined, place: Place, found: Findings): boolean {
  const orderOf = (side: Keyed): List => {
    const common = [...side].filter(([key]) => sides.before.has(key) && sides.left.has(key) && sides.now.has(key));
    return common.map(([key, element]) => (identity === undefined ? key : identityOf(element, identity)));
  };
  const before = orderOf(sides.before);
  const each: Place = [{ kind: "each" } as const, ...(identity ?? [])].reduce<Place>((up, step) => ({ up, step }), place);
  const orders = { before, left: orderOf(sides.left), now: orderOf(sides.now) };
  const inOrder = noFindings();
  const isPutBack = mergeWhole(orders, EVERYTHING, each, inOrder) === before;
  if (identity === undefined) return isPutBack;
  found.conflicts.push(...inOrder.conflicts);
  found.kept.push(...inOrder.kept.map((change) => ({ ...change, order: true as const })));
  found.reverted += inOrder.reverted;
  found.already += inOrder.already;
  return isPutBack;
}

/** The inverse reads some elements by their position: then these are what they are, like members. */
function mergePositions(sides: Sides<List>, positions: readonly number[], scope: Scope, place: Place, found: Findings): Json {
  const list = [...sides.now];
  const meant = new Map<number, Json | undefined>();
  for (const index of positions) {
    const step: PathStep = { kind: "index", index };
    const element = { before: sides.before[index], left: sides.left[index], now: sides.now[index] };
    const value = mergeValue(element, below(scope, step) ?? EVERYTHING, { up: place, step }, found);
    meant.set(index, value);
    if (value === undefined) list.length = Math.min(list.length, index);
    else if (index < list.length) list[index] = value;
    else list.push(...sides.before.slice(list.length, index), value);
  }
  // An element can't stay where one before it is to go.
  if ([...meant].some(([index, value]) => list[index] !== value)) found.conflicts.push({ path: printPlace(place), ...sides });
  return list;
}

/** Merges what has no parts that could be merged, but for the lines of a text. */
function mergeWhole(sides: Sides<Json | undefined>, scope: Scope, place: Place, found: Findings): Json | undefined {
  const { before, left, now } = sides;
  if (sameWithin(before, left, scope)) {
    if (!sameWithin(left, now, scope)) found.kept.push({ path: printPlace(place), from: left, to: now });
    return now;
  }
  if (sameWithin(left, now, scope)) {
    found.reverted++;
    return withUncounted(before, now, scope);
  }
  if (sameWithin(before, now, scope)) {
    found.already++;
    return now;
  }
  if (
    typeof before === "string" &&
    typeof left === "string" &&
    typeof now === "string" &&
    [before, left, now].some((text) => text.includes("\n"))
  )
    return mergeLines({ before, left, now }, place, found);
  found.conflicts.push(...overlaps(sides, scope, place));
  return now;
}

function mergeLines({ before, left, now }: Sides<string>, place: Place, found: Findings): string {
  const merged = mergeText(before, left, now);
  const path = printPlace(place);
  found.conflicts.push(...merged.conflicts.map((region) => ({ path, ...region })));
  found.reverted += merged.reverted;
  found.already += merged.already;
  if (merged.kept > 0) found.kept.push({ path, from: left, to: now });
  return merged.text;
}

/** Gives the value with what doesn't count in it as it is now. */
function withUncounted(value: Json | undefined, now: Json | undefined, scope: Scope): Json | undefined {
  if (value === undefined || now === undefined || countsWhole(scope)) return value;
  if (Array.isArray(value) && Array.isArray(now) && value.length === now.length && !isSet(scope))
    return value.map((element: Json, index) => {
      const inner = below(scope, { kind: "index", index });
      return inner === undefined ? (now[index] as Json) : (withUncounted(element, now[index], inner) as Json);
    });
  if (!isJsonObject(value) || !isJsonObject(now)) return value;
  const members: (readonly [string, Json])[] = [];
  for (const name of new Set([...Object.keys(now), ...Object.keys(value)])) {
    const inner = below(scope, { kind: "member", name });
    const member = inner === undefined ? own(now, name) : withUncounted(own(value, name), own(now, name), inner);
    if (member !== undefined) members.push([name, member]);
  }
  return objectFrom(members);
}

/** Where one side has nothing, the places in which the other two differ; else the whole. */
function overlaps(sides: Sides<Json | undefined>, scope: Scope, place: Place): readonly Conflict[] {
  const { before, left, now } = sides;
  let rows: readonly Conflict[] = [];
  if (before === undefined && haveParts(left, now))
    rows = changesWithin(left, now, scope, place).map(({ path, from, to }) => ({ path, before, left: from, now: to }));
  else if (left === undefined && haveParts(before, now))
    rows = changesWithin(before, now, scope, place).map(({ path, from, to }) => ({ path, before: from, left, now: to }));
  else if (now === undefined && haveParts(before, left))
    rows = changesWithin(before, left, scope, place).map(({ path, from, to }) => ({ path, before: from, left: to, now }));
  return rows.length > 0 ? rows : [{ path: printPlace(place), before, left, now }];
}

function haveParts(a: Json | undefined, b: Json | undefined): boolean {
  return (isJsonObject(a) && isJsonObject(b)) || (Array.isArray(a) && Array.isArray(b));
}
