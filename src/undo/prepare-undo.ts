// What would undoing this run do? Gathers its actions, reads the states that they show now, and plans. Changes nothing.
import type { Digest } from "../core/digest.ts";
import type { Policy } from "../core/policy.ts";
import { type State, showsNoTrace } from "../core/state.ts";
import { isHalting, isSending, judgeStep, type PlanAction, planUndo, type UndoPlan } from "../core/undo-plan.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, Run } from "../journal/journal.ts";
import { readUntilFresh } from "../recorder/read-state.ts";
import { chooseRun } from "./choose-run.ts";
import { gatherActions, type UndoAction } from "./gather.ts";
import { replanActions } from "./replan.ts";
import { createUndoServers, type ServerParts, type UndoServers } from "./servers.ts";

export interface UndoRequest {
  /** Id or unique prefix; undefined: the latest that isn't undone. */
  readonly run: string | undefined;
  /** The lowest action to undo, by seq. */
  readonly to: number | undefined;
  /** Undo although the run's agent is connected. */
  readonly live: boolean;
  /** Today's policy, to be used on the captured state instead of the recorded one. */
  readonly replan: Policy | undefined;
}

/** A plan, and what it takes to carry it out. `close` ends the servers that were started. */
export interface PreparedUndo {
  readonly journal: Journal;
  readonly run: Run;
  readonly actions: readonly UndoAction[];
  readonly plan: UndoPlan;
  readonly request: UndoRequest;
  readonly servers: UndoServers;
  close(): Promise<void>;
}

/** Prepares an undo. @throws SynartesisError refused if the run's agent is connected, not-found, ambiguous, usage */
export async function prepareUndo(parts: ServerParts, request: UndoRequest): Promise<PreparedUndo> {
  const { journal } = parts;
  const run = await chooseRun(journal, request.run);
  const holders = await journal.holders(run.id);
  if (holders.length > 0 && !request.live)
    throw new SynartesisError("refused", `the agent of run ${run.id} is still connected (process ${holders[0]?.pid})`, {
      hint: "end it first, or undo under its feet with --live",
    });
  const recorded = await gatherActions(journal, run);
  if (request.to !== undefined && !recorded.some(({ seq }) => seq === request.to))
    throw new SynartesisError("usage", `run ${run.id} has no action ${request.to}`, {
      hint: `its actions are 1 to ${recorded.length}; ${parts.command("show", run.id)} lists them`,
    });
  const actions = request.replan ? await replanActions(journal, recorded, request.replan) : recorded;
  const servers = createUndoServers(run, parts);
  try {
    for (const name of serversNeeded(actions, request.to)) await servers.checkStart(name);
    const plan = planUndo(actions, await readStates(actions, servers, request.to), { to: request.to });
    return { journal, run, actions, plan, request, servers, close: () => servers.close() };
  } catch (error) {
    await servers.close();
    throw error;
  }
}

/** Gives the servers without which this undo can't do what it is asked. */
function serversNeeded(actions: readonly UndoAction[], to: number | undefined): ReadonlySet<string> {
  const needing = actions.filter(
    (action) => action.seq >= (to ?? 0) && (dependsOnState(action) || isSending(judgeStep(action, undefined))),
  );
  return new Set(needing.flatMap(({ read, inverse }) => [read?.call.server, inverse?.server]).filter((name) => name !== undefined));
}

/** Reads each state that the plan depends on once. */
async function readStates(actions: readonly UndoAction[], servers: UndoServers, to: number | undefined): Promise<Map<Digest, State>> {
  const states = new Map<Digest, State>();
  for (const action of actions) {
    if (action.read === undefined || states.has(action.read.key) || action.seq < (to ?? 0) || !dependsOnState(action)) continue;
    states.set(action.read.key, await readNow(action, servers));
  }
  return states;
}

/** Tells whether judging the action takes a look at the world: unseen, it would be a conflict or unknown. */
export function dependsOnState(action: PlanAction): boolean {
  return action.read !== undefined && isHalting(judgeStep(action, undefined));
}

/** Reads what the action's read shows now. A server that can't be had makes it unreadable, with the reason. */
export async function readNow(action: UndoAction, servers: UndoServers): Promise<State> {
  if (action.read === undefined) return { kind: "unreadable", cause: "failed", why: "no read shows this" };
  const server = await servers.get(action.read.call.server);
  if (server.kind === "failed") return { kind: "unreadable", cause: "failed", why: server.why };
  const { recorder } = server;
  const isStale = (state: State) =>
    action.status === "applied" && !isSeen(action.left) && showsNoTrace(state, action.before, action.ignore);
  return readUntilFresh(recorder, action.read.call, action.rule, isStale, pausesUntil(recorder.clock, settledAt(action) + LAG));
}

/** For how long after a call a read may still be from before it, in milliseconds. */
const LAG = 10_000;

/** A change that said success and was never seen may show up yet: until it can't, its absence proves nothing. */
function isSeen(left: State | undefined): boolean {
  return left !== undefined && left.kind !== "unreadable";
}

function settledAt({ stored }: UndoAction): number {
  return stored.settledAt ?? stored.receivedAt;
}

function* pausesUntil(clock: () => number, end: number): Generator<number> {
  for (let pause = 50; clock() < end; pause = Math.min(2 * pause, 1000)) yield Math.min(pause, end - clock());
}
