// What of a state counts, and how do its parts compare? The rules as they stand at one place of a state. Numbers are compared as
// decimals; the order of members doesn't count, nor that of a set. There is this one notion of equality in a merge, and no other.
import { isExactNumber, isJsonObject, type Json } from "../json.ts";
import { decimalOf, sameScalar } from "../same-scalar.ts";
import { covers, own } from "../state-difference.ts";
import type { PathStep, Reference } from "../template.ts";

/** How two states of one thing are compared and merged. References are relative to the state's value. */
export interface MergeRules {
  readonly ignore: readonly Reference[];
  /** Lists whose order means nothing. */
  readonly sets: readonly Reference[];
  /** What tells the records of a list apart: `items[].sku`. */
  readonly identity: readonly Reference[];
  /** Paths that the inverse puts back (the `$snapshot` paths it reads); undefined, or none: all of it. */
  readonly relevant: readonly (readonly PathStep[])[] | undefined;
}

type Paths = readonly (readonly PathStep[])[];

/** The rules as seen from one place; `relevant` undefined: everything there counts, but for what is ignored. */
export interface Scope {
  readonly ignore: Paths;
  readonly sets: Paths;
  readonly identity: Paths;
  readonly relevant: Paths | undefined;
}

/** The scope in which everything counts and nothing is said of lists. */
export const EVERYTHING: Scope = { ignore: [], sets: [], identity: [], relevant: undefined };

/** Gives the scope of a whole state; undefined: nothing of it counts. */
export function scopeOf({ ignore, sets, identity, relevant }: MergeRules): Scope | undefined {
  const all = relevant === undefined || relevant.length === 0 || relevant.some((path) => path.length === 0);
  if (ignore.some(({ steps }) => steps.length === 0)) return undefined;
  const steps = (references: readonly Reference[]) => references.map((reference) => reference.steps);
  return { ignore: steps(ignore), sets: steps(sets), identity: steps(identity), relevant: all ? undefined : relevant };
}

/** Gives the scope one step further down; undefined: what is there doesn't count. */
export function below(scope: Scope, step: PathStep): Scope | undefined {
  if (scope === EVERYTHING || (countsWhole(scope) && scope.sets.length === 0 && scope.identity.length === 0)) return EVERYTHING;
  const ignore = rest(scope.ignore, step);
  if (ignore.some((path) => path.length === 0)) return undefined;
  const relevant = scope.relevant && rest(scope.relevant, step);
  if (relevant?.length === 0) return undefined;
  const all = relevant?.some((path) => path.length === 0) ?? true;
  return { ignore, sets: rest(scope.sets, step), identity: rest(scope.identity, step), relevant: all ? undefined : relevant };
}

/** Tells whether all that is at a place counts. */
export function countsWhole({ relevant, ignore }: Scope): boolean {
  return relevant === undefined && ignore.length === 0;
}

/** Tells whether the list at this place is a set. */
export function isSet(scope: Scope): boolean {
  return scope.sets.some((path) => path.length === 0);
}

/** Tells whether two values are the same as far as they count; undefined: there is none. */
export function sameWithin(a: Json | undefined, b: Json | undefined, scope: Scope): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return isSet(scope) ? listKey(a, scope) === listKey(b, scope) : sameLists(a, b, scope);
  if (!isJsonObject(a) || !isJsonObject(b)) return sameScalar(a, b);
  for (const name of Object.keys(a)) {
    const inner = below(scope, { kind: "member", name });
    if (inner !== undefined && !sameWithin(a[name], own(b, name), inner)) return false;
  }
  return Object.keys(b).every((name) => Object.hasOwn(a, name) || below(scope, { kind: "member", name }) === undefined);
}

function sameLists(a: readonly Json[], b: readonly Json[], scope: Scope): boolean {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const inner = below(scope, { kind: "index", index });
    if (inner !== undefined && !sameWithin(a[index], b[index], inner)) return false;
  }
  return true;
}

/** Gives a text that two values share exactly where they are the same as far as they count. */
export function keyWithin(value: Json, scope: Scope): string {
  if (typeof value === "number" || isExactNumber(value)) return decimalOf(value) ?? JSON.stringify(value);
  if (Array.isArray(value)) return listKey(value, scope);
  if (!isJsonObject(value)) return JSON.stringify(value);
  let members = "";
  for (const name of Object.keys(value).sort()) {
    const inner = below(scope, { kind: "member", name });
    if (inner !== undefined) members += `${JSON.stringify(name)}:${keyWithin(value[name] as Json, inner)},`;
  }
  return `{${members}}`;
}

function listKey(list: readonly Json[], scope: Scope): string {
  const keys = list.map((element, index) => {
    const inner = below(scope, isSet(scope) ? { kind: "each" } : { kind: "index", index });
    return inner === undefined ? "" : `${isSet(scope) ? "" : index}:${keyWithin(element, inner)},`;
  });
  return `[${(isSet(scope) ? keys.sort() : keys).join("")}]`;
}

function rest(paths: Paths, step: PathStep): Paths {
  return paths.length === 0 ? paths : paths.filter((path) => covers(path[0], step)).map((path) => path.slice(1));
}
