// How does a changing call of the agent become an action? Steps 5 to 10 of 30-proxy, "A tool call, in order": lock, snapshot,
// intent, send, outcome, post-state. Nothing is sent before its intent is on disk; nothing is called failed that may have happened.

import type { CheckFact } from "../core/checks.ts";
import { writeRead } from "../core/resolved-read.ts";
import { recordRule } from "../core/rule-record.ts";
import { isSameState, type State } from "../core/state.ts";
import type { AtMost } from "../journal/journal.ts";
import { type Admitted, type Before, bindingsOf, capture, checksAsJson, type NotCaptured, storedBefore, wayBack } from "./capture.ts";
import { readForConfirming } from "./confirm.ts";
import { judgeReply } from "./judge-reply.ts";
import type { Release } from "./locks.ts";
import { readStateBefore } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";
import { checkBefore } from "./run-checks.ts";
import type { Reply } from "./send.ts";
import { type Delivery, settleReply } from "./settle-reply.ts";
import type { TaskEnd } from "./unfinished.ts";

export interface ChangeRequest extends Admitted {
  /** How many such calls the rule lets through; undefined also where a person let this one through. */
  readonly atMost: AtMost | undefined;
  /** Sends the call as it came, or its retry, and resolves with its reply. */
  send(): Promise<Reply>;
  /** Gives the agent the server's own reply; `settled`, where there is one, tells whether its outcome is in the journal (the answer may wait a moment for it); with `refuting`, the checks that failed, as an error. */
  deliver(reply: Reply, settled?: Promise<void>, refuting?: readonly CheckFact[]): void;
  /** Lets what the server sent after the reply go out before it: the reply waits for checks of ours. */
  giveWay(): void;
  /** True once the client has cancelled the call, or the retry that is to be sent. */
  isCancelled(): boolean;
  /** Resolves when the client cancels what isCancelled tells about. */
  whenCancelled(): Promise<void>;
  /** Waits for the retry of the call that was last answered with a wish for input; false where none will come. */
  retried(): Promise<boolean>;
  /** Answers the retry instead of sending it, in our own words, or drops it where it was cancelled; another one may follow. */
  turnDown(why: string | null): void;
  /** Waits for the end of the task that the last reply handed out; undefined where it won't be seen. */
  taskEnd(): Promise<TaskEnd | undefined>;
}

export type ChangeEnd =
  | { readonly kind: "sent" }
  /** Nothing was sent. */
  | NotCaptured
  | { readonly kind: "approval-gone" | "limit-reached" }
  /** Nothing was sent; `recorded` tells whether the journal knows of the call already. */
  | { readonly kind: "cancelled"; readonly recorded: boolean };

/** A call under way, its lock and what was captured for it. */
interface UnderWay {
  readonly request: ChangeRequest;
  readonly action: string;
  readonly required: readonly CheckFact[];
  before: Before;
  release: Release;
}

/** Carries out one changing call. @throws SynartesisError journal-* if the intent can't be written; then nothing was sent. */
export async function recordChange(recorder: Recorder, request: ChangeRequest): Promise<ChangeEnd> {
  const release = await recorder.locks.acquire(request.call.resources, request.whenCancelled());
  try {
    if (request.isCancelled()) return { kind: "cancelled", recorded: false };
    const before = await capture(recorder, request);
    if ("kind" in before) return before;
    const required = await looksBefore(recorder, request, before);
    if ("kind" in required) return required;
    if (request.isCancelled()) return { kind: "cancelled", recorded: false };
    const intent = await recorder.journal.intend({
      ...request.call,
      ...storedBefore(before),
      read: before.read && writeRead(before.read),
      checks: required.length === 0 ? undefined : checksAsJson(required),
      approval: request.approval,
      atMost: request.atMost,
      undoes: null,
    });
    if (intent.kind === "claim-lost") throw new TypeError("an agent's call claims no action");
    if (intent.kind !== "intended") return intent;
    const { action } = intent;
    if (request.isCancelled()) {
      await recorder.journal.settle(action, { status: "failed", reason: "cancelled-before-sending" });
      return { kind: "cancelled", recorded: true };
    }
    await follow(recorder, { request, action, required, before, release });
    return { kind: "sent" };
  } finally {
    release();
  }
}

