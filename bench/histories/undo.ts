// What does Synartesis do about a run, and what does it say of it? The real undo on the real journal; its answer in the words of the judge: per
// deed what the record says now, and which fields were named.
import type { PlanStep } from "../../src/core/plan-step.ts";
import type { Action, Journal } from "../../src/journal/journal.ts";
import { openJournal } from "../../src/journal/open.ts";
import { carryOutUndo, type UndoReport } from "../../src/undo/carry-out.ts";
import { makePlan } from "../../src/undo/make-plan.ts";
import { prepareUndo, type Target } from "../../src/undo/prepare-undo.ts";
import { QUIET_LOG, READ_TIMEOUT } from "./agent.ts";
import { type AgentDeed, type History, isAgentDeed } from "./history.ts";
import type { Said } from "./judge.ts";

/** What is undone, and how. */
export interface UndoWay {
  /** The agents whose runs are meant: one, or all at once in order of time. */
  readonly agents: readonly number[];
  readonly keepGoing: boolean;
  /** Called when the plan has been made and nothing is sent yet. */
  readonly onPlanned?: () => void;
}

/** A report, and what the plan had said of each action. */
interface Carried extends UndoReport {
  readonly planned: ReadonlyMap<string, Pick<PlanStep, "kind" | "reason" | "assumed" | "blockedBy">>;
}

/** What was said of an undo; `undoRun` is null where nothing had to be sent. */
export interface Undone {
  readonly said: ReadonlyMap<AgentDeed, Said>;
  readonly undoRun: string | null;
}

/** Undoes runs and gives what is said of each of their deeds. */
export async function undo(history: History, way: UndoWay): Promise<Undone> {
  return withJournal(history, async (journal) => {
    const runs = (await journal.runs({ kind: "agent" })).toReversed();
    const [only, ...more] = way.agents.map((agent) => runs[agent]?.id ?? `agent ${agent} has no run`);
    const target: Target = more.length === 0 ? { kind: "run", prefix: only } : { kind: "all-runs", since: 0 };
    const report = await carryOut(history, journal, target, way);
    const said = new Map<AgentDeed, Said>();
    for (const agent of way.agents) {
      const own = history.deeds.filter(isAgentDeed).filter((deed) => deed.agent === agent);
      const actions = await journal.actions(runs[agent]?.id ?? "");
      for (const [deed, action] of pair(
        own,
        actions.filter((each) => each.class !== "readonly"),
      ))
        said.set(deed, saidOf(action, report));
    }
    return { said, undoRun: report.undoRun };
  });
}

/** Finds the record of each call: both are in the order in which they were made. */
function pair(deeds: readonly AgentDeed[], actions: readonly Action[]): readonly (readonly [AgentDeed, Action])[] {
  if (actions.length !== deeds.length) throw new Error(`${deeds.length} changing calls were made, and ${actions.length} are recorded`);
  return deeds.map((deed, index) => {
    const action = actions[index];
    if (action?.tool !== deed.call.tool) throw new Error(`call ${index} was ${deed.call.tool}, and is recorded as ${action?.tool}`);
    return [deed, action] as const;
  });
}

function saidOf({ id, status, reason }: Action, { reports, planned }: Carried): Said {
  const found = reports.find(({ step }) => step.action.id === id);
  const conflicts = found?.step.kind === "conflict" ? found.step.conflicts.map(({ path }) => path) : undefined;
  const told = found === undefined ? "not reached" : `${found.step.kind} (${found.step.reason}), ${found.end.kind}`;
  const plan = planned.get(id);
  // What the plan assumed it said so of; what it held to be out of reach it didn't judge in the light of newer steps.
  const isOpen = plan !== undefined && (plan.assumed || plan.blockedBy !== undefined);
  const isAsPlanned = found === undefined || isOpen || found.step.kind === plan?.kind;
  return {
    status,
    conflicts,
    isAsPlanned,
    words: `${isAsPlanned ? "" : `planned as ${plan?.kind} (${plan?.reason}), `}${status} (${reason}), ${told}`,
  };
}

/** Undoes an undo, and gives what is said of each step, for the story. */
export async function redo(history: History, undoRun: string, keepGoing: boolean): Promise<readonly string[]> {
  const report = await withJournal(history, (journal) => carryOut(history, journal, { kind: "undo", prefix: undoRun }, { keepGoing }));
  return report.reports.map(({ step, end }) => `${step.action.tool}: ${step.kind} (${step.reason}), ${end.kind}`);
}

async function withJournal<Result>({ place }: History, act: (journal: Journal) => Promise<Result>): Promise<Result> {
  const journal = await openJournal({ file: place.journal, mode: "existing", clock: place.clock });
  try {
    return await act(journal);
  } finally {
    await journal.close();
  }
}

async function carryOut(
  { place }: History,
  journal: Journal,
  target: Target,
  { keepGoing, onPlanned }: Pick<UndoWay, "keepGoing" | "onPlanned">,
): Promise<Carried> {
  const parts = {
    journal,
    log: QUIET_LOG,
    clock: place.clock,
    readTimeout: READ_TIMEOUT,
    env: {},
    program: [],
    login: () => ({ token: async () => undefined, renew: async () => ({ kind: "none" as const, why: "no login is needed" }) }),
    viaClient: () => Promise.reject(new Error("no client starts these servers")),
    wrappedCommand: undefined,
    command: (...words: string[]) => words.join(" "),
    today: undefined,
    looksOnly: false,
    note: () => undefined,
  };
  const selection = { dependents: "refuse" as const };
  const choices = { skip: [], overwrite: [], tryExpired: false, live: false, replan: undefined };
  const prepared = await prepareUndo(parts, { target, selection, keepGoing, ...choices });
  try {
    const { steps } = await makePlan(prepared);
    onPlanned?.();
    const planned = new Map(steps.map((step) => [step.action.id, step] as const));
    return { planned, ...(await carryOutUndo(prepared, { by: "the judge" }, () => undefined)) };
  } finally {
    await prepared.close();
  }
}
