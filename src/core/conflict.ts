// Where do before, left and now differ? The rows of a conflict table: field, before, what the agent left, what is there now.
import type { Json } from "./json.ts";
import { readPath } from "./reference.ts";
import { presentValue, type State } from "./state.ts";
import { differences } from "./state-difference.ts";
import type { PathStep, Reference } from "./template.ts";

/** One field; an undefined side has nothing there. `path` is "" for the whole value. */
export interface Conflict {
  readonly path: string;
  readonly before: Json | undefined;
  readonly left: Json | undefined;
  readonly now: Json | undefined;
}

/**
 * Lists the fields in which the present state differs from what the agent left, without the ignored paths; where that isn't known, those
 * in which it differs from what was there before.
 */
export function conflictsOf(
  before: State | undefined,
  left: State | undefined,
  now: State,
  ignore: readonly Reference[],
): readonly Conflict[] {
  const known = left ?? before;
  if (known?.kind !== "present" || now.kind !== "present")
    return [{ path: "", before: presentValue(before), left: presentValue(left), now: presentValue(now) }];
  return differences(known.value, now.value, ignore).map((found) => ({
    path: found.path,
    before: valueAt(before, found.steps),
    left: valueAt(left, found.steps),
    now: found.right,
  }));
}

function valueAt(state: State | undefined, steps: readonly PathStep[]): Json | undefined {
  if (state?.kind !== "present") return undefined;
  const found = readPath(state.value, steps);
  return found.kind === "found" ? found.value : undefined;
}
