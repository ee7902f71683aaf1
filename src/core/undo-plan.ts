// What would undo do, step by step, and what can't it reach? A pure judgement of actions, newest first, each in the light of the newer ones.
// Never reads, never sends, never asks.
import { createBlocks } from "./blocks.ts";
import type { Connections } from "./connections.ts";
import type { Digest } from "./digest.ts";
import { bare, type Circumstances, type Judgement } from "./judge-change.ts";
import { judgeStep } from "./judge-step.ts";
import { overlay } from "./overlay.ts";
import { type ActionHead, isHalting, isSending, type PlanAction, type PlanStep, type UndoPlan } from "./plan-step.ts";
import type { State } from "./state.ts";
import type { Choice } from "./vocabulary.ts";

/** What is asked of an undo. */
export interface PlanOptions {
  /** The ids of the actions to be undone; undefined: all. */
  readonly selected?: ReadonlySet<string> | undefined;
  readonly choices?: ReadonlyMap<string, Choice>;
  /** Goes on after a halt with what isn't connected to the halted step. */
  readonly keepGoing?: boolean;
  readonly tryExpired?: boolean;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** Which older actions an action builds on; without them only resources connect. */
  readonly connections?: Connections;
}

/** Judges the actions of an undo one after the other, newest first. */
export interface Planner {
  /** Judges an action; `now` is what its read shows at present, if it was made. */
  judge(action: PlanAction, now: State | undefined): PlanStep<PlanAction>;
  /** Takes a judged step into the plan: what is older is judged in its light. */
  take(step: PlanStep<PlanAction>): void;
}

/** Makes a planner. */
export function createPlanner(options: PlanOptions = {}): Planner {
  const foreseen = new Map<string, Foreseen>();
  const blocks = createBlocks(options);
  let taken = 0;
  return {
    judge(action, now) {
      const whole = (judgement: Judgement) => ({ ...judgement, assumed: false, blockedBy: undefined, changedBy: undefined });
      if (options.selected?.has(action.id) === false) return whole(bare(action, "kept", "not-asked"));
      if (options.choices?.get(action.id) === "skip") return whole(bare(action, "kept", "skipped"));
      const effect = latestEffect(foreseen, action);
      const isOtherRead = effect !== undefined && (action.read === undefined || effect.key !== action.read.key);
      const assumed = isOtherRead || effect?.assumed === true;
      const state = effect === undefined ? now : isOtherRead ? assumedState(action) : effect.state;
      const judged = judgeStep(action, state, circumstances(options, action));
      return { ...judged, assumed, blockedBy: blocks.of(action), changedBy: isHalting(judged) ? action.coveredBy : undefined };
    },
    take(step) {
      taken++;
      if (step.blockedBy !== undefined) blocks.carryOn(step.action);
      else if (isHalting(step)) blocks.add(step.action, step.reason);
      else if (isSending(step)) foresee(foreseen, step, taken);
    },
  };
}

/** Makes the whole plan for actions in order of seq, given the states read just now by read key. */
export function planUndo(
  actions: readonly PlanAction[],
  now: ReadonlyMap<Digest, State>,
  options: PlanOptions = {},
): UndoPlan<PlanStep<PlanAction>> {
  const planner = createPlanner(options);
  const steps = actions.toReversed().map((action) => {
    const step = planner.judge(action, action.read && now.get(action.read.key));
    planner.take(step);
    return step;
  });
  return { steps, halt: haltOf(steps) };
}

/** Gives the index of the first step at which undo halts. */
export function haltOf(steps: readonly PlanStep[]): number | undefined {
  const halt = steps.findIndex((step) => isHalting(step) && step.blockedBy === undefined);
  return halt < 0 ? undefined : halt;
}

/** Gives the circumstances in which one action is judged. */
export function circumstances({ choices, tryExpired, at }: PlanOptions, action: ActionHead): Circumstances {
  return { at: at ?? 0, overwrite: choices?.get(action.id) === "overwrite", tryExpired: tryExpired ?? false };
}

/** What the newer steps are taken to leave: what the action left. If it left no trace, that is what was there before it. */
function assumedState({ left, before }: PlanAction): State | undefined {
  return left?.kind === "unreadable" && left.cause === "no-trace" ? (before ?? { kind: "absent" }) : left;
}

/** What a step of the plan will leave on a resource; `state` only where the read that shows it is the same. */
interface Foreseen {
  /** How many steps had been taken then: the greater, the later it takes effect. */
  readonly order: number;
  readonly key: Digest | undefined;
  readonly state: State | undefined;
  /** It was itself judged by an assumed state. */
  readonly assumed: boolean;
}

function latestEffect(foreseen: ReadonlyMap<string, Foreseen>, action: PlanAction): Foreseen | undefined {
  let latest: Foreseen | undefined;
  for (const resource of action.resources) {
    const effect = foreseen.get(resource);
    if (effect !== undefined && (latest === undefined || effect.order > latest.order)) latest = effect;
  }
  return latest;
}

function foresee(foreseen: Map<string, Foreseen>, step: PlanStep<PlanAction>, order: number): void {
  const { action, assumed } = step;
  const state = foreseenState(step);
  const effect = { order, key: state === undefined ? undefined : action.read?.key, state, assumed };
  for (const resource of action.resources) foreseen.set(resource, effect);
}

function foreseenState({ action, now, meant }: PlanStep<PlanAction>): State | undefined {
  if (meant?.kind !== "present" || now?.kind !== "present") return meant;
  return { kind: "present", value: overlay(now.value, meant.value, action.rules.relevant) };
}
