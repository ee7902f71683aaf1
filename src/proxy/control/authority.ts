// May this be sent for an undo? Only what the policy of the session calls a read or the journal has as the read of one of the run's actions, and only a
// step that a living undo has written down as intended. Nothing that a request claims counts.

import { confirmIn } from "../../core/checks.ts";
import { type Digest, digestOf } from "../../core/digest.ts";
import type { Policy } from "../../core/policy.ts";
import { type ReadWords, wordsFor } from "../../core/read-terms.ts";
import { type ResolvedCall, writeCall } from "../../core/resolved-call.ts";
import { callsOfRead, type ResolvedRead, readRead } from "../../core/resolved-read.ts";
import { ruleRecordFrom } from "../../core/rule-record.ts";
import type { Action, Journal } from "../../journal/journal.ts";
import { ruleForCall } from "../../manifest/rule-for-call.ts";
import { judgeAnswer } from "../../recorder/judge-answer.ts";
import { nextPage } from "../../recorder/read-pages.ts";
import type { Answer } from "../../upstream/upstream.ts";
import type { OpenRun } from "../run-handle.ts";

/**
 * Tells whether a call is a read. A tool that can write as well (one that takes SQL, say) may be what a snapshot is taken with: of such a one
 * exactly the reads that were made for the run, and the pages that followed them.
 */
export async function isKnownRead(policy: Policy, open: OpenRun, call: ResolvedCall, made: MadeReads): Promise<boolean> {
  const rule = ruleForCall(policy, call.server, call.tool, call.args);
  if (rule !== "unmentioned" && rule.class === "readonly") return true;
  const digest = digestOf(writeCall(call));
  if (made.get(open.run.id)?.has(digest)) return true;
  const known = new Map([...(made.get(open.run.id) ?? []), ...(await readsMade(open))]);
  made.set(open.run.id, known);
  return known.has(digest);
}

/** Where the answer to a known read names a next page, that may be read too. */
export function allowNextPage(open: OpenRun, call: ResolvedCall, answer: Answer, made: MadeReads): void {
  const known = made.get(open.run.id);
  const words = known?.get(digestOf(writeCall(call)));
  if (known === undefined || words?.pages === undefined) return;
  const page = judgeAnswer(call, answer, words);
  const next = page.kind === "present" ? nextPage(call, words.pages, page.value) : undefined;
  if (next !== undefined) known.set(digestOf(writeCall(next)), words);
}

async function readsMade({ journal, run }: OpenRun): Promise<ReadonlyMap<Digest, ReadWords>> {
  const reads = new Map<Digest, ReadWords>();
  for (const { read, checks, rule } of await journal.actions(run.id)) {
    const words = ruleRecordFrom(rule);
    // A read that consists of several calls is kept as one value; each of them counts.
    if (read !== null && words.reads === undefined) reads.set(read, words);
    else if (read !== null) addCalls(reads, readRead(await journal.value(read)), words);
    const confirming = words.confirm && checks !== null ? confirmIn(await journal.value(checks))?.read : undefined;
    if (confirming !== undefined && words.confirm !== undefined) addCalls(reads, readRead(confirming), words.confirm);
  }
  return reads;
}

function addCalls(reads: Map<Digest, ReadWords>, read: ResolvedRead, words: ReadWords): void {
  for (const { name, ...call } of callsOfRead(read)) reads.set(digestOf(writeCall(call)), wordsFor(words, name));
}

/** The reads that were made for the calls of a run, as far as they were looked up, with how their answers are taken. */
export type MadeReads = Map<string, Map<Digest, ReadWords>>;

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
