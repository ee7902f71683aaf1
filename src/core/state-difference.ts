// Are two states the same, and where do they differ? Numbers are compared as decimals, never as doubles; the order of members doesn't
// count, the order of a list does.
import { isJsonObject, type Json } from "./json.ts";
import { printPath } from "./reference.ts";
import { sameScalar } from "./same-scalar.ts";
import type { PathStep, Reference } from "./template.ts";

/** One place where two states differ; an undefined side has nothing there. */
export interface Difference {
  readonly steps: readonly PathStep[];
  /** As a manifest would write it; "" is the whole value. */
  readonly path: string;
  readonly left: Json | undefined;
  readonly right: Json | undefined;
}

/** Tells whether two states are equal but for the ignored paths. */
export function sameState(left: Json, right: Json, ignore: readonly Reference[]): boolean {
  return differences(left, right, ignore).length === 0;
}

/** Lists where two states differ, deepest places only, ignored paths left out. */
export function differences(left: Json, right: Json, ignore: readonly Reference[]): readonly Difference[] {
  const found: Difference[] = [];
  const paths = ignore.map((reference) => reference.steps);
  if (!paths.some((steps) => steps.length === 0)) compare(left, right, [], paths, found);
  return found;
}

type Paths = readonly (readonly PathStep[])[];

function compare(left: Json | undefined, right: Json | undefined, steps: readonly PathStep[], ignore: Paths, found: Difference[]): void {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index++) {
      compareMember(left[index], right[index], { kind: "index", index }, steps, ignore, found);
    }
  } else if (isJsonObject(left) && isJsonObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    for (const name of names) compareMember(own(left, name), own(right, name), { kind: "member", name }, steps, ignore, found);
  } else if (!sameScalar(left, right)) {
    found.push({ steps, path: printPath(steps), left, right });
  }
}

function compareMember(
  left: Json | undefined,
  right: Json | undefined,
  step: PathStep,
  steps: readonly PathStep[],
  ignore: Paths,
  found: Difference[],
): void {
  const below = ignore.filter((path) => covers(path[0], step)).map((path) => path.slice(1));
  if (!below.some((path) => path.length === 0)) compare(left, right, [...steps, step], below, found);
}

/** Tells whether a step of a rule's path stands for a step into a value; `[]` there is an element whose position doesn't count, and so is a selection, also of a member. */
export function covers(pattern: PathStep | undefined, step: PathStep): boolean {
  if (pattern?.kind === "where") return true;
  if (pattern?.kind === "each") return step.kind !== "member";
  if (pattern?.kind === "index") return step.kind === "index" && pattern.index === step.index;
  return pattern?.kind === "member" && step.kind === "member" && pattern.name === step.name;
}

/** Gives a member that the value itself has. */
export function own(value: { readonly [key: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
