// What is to be undone, and by what means? Chooses the runs, gathers their actions, finds what was asked for. Starts no server and changes nothing.

import type { Connections } from "../core/connections.ts";
import { canonicalJson } from "../core/json.ts";
import type { Policy } from "../core/policy.ts";
import type { PlanOptions } from "../core/undo-plan.ts";
import type { Choice } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, Run } from "../journal/journal.ts";
import { createLocks, type Locks } from "../recorder/locks.ts";
import { chooseRun, chooseUndo } from "./choose-run.ts";
import { gatherActions, type UndoAction } from "./gather.ts";
import { gatherConnections } from "./gather-connections.ts";
import { connectLive, type LiveParts, type LiveRuns } from "./live-runs.ts";
import { type PolicyOf, recordedPolicies } from "./recorded-policy.ts";
import { replanActions } from "./replan.ts";
import { chooseActions, isPartial, type Selection, selectActions } from "./select-actions.ts";
import { createUndoServers, type ServerParts, type UndoServers } from "./servers.ts";

/** Which runs are meant: one by its id or its beginning, or the latest there is to undo or redo; or whatever agents did since a moment. */
export type Target =
  | { readonly kind: "run"; readonly prefix: string | undefined }
  | { readonly kind: "undo"; readonly prefix: string | undefined }
  | { readonly kind: "all-runs"; readonly since: number };

export interface UndoRequest {
  readonly target: Target;
  readonly selection: Selection;
  /** After a halt, go on with what isn't connected to it. */
  readonly keepGoing: boolean;
  /** References as in a selection. */
  readonly skip: readonly string[];
  readonly overwrite: readonly string[];
  readonly tryExpired: boolean;
  /** Undo although the run's agent is connected. */
  readonly live: boolean;
  /** Today's policy, to be used on the captured state instead of the recorded one. */
  readonly replan: Policy | undefined;
}

/** An undo that could be planned and carried out. `close` ends the servers that were started. */
export interface PreparedUndo {
  readonly journal: Journal;
  readonly kind: "undo" | "redo";
  /** Newest first. */
  readonly runs: readonly Run[];
  /** In the order in which they were sent. */
  readonly actions: readonly UndoAction[];
  readonly options: PlanOptions;
  /** What a person chose for single actions now, not at an earlier undo. */
  readonly chosen: ReadonlyMap<string, Choice>;
  /** Given with the options where something was chosen; found when a plan is shown otherwise. */
  connections(): Promise<Connections>;
  readonly request: UndoRequest;
  readonly servers: UndoServers;
  readonly locks: Locks;
  readonly policyOf: PolicyOf;
  readonly clock: () => number;
  close(): Promise<void>;
}

type PrepareParts = Omit<ServerParts, "locks" | "live"> & Omit<LiveParts, "live">;

/** Prepares an undo. @throws SynartesisError refused if a run's agent is connected or something builds on what is selected; not-found, ambiguous, usage */
export async function prepareUndo(parts: PrepareParts, request: UndoRequest): Promise<PreparedUndo> {
  const runs = await targetRuns(parts.journal, request);
  const live = await connectLive({ ...parts, live: request.live }, runs);
  try {
    return await prepareRuns({ ...parts, live }, request, runs);
  } catch (error) {
    live.close();
    throw error;
  }
}

async function prepareRuns(parts: PrepareParts & { live: LiveRuns }, request: UndoRequest, runs: readonly Run[]): Promise<PreparedUndo> {
  const { journal, live } = parts;
  const recorded = inOrder((await Promise.all(runs.map((run) => gatherActions(journal, run, live)))).flat());
  const within = request.target.kind === "all-runs" ? recorded.filter(isSince(request.target.since)) : recorded;
  const actions = request.replan ? await replanActions(journal, within, request.replan) : within;
  const locks = createLocks(journal);
  const servers = createUndoServers({ ...parts, locks });
  let found: Promise<Connections> | undefined;
  const connections = () => {
    found ??= gatherConnections(journal, actions);
    return found;
  };
  const isChosen = isPartial(request.selection);
  const selected = isChosen ? selectActions(actions, request.selection, await connections()) : undefined;
  const chosen = chooseActions(actions, request.skip, request.overwrite);
  const options: PlanOptions = {
    selected,
    choices: new Map([...(await skippedBefore(journal, runs, request)), ...chosen]),
    keepGoing: request.keepGoing,
    tryExpired: request.tryExpired,
    at: parts.clock(),
    ...(request.keepGoing || isChosen ? { connections: await connections() } : {}),
  };
  const prepared = {
    journal,
    runs,
    actions,
    options,
    chosen,
    connections,
    request,
    servers,
    locks,
    clock: parts.clock,
    close: () => servers.close(),
  };
  await checkServers(
    actions.filter(({ id }) => selected?.has(id) !== false),
    servers,
  );
  return { ...prepared, kind: request.target.kind === "undo" ? "redo" : "undo", policyOf: recordedPolicies(journal, request.replan) };
}

