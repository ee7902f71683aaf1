// Has a value the parts that it is expected to have? Members besides those don't count where the policy writes the parts out itself; elements of a
// list do, and so does everything in what a reference gave: an empty object that an agent sends must not be met by any.
import type { Json } from "./json.ts";
import { type Difference, differences } from "./state-difference.ts";
import type { PathStep, Template } from "./template.ts";

/** Lists where a value hasn't what was expected: `left` is what is there, `right` what should be. `from`: what the expectation was made from. */
export function missedParts(value: Json, expected: Json, from?: Template): readonly Difference[] {
  return differences(value, expected, []).filter(
    ({ right, steps }) => right !== undefined || steps.at(-1)?.kind === "index" || (from !== undefined && isReferred(from, steps)),
  );
}

/** Tells whether what stands there came from a reference. */
function isReferred(template: Template, [step, ...rest]: readonly PathStep[]): boolean {
  if (template.kind === "reference") return true;
  const inner = step && innerOf(template, step);
  return inner !== undefined && isReferred(inner, rest);
}

function innerOf(template: Template, step: PathStep): Template | undefined {
  if (template.kind === "object" && step.kind === "member") return template.members.find(([name]) => name === step.name)?.[1];
  if (template.kind === "list" && step.kind === "index") return template.items[step.index];
  return template.kind === "each" && step.kind === "index" ? template.item : undefined;
}
