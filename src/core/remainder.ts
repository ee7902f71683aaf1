// What of a call's change does its inverse leave as it is? What was read of a state tells more than the inverse puts back: what still stands of that
// is said, and a step is never called undone as if it weren't there.
import type { PlanAction } from "./plan-step.ts";
import { presentValue, type State } from "./state.ts";
import { type Change, changesBetween } from "./three-way.ts";

/**
 * Lists the places that the inverse doesn't put back, that the call changed and that are still as it left them: `from` was there before, `to` is there
 * now. None where nothing is left out, or where a state isn't known.
 */
export function remainderOf({ before, left, rules }: Pick<PlanAction, "before" | "left" | "rules">, now: State): readonly Change[] {
  const [was, made, is] = [presentValue(before), presentValue(left), presentValue(now)];
  if (rules.relevant === undefined || was === undefined || made === undefined || is === undefined) return [];
  const whole = { ...rules, relevant: undefined };
  const notLeftOut = [...changesBetween(was, is, rules), ...changesBetween(made, is, whole)];
  return changesBetween(was, is, whole).filter((change) => !notLeftOut.some((other) => meet(change.path, other.path)));
}

function meet(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}
