// What does --json print of runs and actions? These shapes are documented in docs/json.md and stay as they are; members may be added.
import { hintsIn } from "../../core/hints.ts";
import type { Json } from "../../core/json.ts";
import type { ActionRef } from "../../core/plan-step.ts";
import { partFrom, whyIn } from "../../core/rule-record.ts";
import type { ActionFacts, RunFacts, StoredValue } from "../run-facts.ts";
import { seenServers } from "./runs.ts";

/** Gives a moment as ISO 8601 in UTC. */
export function isoTime(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString();
}

/** Gives a run as `list` and `show` print it. */
export function runDocument({ run, calls, changes, held, refuted, undoesRuns, pids }: RunFacts) {
  return {
    id: run.id,
    kind: run.kind,
    state: run.state,
    client: run.client,
    identity: run.identity,
    servers: seenServers(run),
    undoes: run.undoes,
    undoesRuns,
    plan: run.plan,
    startedAt: isoTime(run.startedAt),
    endedAt: isoTime(run.endedAt),
    calls,
    changes,
    held,
    refuted,
    pids,
  };
}

/** Gives an action as `show` and `gates` print it; a value that can't be read is `{ unreadable: why }`. */
export function actionDocument({ action, args, inverse, checks, story }: ActionFacts) {
  return {
    id: action.id,
    run: action.run,
    seq: action.seq,
    server: action.server,
    tool: action.tool,
    class: action.class,
    status: action.status,
    reason: action.reason,
    detail: action.detail,
    why: whyIn(action.rule) ?? null,
    hints: hintsIn(action.rule) ?? null,
    effect: action.effect,
    resources: action.resources,
    args: valueDocument(args),
    ...inverseDocument(inverse),
    verification: action.verification,
    checks: checks === undefined ? [] : valueDocument(checks),
    undoes: action.undoes,
    part: partFrom(action.rule) ?? null,
    undid: refDocument(story.undid?.action),
    doesAgain: refDocument(story.undid?.again),
    passages: story.passages.map(({ kind, run, by, step, tookEffect }) => ({
      kind,
      run,
      action: step.id,
      by,
      status: step.status,
      reason: step.reason,
      tookEffect,
      at: isoTime(step.receivedAt),
    })),
    decisions: story.decisions.map(({ kind, by, reasons, madeAt }) => ({ kind, by, reasons, at: isoTime(madeAt) })),
    receivedAt: isoTime(action.receivedAt),
    sentAt: isoTime(action.sentAt),
    settledAt: isoTime(action.settledAt),
  };
}

/** `inverse` is the first call; where it can't be read, both say so. */
function inverseDocument(stored: StoredValue | undefined): { readonly inverse: Json; readonly inverses: Json } {
  if (stored === undefined) return { inverse: null, inverses: [] };
  if (stored.kind === "unreadable") return { inverse: valueDocument(stored), inverses: valueDocument(stored) };
  const calls = Array.isArray(stored.value) ? stored.value : [stored.value];
  return { inverse: calls[0] ?? null, inverses: calls };
}

/** Gives what a person names an action by. */
export function refDocument(action: ActionRef): { run: string; seq: number; action: string };
export function refDocument(action: ActionRef | undefined): { run: string; seq: number; action: string } | null;
export function refDocument(action: ActionRef | undefined) {
  return action === undefined ? null : { run: action.run, seq: action.seq, action: action.id };
}

function valueDocument(stored: StoredValue): Json {
  return stored.kind === "value" ? stored.value : { unreadable: stored.why };
}