/** Makes the checks that its rule requires first, and the read by which an undo is to be confirmed. */
async function looksBefore(recorder: Recorder, { governing, call }: Admitted, before: Before): Promise<readonly CheckFact[] | NotCaptured> {
  if (governing === "unmentioned") return [];
  const bindings = bindingsOf(call.args, before.state);
  const { facts, why } = await checkBefore(recorder, governing, bindings);
  if (why !== undefined) return { kind: "refused", reason: "requirement-failed", why };
  return [...facts, ...(await readForConfirming(recorder, governing, bindings))];
}

/** The end of a task passes by itself, with the client's own questions about it. */
const HANDED_ON: Delivery = { giveWay: () => undefined, handOn: () => undefined };

/** Sends the call and follows it to its end, over every round of input and through a task. */
async function follow(recorder: Recorder, call: UnderWay): Promise<void> {
  const { request } = call;
  try {
    for (;;) {
      const replying = request.send();
      // A cancelled call may never be answered: it must not hold up others. If it is answered, that still settles it.
      void request.whenCancelled().then(call.release);
      const reply = await replying;
      const verdict = judgeReply(reply, []);
      if (verdict.kind === "asks" || verdict.kind === "pending") request.deliver(reply);
      if (verdict.kind === "asks") {
        if (await nextRound(recorder, call)) continue;
        return; // nobody retried: the end of the run makes it unknown
      }
      if (verdict.kind !== "pending")
        return await settleReply(recorder, call, reply, {
          giveWay: request.giveWay,
          handOn: (settled, refuting) => request.deliver(reply, settled, refuting),
        });
      call.release(); // a task may take hours
      const end = await request.taskEnd();
      if (end === undefined) return;
      call.release = await recorder.locks.acquire(request.call.resources);
      return await settleReply(recorder, call, end, HANDED_ON);
    }
  } catch (error) {
    recorder.log.log("error", "what became of a call that was sent is not recorded", { action: call.action, why: String(error) });
  } finally {
    call.release();
  }
}

/** Waits for the retry, without the lock: a person may be thinking. What was there before is looked at again. False: none came. */
async function nextRound(recorder: Recorder, call: UnderWay): Promise<boolean> {
  const { request } = call;
  const left = await stateOf(recorder, call);
  call.release();
  while (await request.retried()) {
    const why = await resume(recorder, call, left).catch(wordsOf);
    if (why === undefined && !request.isCancelled()) return true;
    request.turnDown(why ?? null);
    call.release();
  }
  return false;
}

/** Takes the lock for the next round, and looks again. Gives why the retry can't be sent, if so. */
async function resume(recorder: Recorder, call: UnderWay, left: State | undefined): Promise<string | undefined> {
  const { request } = call;
  call.release = await recorder.locks.acquire(request.call.resources, request.whenCancelled());
  return request.isCancelled() ? undefined : captureAgain(recorder, call, left);
}

/** Where somebody changed the thing between two rounds, that is what the call will replace. Gives why the retry can't be sent, if so. */
async function captureAgain(recorder: Recorder, call: UnderWay, left: State | undefined): Promise<string | undefined> {
  const { request, before } = call;
  const now = await stateOf(recorder, call);
  if (now === undefined || request.governing === "unmentioned") return undefined;
  if (now.kind === "unreadable") return now.why;
  const { ignore } = request.governing;
  if (left !== undefined && left.kind !== "unreadable" && isSameState(now, left, ignore)) return undefined;
  if (left !== undefined && before.state !== undefined && !isSameState(left, before.state, ignore))
    return "somebody else changed what this call had begun to change, while it waited for input";
  if (now.kind === "absent" && before.state?.kind === "present") return "what it would change has been removed while it waited for input";
  if (!request.holdsWhen.includes(now.kind)) return "what it would change has come to be, or has been removed, while it waited for input";
  const captured = wayBack(request, { read: before.read, state: now });
  if ("kind" in captured) return captured.kind === "refused" ? captured.why : "there is no state to put back any more";
  await recorder.journal.captureAgain(call.action, storedBefore(captured));
  call.before = captured;
  return undefined;
}

/** The journal's refusal, as the agent is told it: what can't be written down isn't sent. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function stateOf(recorder: Recorder, { request: { governing }, before }: UnderWay): Promise<State | undefined> {
  if (before.read === undefined || governing === "unmentioned") return undefined;
  return readStateBefore(recorder, before.read, recordRule(governing));
}
