// What has become of an action since: which undos and redos were at it, and what did people say about it? In the order in which it happened. Never
// writes.
import { isEarlierPart } from "../core/rule-record.ts";
import type { Action, Decision, Journal, Run } from "../journal/journal.ts";

/** A step of an undo that was to put the action back, or of a redo that was to do it again. */
export interface Passage {
  readonly kind: Run["kind"];
  readonly run: string;
  /** Who asked for it, as claimed. */
  readonly by: string | null;
  readonly step: Action;
  /** It is known to have come to what was meant; that it was sent shows in the step's status. */
  readonly tookEffect: boolean;
}

/** What a step of an undo or a redo is about. */
export interface Undid {
  readonly action: Action;
  /** For a redo: the agent's action that it does again. */
  readonly again: Action | undefined;
}

/** All of it. */
export interface ActionStory {
  readonly undid: Undid | undefined;
  readonly passages: readonly Passage[];
  /** By people, oldest first; the approval that it spent among them. */
  readonly decisions: readonly Decision[];
}

/** Reads the story of an action. `runs` keeps what was read of other runs, for the next one. */
export async function actionStory(journal: Journal, action: Action, runs: Map<string, Run>): Promise<ActionStory> {
  return {
    undid: await undidOf(journal, action),
    passages: await passagesOf(journal, action, runs),
    decisions: await wordsOn(journal, action),
  };
}

async function undidOf(journal: Journal, { undoes }: Action): Promise<Undid | undefined> {
  if (undoes === null) return undefined;
  const action = await journal.action(undoes);
  return { action, again: action.undoes === null ? undefined : await journal.action(action.undoes) };
}

async function passagesOf(journal: Journal, action: Action, runs: Map<string, Run>): Promise<readonly Passage[]> {
  const undos = await journal.undosOf(action.id);
  const found = undos.map((step) => ({ step, tookEffect: tookEffect(step, action, undos) }));
  for (const undo of undos) {
    // What a redo does again was put back by the step that it undoes.
    const redos = await journal.undosOf(undo.id);
    found.push(...redos.map((step) => ({ step, tookEffect: tookEffect(step, undo, redos) })));
  }
  const passages: Passage[] = [];
  for (const each of found.toSorted((a, b) => a.step.order - b.step.order)) {
    const run = runs.get(each.step.run) ?? (await journal.findRun(each.step.run));
    runs.set(run.id, run);
    passages.push({ kind: run.kind, run: run.id, by: run.identity, ...each });
  }
  return passages;
}

const SENT: ReadonlySet<Action["status"]> = new Set(["applied", "permanent"]);

/** What was undone itself had taken effect; of the others only the last that was sent, where what it was to undo is undone, with the calls that it ended. */
function tookEffect(step: Action, target: Action, steps: readonly Action[]): boolean {
  if (step.status === "undone") return true;
  const ending = isEarlierPart(step) && step.status === "applied" ? endingOf(step, steps) : undefined;
  if (ending !== undefined) return tookEffect(ending, target, steps);
  const isLast = steps.findLast(({ status }) => SENT.has(status)) === step;
  return isLast && target.status === "undone" && target.reason !== "already-so";
}

/** The step that made the last of the calls of which this one made an earlier one. */
function endingOf(step: Action, steps: readonly Action[]): Action | undefined {
  return steps.slice(steps.indexOf(step) + 1).find((later) => SENT.has(later.status) && !isEarlierPart(later));
}

async function wordsOn(journal: Journal, action: Action): Promise<readonly Decision[]> {
  const spent = action.approval === null ? undefined : await journal.decision(action.approval);
  const own = (await journal.decisions(action.id)).filter(({ by }) => by !== "policy");
  return spent === undefined ? own : [spent, ...own];
}
