// How is one action put back? Its inverse is sent as an action of the undo's run: claimed and intended in one commit, sent once,
// read back, settled together with the action it undoes. What wasn't read back is never called undone where it could have been.
import { callKeyOf } from "../core/admission.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { type RuleRecord, storedRule } from "../core/rule-record.ts";
import { isSameState, type State, storedState } from "../core/state.ts";
import type { ActionClass, ActionStatus, Reason } from "../core/vocabulary.ts";
import type { Outcome } from "../journal/journal.ts";
import { judgeReply } from "./judge-reply.ts";
import { readUntilFresh } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";
import { sendInverse } from "./send.ts";

export interface InverseRequest {
  /** The undo's own run. */
  readonly run: string;
  /** The action to put back. */
  readonly original: { readonly id: string; readonly class: ActionClass; readonly resources: readonly string[]; readonly rule: RuleRecord };
  readonly inverse: ResolvedCall;
  /** The read that shows the state; undefined where there is none, and then nothing can be verified. */
  readonly read: ResolvedCall | undefined;
  /** What that read showed just now. */
  readonly now: State | undefined;
  /** The state that is meant; undefined for an offset, which is only expected to change what is there. */
  readonly meant: State | undefined;
}

export type InverseEnd =
  | { readonly kind: "undone"; readonly verified: boolean }
  /** Somebody else claimed it first; nothing was sent. */
  | { readonly kind: "claim-lost"; readonly status: ActionStatus }
  /** The server refused, and its state shows that nothing changed; it can be tried again. */
  | { readonly kind: "refused"; readonly said: string }
  | { readonly kind: "stuck"; readonly reason: Reason; readonly said: string | null; readonly now: State | undefined }
  | { readonly kind: "unknown"; readonly reason: Reason };

/** How a step ended that was sent. */
type SentEnd = Exclude<InverseEnd, { kind: "claim-lost" }>;

/** Sends an inverse and settles both actions. @throws SynartesisError journal-* if the intent can't be written; then nothing was sent. */
export async function recordInverse(recorder: Recorder, request: InverseRequest): Promise<InverseEnd> {
  const { original, inverse } = request;
  const before = request.now && storedState(request.now);
  const intent = await recorder.journal.intend({
    run: request.run,
    server: inverse.server,
    tool: inverse.tool,
    class: original.class,
    rule: storedRule(original.rule),
    callKey: callKeyOf(inverse.server, inverse.tool, inverse.args, "unmentioned"),
    resources: original.resources,
    args: inverse.args,
    receivedAt: recorder.clock(),
    read: request.read && { ...request.read },
    snapshotState: before?.state ?? "none",
    snapshot: before?.value,
    inverse: undefined,
    approval: null,
    undoes: original.id,
  });
  if (intent.kind === "approval-gone") throw new TypeError("an inverse spends no approval");
  if (intent.kind === "claim-lost") return intent;
  const { end, outcome } = await carryOut(recorder, request);
  const settled = await recorder.journal.settle(intent.action, outcome, { action: original.id, ...originalStatus(end) });
  if (!settled) throw new TypeError("an inverse that was just intended had another status");
  return end;
}

async function carryOut(recorder: Recorder, request: InverseRequest): Promise<{ end: SentEnd; outcome: Outcome }> {
  const reply = await sendInverse(recorder, request.inverse, `undo:${request.original.id}`);
  const verdict = judgeReply(reply, request.original.rule.failedWhen);
  if (verdict.kind === "not-sent") {
    const said = verdict.why ?? "the server had ended before the call could be sent";
    return { end: { kind: "refused", said }, outcome: { status: "failed", reason: "not-sent" } };
  }
  if (verdict.kind === "lost" || verdict.kind === "pending" || verdict.kind === "cancelled") {
    const reason = verdict.kind === "lost" ? verdict.reason : "task-pending";
    return { end: { kind: "unknown", reason }, outcome: { status: "unknown", reason } };
  }
  const now = request.read && (await readBack(recorder, request, request.read, verdict.kind === "success"));
  const post = now && storedState(now);
  const seen = { result: verdict.result, postState: post?.state, post: post?.value };
  if (verdict.kind === "asks") return judgeRefusal(request, now, "it asks for input, which an undo can't give", seen);
  if (verdict.kind === "success") return { end: judgeSuccess(request, now), outcome: { status: "applied", reason: null, ...seen } };
  return judgeRefusal(request, now, verdict.text, seen);
}

/** Where the server says that it did it and nothing has changed, a read may lag: it is made again. */
function readBack(recorder: Recorder, { original, now, meant }: InverseRequest, read: ResolvedCall, saidDone: boolean): Promise<State> {
  const { ignore } = original.rule;
  const isStale = (state: State) =>
    now !== undefined && isSameState(state, now, ignore) && !(meant !== undefined && isSameState(state, meant, ignore));
  return readUntilFresh(recorder, read, original.rule, isStale, saidDone ? undefined : []);
}

function judgeSuccess({ meant, now: before, original }: InverseRequest, now: State | undefined): SentEnd {
  if (now === undefined || before?.kind === "unreadable") return { kind: "undone", verified: false };
  const { ignore, absentWhen } = original.rule;
  if (now.kind === "unreadable") {
    // The thing is meant to be gone, and the policy has no words by which that could be known from an error.
    const mayBeGone = meant?.kind !== "present" && absentWhen.length === 0 && now.cause === "tool-error";
    return mayBeGone ? { kind: "undone", verified: false } : { kind: "stuck", reason: "read-back-failed", said: now.why, now };
  }
  // An offset is only known to change what was there.
  const asMeant = meant ? isSameState(now, meant, ignore) : before === undefined || !isSameState(now, before, ignore);
  return asMeant ? { kind: "undone", verified: true } : { kind: "stuck", reason: "read-back-differs", said: null, now };
}

function judgeRefusal(
  request: InverseRequest,
  now: State | undefined,
  said: string,
  seen: Partial<Outcome>,
): { end: SentEnd; outcome: Outcome } {
  const { ignore } = request.original.rule;
  if (now !== undefined && request.meant !== undefined && isSameState(now, request.meant, ignore))
    return { end: { kind: "undone", verified: true }, outcome: { status: "applied", reason: "tool-error", detail: said, ...seen } };
  if (now !== undefined && request.now !== undefined && isSameState(now, request.now, ignore))
    return { end: { kind: "refused", said }, outcome: { status: "failed", reason: "tool-error", detail: said, ...seen } };
  // Something else changed, or nothing can show whether it did.
  const outcome: Outcome =
    now === undefined
      ? { status: "failed", reason: "tool-error-unverified", detail: said, ...seen }
      : { status: "applied", reason: "tool-error", detail: said, ...seen };
  return { end: { kind: "stuck", reason: "inverse-failed", said, now }, outcome };
}

function originalStatus(end: SentEnd): { status: ActionStatus; reason: Reason | null; detail?: string } {
  switch (end.kind) {
    case "undone":
      return { status: "undone", reason: end.verified ? "put-back" : "compensated" };
    case "refused":
      return { status: "applied", reason: "inverse-failed", detail: end.said };
    case "stuck":
      return { status: "stuck", reason: end.reason, ...(end.said === null ? {} : { detail: end.said }) };
    case "unknown":
      return { status: "unknown", reason: end.reason };
  }
}
