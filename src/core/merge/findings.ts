// What does a merge say beside the merged value?
import type { Conflict } from "../conflict.ts";
import type { Json } from "../json.ts";

/** One place in which two states differ; an undefined side has nothing there. `path` as in a manifest; "" is the whole value. */
export interface Change {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  /** Only the order of a list with an identity differs there; both sides are the identities in order. */
  readonly order?: true;
}

/** What a merge found so far. */
export interface Findings {
  readonly conflicts: Conflict[];
  /** What somebody else changed since. */
  readonly kept: Change[];
  /** Places of the agent's change that are put back, and those that are as before already. */
  reverted: number;
  already: number;
  /** Records that the agent had changed and that somebody deleted since. */
  gone: number;
}

/** Gives the findings of a merge that hasn't begun. */
export function noFindings(): Findings {
  return { conflicts: [], kept: [], reverted: 0, already: 0, gone: 0 };
}
