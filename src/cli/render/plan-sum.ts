// What does a plan come to? How many steps of each kind, what they come with, where it would halt and what to type about that. Pure; a command
// names its run and is never cut.
import { hasSideEffects, isHalting, isSending, type PlanStep, type UndoPlan } from "../../core/plan-step.ts";
import type { PlanKind } from "../../core/vocabulary.ts";
import { countText } from "./counts.ts";
import { wrapWords } from "./layout.ts";
import { isUnreached, type PlanView } from "./plan-view.ts";
import { closesFirst, noteLines } from "./step-notes.ts";
import { ago, localTime } from "./time.ts";
import { refsText, refText } from "./undo-words.ts";

/** Gives the last lines of a plan. */
export function sumLines(view: PlanView, plan: UndoPlan): readonly string[] {
  const reached = plan.steps.filter((step) => !isUnreached(step));
  const of = (kind: PlanKind) => reached.filter((step) => step.kind === kind);
  const before = plan.steps.filter(({ reason }) => reason === "undone-before").length;
  const conflicts = of("conflict").length;
  const parts = [
    `${of("restore").length.toLocaleString("en")} to ${view.kind === "redo" ? "do again" : "put back"}${unverifiedText(of("restore"))}`,
    ...sent(of("merge"), "merged"),
    ...sent(of("compensate"), "to offset"),
    ...counted(of("done").length - before, "already so"),
    ...counted(before, "put back before"),
    ...counted(of("permanent").length, "permanent"),
    ...counted(of("expired").length, "expired"),
    ...counted(conflicts, conflicts === 1 ? "conflict" : "conflicts"),
    ...counted(of("unknown").length, "unknown"),
    ...counted(of("kept").length, "kept"),
    ...counted(reached.filter(({ reason }) => reason === "failed-unverified").length, "failed, which nothing verifies"),
    ...counted(plan.steps.length - reached.length, "not reached"),
  ];
  return [...termLines(view, plan), wrapWords(`Plan: ${parts.join(", ")}`, view.columns), ...haltLines(view, plan)];
}

function counted(number: number, words: string): string[] {
  return number === 0 ? [] : [`${number.toLocaleString("en")} ${words}`];
}

function sent(steps: readonly PlanStep[], words: string): string[] {
  return counted(steps.length, `${words}${unverifiedText(steps)}`);
}

function unverifiedText(steps: readonly PlanStep[]): string {
  const unverified = steps.filter(({ verified }) => !verified).length;
  if (unverified === 0) return "";
  return unverified === steps.length ? " (unverified)" : ` (${unverified.toLocaleString("en")} unverified)`;
}

/** What a person agrees to besides, in one place. */
function termLines(view: PlanView, plan: UndoPlan): readonly string[] {
  const steps = plan.steps.filter((step) => isSending(step) && step.blockedBy === undefined);
  const named = (has: (step: PlanStep) => boolean) =>
    refsText(
      view,
      steps.filter(has).map(({ action }) => action),
    );
  const effects = named(({ action }) => hasSideEffects(action));
  const costs = named(({ action }) => action.terms?.cost !== undefined);
  const first = closesFirst(plan);
  return [
    ...(effects === "" ? [] : [`Side effects: ${effects}`]),
    ...(costs === "" ? [] : [`Costs something: ${costs}`]),
    ...(first === undefined
      ? []
      : [`Closes first: ${refText(view, first.step.action)}, ${ago(first.until, view.now)} (${localTime(first.until)})`]),
  ].map((line) => wrapWords(line, view.columns));
}

function haltLines(view: PlanView, plan: UndoPlan): readonly string[] {
  const { halting, unreached } = haltsOf(plan);
  if (halting.length === 0) return [];
  const at = `${halting.length === 1 ? "step " : ""}${listText(halting.map(({ action }) => refText(view, action)))}`;
  const left =
    unreached === 0
      ? "nothing else waits for that"
      : `${countText(unreached, "older step")} ${unreached === 1 ? "stays as it is" : "stay as they are"}`;
  return [wrapWords(`It would halt at ${at}; ${left}.`, view.columns), ...choiceLines(view, halting, unreached > 0)];
}

/** What a person can decide where it halts: the steps that can be left or overwritten, and whether it could go on with others. */
export interface HaltChoices {
  readonly skip: readonly PlanStep[];
  readonly overwrite: readonly PlanStep[];
  readonly keepGoing: boolean;
}

/** Gives what can be decided about the steps at which it halts. `holdsUp`: older steps aren't reached because of them. */
export function choicesAt({ keepGoing }: Pick<PlanView, "keepGoing">, halting: readonly PlanStep[], holdsUp: boolean): HaltChoices {
  return { skip: halting, overwrite: halting.filter(isOverwritable), keepGoing: holdsUp && !keepGoing };
}

/** What was made anew under another name can't be reached by the call that would put it back. */
function isOverwritable({ kind, reason }: PlanStep): boolean {
  return kind === "conflict" && reason !== "made-anew";
}

/** Gives the steps at which a plan would halt, and whether older ones aren't reached because of them. */
export function haltsOf({ steps }: UndoPlan): { readonly halting: readonly PlanStep[]; readonly unreached: number } {
  return {
    halting: steps.filter((step) => isHalting(step) && step.blockedBy === undefined),
    unreached: steps.filter(isUnreached).length,
  };
}

/** Gives what a person can decide about the steps at which it halts, each with what to type. `holdsUp`: older steps aren't reached because of them. */
export function choiceLines(view: PlanView, halting: readonly PlanStep[], holdsUp: boolean): readonly string[] {
  const { overwrite: overwritable, keepGoing } = choicesAt(view, halting, holdsUp);
  const named = (steps: readonly PlanStep[]) =>
    steps.map(({ action }) => (view.runs.length === 1 ? String(action.seq) : action.id)).join(",");
  const which = (steps: readonly PlanStep[]) => (halting.length === 1 ? "it" : listText(steps.map(({ action }) => refText(view, action))));
  const are = halting.length === 1 ? "it is" : "they are";
  return [
    ...choice(view, `To leave ${which(halting)} as ${are}:`, "--skip", named(halting)),
    ...(overwritable.length === 0
      ? []
      : choice(view, `To put ${which(overwritable)} back ${overWhat(overwritable)}:`, "--overwrite", named(overwritable))),
    ...(halting.some(isAnError)
      ? choice(view, "If that error says that it isn't there, put its words into the rule's absent_when; then:", "--replan")
      : []),
    ...(keepGoing ? choice(view, `To go on with what isn't connected to ${halting.length === 1 ? "it" : "them"}:`, "--keep-going") : []),
  ];
}

/** Where the read fails nobody need have changed anything. */
function overWhat(steps: readonly PlanStep[]): string {
  return steps.some(({ reason }) => reason === "state-unreadable") ? "without seeing what is there now" : "over what others changed";
}

/** A report of what was done has no states. */
function isAnError({ reason, now }: PlanStep): boolean {
  return reason === "state-unreadable" && (now?.kind !== "unreadable" || now.cause === "tool-error");
}

function choice(view: PlanView, words: string, ...more: string[]): readonly string[] {
  return noteLines({ words, command: view.again(...more) }, view.columns, "");
}

function listText(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