async function targetRuns(journal: Journal, { target, live, selection, skip, overwrite }: UndoRequest): Promise<readonly Run[]> {
  switch (target.kind) {
    case "run": {
      const named = [selection.from, selection.to, ...(selection.only ?? []), ...skip, ...overwrite];
      const byNumber = named.some((text) => text !== undefined && /^\d+$/.test(text));
      return [await chooseRun(journal, target.prefix, { live, byNumber })];
    }
    case "undo":
      return chooseUndo(journal, target.prefix);
    case "all-runs": {
      const ids = new Set((await journal.actionsSince(target.since)).map(({ run }) => run));
      if (ids.size === 0)
        throw new SynartesisError("not-found", "no agent has changed anything since then", { hint: "`synartesis list` shows all runs" });
      return requireSameServers((await journal.runs({ kind: "agent" })).filter(({ id }) => ids.has(id)));
    }
  }
}

/** The record of an undo knows one server by each name: its redo would take another for it. @throws SynartesisError refused */
function requireSameServers(runs: readonly Run[]): readonly Run[] {
  const known = new Map<string, { readonly run: string; readonly source: string }>();
  for (const run of runs) {
    for (const server of run.servers) {
      const source = canonicalJson(server.source);
      const other = known.get(server.name);
      known.set(server.name, { run: run.id, source });
      if (other === undefined || other.source === source) continue;
      throw new SynartesisError("refused", `the runs ${other.run} and ${run.id} used different servers by the name of ${server.name}`, {
        hint: "undo these runs one by one",
      });
    }
  }
  return runs;
}

/** By time of arrival across runs; within a run its own order holds. */
function inOrder(actions: readonly UndoAction[]): readonly UndoAction[] {
  const runs = new Set(actions.map(({ run }) => run));
  return runs.size === 1 ? actions : actions.toSorted((a, b) => a.stored.order - b.stored.order);
}

function isSince(since: number): (action: UndoAction) => boolean {
  return ({ stored }) => stored.receivedAt >= since;
}

/** What was skipped before stays so until it is asked for by name. */
async function skippedBefore(journal: Journal, runs: readonly Run[], { selection }: UndoRequest): Promise<ReadonlyMap<string, Choice>> {
  const before = new Map<string, Choice>();
  for (const run of selection.only === undefined ? runs : [])
    for (const [action, made] of await journal.choices(run.id)) if (made.has("skip")) before.set(action, "skip");
  return before;
}

const NEEDS_SERVER: ReadonlySet<UndoAction["status"]> = new Set(["applied", "stuck", "undoing", "unknown", "intended"]);

/** What a person can put right before anything is begun: a variable, a command that was wrapped. */
async function checkServers(actions: readonly UndoAction[], servers: UndoServers): Promise<void> {
  const checked = new Map<string, unknown>();
  for (const action of actions) {
    if (action.class === "readonly" || !NEEDS_SERVER.has(action.status)) continue;
    for (const name of [action.server, ...(action.replanned ?? action.rule.inverse ?? []).map(({ server }) => server)]) {
      const key = `${action.run} ${name}`;
      if (!checked.has(key)) checked.set(key, await servers.checkStart(action.owner, name).catch((error: unknown) => error));
    }
  }
  const errors = [...checked.values()].filter((error) => error !== undefined);
  // As long as one can be had, the others halt their own steps only.
  if (errors.length > 0 && errors.length === checked.size) throw errors[0];
}
