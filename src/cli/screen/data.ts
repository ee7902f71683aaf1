// What does the screen show of the record? Read for what is seen and no more, however long the runs are. Never writes, but that what is past its time
// expires when it is asked what waits.
import { presentValue, type State } from "../../core/state.ts";
import type { SnapshotState } from "../../core/vocabulary.ts";
import type { Action, Journal, Run } from "../../journal/journal.ts";
import type { WaitingCall } from "../render/gates.ts";
import { clientText, serversText } from "../render/runs.ts";
import { type ActionFacts, actionFacts, type RunFacts, runFacts, storedValue } from "../run-facts.ts";
import { waitingCalls } from "../waiting.ts";
import { topFor } from "./scrolling.ts";
import { chooseAmong, type ScreenState, topView, type View } from "./state.ts";

/** So many runs are listed; `list` knows the older ones. */
export const MOST_RUNS = 500;

/** What was read for one view. */
export type ViewData =
  | {
      readonly kind: "runs";
      readonly runs: readonly Run[];
      readonly index: number;
      readonly top: number;
      readonly seen: readonly RunFacts[];
    }
  | {
      readonly kind: "run";
      readonly facts: RunFacts;
      /** The numbers of the calls that match the filter; undefined: all, from 1 on. */
      readonly numbers: readonly number[] | undefined;
      readonly length: number;
      readonly index: number;
      readonly top: number;
      readonly seen: readonly Action[];
    }
  | { readonly kind: "action"; readonly facts: ActionFacts; readonly run: RunFacts; readonly before: State; readonly after: State }
  | { readonly kind: "waiting"; readonly index: number; readonly call: WaitingCall | undefined }
  | { readonly kind: "other" };

export interface ScreenData {
  /** Oldest first. */
  readonly waiting: readonly Action[];
  readonly view: ViewData;
}

/** Reads it. `page`: how many lines of a list fit. Gives the state, too: with a choice where there was none. */
export async function readData(
  journal: Journal,
  state: ScreenState,
  page: number,
  before: ScreenData | undefined,
): Promise<{ readonly data: ScreenData; readonly state: ScreenState }> {
  const waiting = await journal.waiting();
  const view = topView(state);
  const index = before !== undefined && before.view.kind === view.kind && "index" in before.view ? before.view.index : 0;
  if (view.kind === "runs") {
    const runs = (await journal.runs({ limit: MOST_RUNS })).filter(matching(view.filter));
    const chosen = chooseAmong(
      state,
      runs.map(({ id }) => id),
      index,
    );
    return { state: chosen, data: { waiting, view: await readRuns(journal, topView(chosen), runs, page) } };
  }
  if (view.kind === "waiting") {
    const ids = waiting.map(({ id }) => id);
    const chosen = chooseAmong(state, ids, index);
    const next = topView(chosen);
    const at = next.kind === "waiting" ? ids.indexOf(next.selected ?? "") : -1;
    const [call] = await waitingCalls(journal, waiting.slice(at, at + 1));
    return { state: chosen, data: { waiting, view: { kind: "waiting", index: at, call } } };
  }
  return { state, data: { waiting, view: await readOther(journal, view, page) } };
}

async function readOther(journal: Journal, view: View, page: number): Promise<ViewData> {
  if (view.kind === "run") return readRun(journal, view, page);
  if (view.kind === "action") return readAction(journal, view);
  return { kind: "other" };
}

function matching(filter: string): (run: Run) => boolean {
  const text = filter.toLowerCase();
  return (run) => text === "" || `${run.id} ${run.kind} ${run.state} ${clientText(run)} ${serversText(run)}`.toLowerCase().includes(text);
}

async function readRuns(journal: Journal, view: View, runs: readonly Run[], page: number): Promise<ViewData> {
  const index = view.kind === "runs" ? runs.findIndex(({ id }) => id === view.selected) : -1;
  const top = topFor(view.top, index, page, runs.length);
  const seen = await Promise.all(runs.slice(top, top + page).map((run) => runFacts(journal, run)));
  return { kind: "runs", runs, index, top, seen };
}

async function readRun(journal: Journal, view: Extract<View, { kind: "run" }>, page: number): Promise<ViewData> {
  const facts = await runFacts(journal, await journal.findRun(view.run));
  const numbers = view.filter === "" ? undefined : await journal.numbersMatching(view.run, view.filter);
  const length = numbers?.length ?? facts.calls;
  const { seq } = view;
  const found = seq === undefined ? length - 1 : numbers === undefined ? seq - 1 : numbers.findIndex((number) => number >= seq);
  const index = found === -1 ? length - 1 : Math.min(found, length - 1);
  const top = topFor(view.top, index, page, length);
  const [from, to] = [numbers?.[top] ?? top + 1, numbers?.[Math.min(top + page, length) - 1] ?? top + page];
  const seen =
    numbers === undefined
      ? await journal.actionsBetween(view.run, from, to)
      : (await Promise.all(numbers.slice(top, top + page).map((number) => journal.actionsBetween(view.run, number, number)))).flat();
  return { kind: "run", facts, numbers, length, index, top, seen };
}

async function readAction(journal: Journal, view: Extract<View, { kind: "action" }>): Promise<ViewData> {
  const [action] = await journal.actionsBetween(view.run, view.seq, view.seq);
  if (action === undefined) return { kind: "other" };
  const { snapshotState, snapshot, postState, post } = action;
  return {
    kind: "action",
    facts: await actionFacts(journal, action),
    run: await runFacts(journal, await journal.findRun(view.run)),
    before: await stateOf(journal, snapshotState, snapshot),
    after: await stateOf(journal, postState, post),
  };
}

async function stateOf(journal: Journal, state: SnapshotState, digest: string | null): Promise<State> {
  if (state === "absent") return { kind: "absent" };
  if (digest === null) return { kind: "unreadable", cause: "failed", why: "not captured" };
  const stored = await storedValue(journal, digest);
  return stored.kind === "value" ? { kind: "present", value: stored.value } : { kind: "unreadable", cause: "damaged", why: stored.why };
}

/** Tells whether there is a state to be compared at all. */
export function isKnown(state: State): boolean {
  return state.kind === "absent" || presentValue(state) !== undefined;
}
