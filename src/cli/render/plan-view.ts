// What is a plan shown with, and which of its steps are shown as they were judged? Pure.
import type { PlanStep } from "../../core/plan-step.ts";
import type { PreparedUndo } from "../../undo/prepare-undo.ts";
import type { View } from "./runs.ts";
import type { Style } from "./style.ts";

/** What a plan is shown with. `runs`: whether one run is undone or several decides how an action is named; `kind`: who left what is there. */
export interface PlanView extends View, Pick<PreparedUndo, "runs" | "kind"> {
  readonly style: Style;
  /** It goes on after a halt, so that this need not be suggested. */
  readonly keepGoing: boolean;
  /** The ids of actions that were asked for one by one: these are shown even where nothing is to be done with them. */
  readonly named: ReadonlySet<string>;
  /** Writes the same command on the same runs, with more words, so that it means the same whenever it is typed. */
  again(...more: string[]): string;
}

/** Tells whether a step is nothing to a person: a read, a call that certainly changed nothing, what was put back before, or what they didn't ask for. */
export function isIdle({ named }: PlanView, { action, kind, reason }: PlanStep): boolean {
  if (reason === "not-asked") return true;
  return !named.has(action.id) && ((kind === "skip" && reason !== "failed-unverified") || reason === "undone-before");
}

/** Tells whether a halt stands in the way of a step: it was judged as if what halts stayed, which says little of what will become of it. */
export function isUnreached({ blockedBy, kind, reason }: PlanStep): boolean {
  return blockedBy !== undefined && reason !== "undone-before" && !FOR_GOOD.has(kind);
}

/** Judged alike whatever else happens. */
const FOR_GOOD: ReadonlySet<PlanStep["kind"]> = new Set(["skip", "kept", "permanent", "expired"]);
