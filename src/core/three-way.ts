// Of three states of one thing, before, left and now: what is it with the agent's change taken back and everybody else's kept? By the place,
// in lists by identity or member, in texts by the line. Never gives up a change made since: where one overlaps the agent's, that is a conflict.
import type { Conflict } from "./conflict.ts";
import type { Json } from "./json.ts";
import { type Change, noFindings } from "./merge/findings.ts";
import { changesWithin, mergeValue } from "./merge/merge-value.ts";
import { type MergeRules, sameWithin, scopeOf } from "./merge/scope.ts";

export type { Change, MergeRules };

/** What has become of the agent's change, as far as it matters. */
export type ThreeWay =
  /** All of it stands, and nothing else changed since. */
  | { readonly kind: "as-left" }
  /** None of it stands: there is nothing to put back. `gone`: because somebody deleted what the agent had changed. */
  | { readonly kind: "as-before"; readonly gone?: true }
  | {
      readonly kind: "merged";
      /** The state that is meant: it takes the snapshot's place in the inverse. Where something doesn't matter it is as now. */
      readonly value: Json;
      /** What somebody else changed since, and is kept. */
      readonly kept: readonly Change[];
      /** How many places of the agent's change are as before already. */
      readonly already: number;
    }
  /** Exactly the places that both changed; of a text of several lines these lines of each side, a row for each region. */
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] };

/**
 * Merges (40-undo, "Three-way"): a place only the agent changed is as before, one only others changed is as now, one that both changed
 * to different values is a conflict. A record of a list that somebody deleted since stays deleted.
 */
export function threeWay(before: Json, left: Json, now: Json, rules: MergeRules): ThreeWay {
  const scope = scopeOf(rules);
  if (scope === undefined) return { kind: "as-before" };
  const found = noFindings();
  const value = mergeValue({ before, left, now }, scope, undefined, found);
  if (found.conflicts.length > 0) return { kind: "conflict", conflicts: found.conflicts };
  if (value === undefined || found.reverted === 0) return { kind: "as-before", ...(found.gone > 0 ? { gone: true } : {}) };
  if (found.kept.length === 0 && found.already === 0) return { kind: "as-left" };
  return { kind: "merged", value, kept: found.kept, already: found.already };
}

/** Tells whether two states are the same on what matters. */
export function sameOnRelevant(a: Json, b: Json, rules: MergeRules): boolean {
  const scope = scopeOf(rules);
  return scope === undefined || sameWithin(a, b, scope);
}

/** Tells whether two states differ on what matters in nothing but the order of lists with an identity: many servers keep an order of their own. */
export function sameButForOrder(a: Json, b: Json, rules: MergeRules): boolean {
  return changesBetween(a, b, rules).every(({ order }) => order);
}

/** Lists where two states differ on what matters, the deepest places, lists by identity where they have one; undefined: there is none. */
export function changesBetween(from: Json | undefined, to: Json | undefined, rules: MergeRules): readonly Change[] {
  const scope = scopeOf(rules);
  return scope === undefined ? [] : changesWithin(from, to, scope, undefined);
}
