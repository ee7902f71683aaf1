// Has a value the parts that it is expected to have? Members besides those don't count; elements of a list do.
import type { Json } from "./json.ts";
import { type Difference, differences } from "./state-difference.ts";

/** Lists where a value hasn't what was expected: `left` is what is there, `right` what should be. */
export function missedParts(value: Json, expected: Json): readonly Difference[] {
  return differences(value, expected, []).filter(({ right, steps }) => right !== undefined || steps.at(-1)?.kind === "index");
}
