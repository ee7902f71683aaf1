// May this be sent for an undo? Only what the policy of the session calls a read or the journal has as the read of one of the run's actions, and only a
// step that a living undo has written down as intended. Nothing that a request claims counts.

import { governingFor } from "../../core/cases.ts";
import { type Digest, digestOf } from "../../core/digest.ts";
import { isJsonObject } from "../../core/json.ts";
import type { Policy } from "../../core/policy.ts";
import { type ResolvedCall, writeCall } from "../../core/resolved-call.ts";
import { callsOfRead, readRead } from "../../core/resolved-read.ts";
import type { Action, Journal } from "../../journal/journal.ts";
import type { OpenRun } from "../run-handle.ts";

/**
 * Tells whether a call is a read. A tool that can write as well (one that takes SQL, say) may be what a snapshot is taken with: of such a one
 * exactly the reads that were made for the run.
 */
export async function isKnownRead(policy: Policy, open: OpenRun, call: ResolvedCall, made: MadeReads): Promise<boolean> {
  const rule = governingFor(policy, call.server, call.tool, call.args);
  if (rule !== "unmentioned" && rule.class === "readonly") return true;
  const digest = digestOf(writeCall(call));
  if (made.get(open.run.id)?.has(digest)) return true;
  const known = await readsMade(open);
  made.set(open.run.id, known);
  return known.has(digest);
}

/** A read that consists of several calls is kept as one value; each of them counts. */
async function readsMade({ journal, run }: OpenRun): Promise<ReadonlySet<Digest>> {
  const actions = await journal.actions(run.id);
  const reads = new Set(actions.flatMap(({ read }) => (read === null ? [] : [read])));
  const composed = new Set(actions.flatMap(({ read, rule }) => (read !== null && isJsonObject(rule) && rule["reads"] ? [read] : [])));
  for (const read of composed) for (const call of callsOfRead(readRead(await journal.value(read)))) reads.add(digestOf(writeCall(call)));
  return reads;
}

/** The reads that were made for the calls of a run, as far as they were looked up. */
export type MadeReads = Map<string, ReadonlySet<Digest>>;

/** A step of an undo that may be sent: the action that it is in the journal, the one that it puts back, and its call. */
export interface IntendedStep {
  readonly id: string;
  readonly undoes: string;
  readonly call: ResolvedCall;
}

/** Finds the step that a living undo is about to send to this server to put back an action of the run, or to put back what an undo of it did. */
export async function intendedStep({ journal, run }: OpenRun, server: string, undoes: string): Promise<IntendedStep | undefined> {
  const step = (await journal.undosOf(undoes)).findLast(({ status }) => status === "intended");
  if (step === undefined || step.server !== server || (await originOf(journal, step)).run !== run.id) return undefined;
  const undo = await journal.findRun(step.run);
  if (undo.kind === "agent" || (await journal.holders(undo.id)).length === 0) return undefined;
  return { id: step.id, undoes, call: { server, tool: step.tool, args: await journal.value(step.args) } };
}

/** The agent's own action at the beginning of undo and redo. */
async function originOf(journal: Journal, step: Action): Promise<Action> {
  let at = step;
  while (at.undoes !== null) at = await journal.action(at.undoes);
  return at;
}
