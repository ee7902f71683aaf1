// Over which states has a person agreed to put something back? Those that the plan showed: what somebody wrote after that was not agreed to.
import type { UndoPlan } from "../core/plan-step.ts";
import { stateMark } from "../core/state.ts";

/** Marks of states, by the id of the action that is put back over them. */
export type AgreedStates = ReadonlyMap<string, string>;

/** Gives what a plan shows of the steps that put back over later changes; what it only assumes of them nobody has seen. */
export function agreedStates({ steps }: UndoPlan): AgreedStates {
  const shown = steps.filter(({ reason, assumed }) => reason === "overwriting" && !assumed);
  return new Map(shown.map(({ action, now }) => [action.id, stateMark(now)]));
}
