// What does an action's read show now? One read through its server, made again while it may lag behind the call. Never judges.
import { dependsOnState } from "../core/judge-step.ts";
import type { PlanAction } from "../core/plan-step.ts";
import { callsOfRead, type ResolvedRead } from "../core/resolved-read.ts";
import { type State, showsNoTrace } from "../core/state.ts";
import { readUntilFresh } from "../recorder/read-state.ts";
import type { UndoAction } from "./gather.ts";
import { type ServerResult, serverFor, type UndoServers } from "./servers.ts";

/** Reads what an action's read shows now; undefined where judging it needs no look. A server that can't be had makes it unreadable. */
export async function look(action: UndoAction, loaded: PlanAction, servers: UndoServers): Promise<State | undefined> {
  if (loaded.read === undefined || !dependsOnState(loaded)) return undefined;
  const server = await serverOf(action, loaded.read.call, servers);
  if (server.kind === "failed") return { kind: "unreadable", cause: "no-server", why: server.why };
  const { recorder } = server;
  const isStale = (state: State) =>
    action.status === "applied" && !isSeen(loaded.left) && showsNoTrace(state, loaded.before, loaded.rules.ignore);
  const state = await readUntilFresh(recorder, loaded.read.call, action.rule, isStale, pausesUntil(recorder.clock, action.settledAt + LAG));
  const hasEnded = state.kind === "unreadable" && state.cause === "failed" && !recorder.upstream.alive;
  return hasEnded ? { ...state, cause: "no-server" } : state;
}

/** Finds the server of the first call, by which others are reached, once all of them can be asked. */
async function serverOf({ owner }: UndoAction, read: ResolvedRead, servers: UndoServers): Promise<ServerResult> {
  const found = await Promise.all(callsOfRead(read).map(({ server, tool }) => serverFor(servers, owner, server, tool)));
  return found.find(({ kind }) => kind === "failed") ?? (found[0] as ServerResult); // a read has one call at least
}

/** For how long after a call a read may still be from before it, in milliseconds. */
const LAG = 10_000;

/** A change that said success and was never seen may show up yet: until it can't, its absence proves nothing. */
function isSeen(left: State | undefined): boolean {
  return left !== undefined && left.kind !== "unreadable";
}

function* pausesUntil(clock: () => number, end: number): Generator<number> {
  for (let pause = 50; clock() < end; pause = Math.min(2 * pause, 1000)) yield Math.min(pause, end - clock());
}
