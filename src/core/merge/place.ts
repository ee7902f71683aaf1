// Where in a state are we, and how is that written? As in a manifest, `items[id=7].tags`; printed only where something is to be said of it.
import { type Json, printJson } from "../json.ts";
import { printPath, readPath } from "../reference.ts";
import type { PathStep } from "../template.ts";

/** A step to an element of a list that is known by the value of its field. */
type Selection = { readonly kind: "selection"; readonly field: readonly PathStep[]; readonly element: Json };

/** A place in a state, as the way there; undefined: the whole state. */
export type Place = { readonly up: Place; readonly step: PathStep | Selection } | undefined;

/** Prints a place; "" is the whole state. */
export function printPlace(place: Place): string {
  if (place === undefined) return "";
  const { up, step } = place;
  const above = printPlace(up);
  if (step.kind === "selection") return `${above}[${printPath(step.field)}=${selected(identityOf(step.element, step.field))}]`;
  const own = printPath([step]);
  return above === "" || own.startsWith("[") ? above + own : `${above}.${own}`;
}

/** Gives the value by which an element is known. */
export function identityOf(element: Json, field: readonly PathStep[]): Json {
  const read = readPath(element, field);
  return read.kind === "found" ? read.value : null;
}

function selected(value: Json): string {
  return typeof value === "string" && /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(value) ? value : printJson(value);
}
