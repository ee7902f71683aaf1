// What would this undo do? Reads the states that the actions show now, each once, and judges newest first. Changes nothing.
import type { Digest } from "../core/digest.ts";
import { isSending, type PlanAction, type PlanStep, type UndoPlan } from "../core/plan-step.ts";
import type { State } from "../core/state.ts";
import { createPlanner, haltOf, type Planner, type PlanOptions } from "../core/undo-plan.ts";
import { coveringAction, isAskedAbout } from "./covered.ts";
import type { UndoAction } from "./gather.ts";
import { loadAction } from "./load-action.ts";
import { look } from "./look.ts";
import type { PreparedUndo } from "./prepare-undo.ts";

/** A step of a plan with the values that a person wants to see. */
export type ShownStep = PlanStep<PlanAction & UndoAction>;

/** Makes the plan; `onStep` is told how many of the actions have been judged. */
export async function makePlan(prepared: PreparedUndo, onStep: (judged: number) => void = () => undefined): Promise<UndoPlan<ShownStep>> {
  const { journal, servers, options } = prepared;
  const planner = createPlanner({ ...options, connections: await prepared.connections() });
  const states = new Map<Digest, State | undefined>();
  const planned = new Set<string>();
  const steps: ShownStep[] = [];
  for (const action of prepared.actions.toReversed()) {
    const loaded = { ...action, ...(await loadAction(journal, action)) };
    const key = loaded.read?.key;
    // Where one action needs no look, another with the same read may.
    if (key !== undefined && states.get(key) === undefined && isAsked(options, action))
      states.set(key, await look(action, loaded, servers));
    const now = key === undefined ? undefined : states.get(key);
    const step = await judge(planner, prepared, loaded, now, planned);
    planner.take(step);
    if (step.blockedBy === undefined && settles(step)) planned.add(action.id);
    steps.push(step);
    onStep(steps.length);
  }
  return { steps, halt: haltOf(steps) };
}

/** Tells whether nothing of the action will stand once the step is carried out. */
function settles(step: ShownStep): boolean {
  return isSending(step) || step.kind === "done" || step.kind === "skip";
}

function isAsked({ selected, choices }: PlanOptions, { id }: UndoAction): boolean {
  return selected?.has(id) !== false && choices?.get(id) !== "skip";
}

/** Where somebody changed the thing since, the journal is asked whether that was a later call. */
async function judge(
  planner: Planner,
  prepared: PreparedUndo,
  loaded: PlanAction & UndoAction,
  now: State | undefined,
  planned: ReadonlySet<string>,
): Promise<ShownStep> {
  // The planner hands on the very action that it judged.
  const step = planner.judge(loaded, now) as ShownStep;
  if (!isAskedAbout(step)) return step;
  const coveredBy = await coveringAction(prepared, loaded, planned, step);
  return coveredBy === undefined ? step : (planner.judge({ ...loaded, coveredBy }, now) as ShownStep);
}
