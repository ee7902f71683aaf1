// How is one action put back? Its inverse is sent as an action of the undo's run: claimed and intended in one commit, sent once,
// read back, settled together with the action it undoes. What wasn't read back is never called undone where it could have been.
import { callKeyOf } from "../core/admission.ts";
import { isAsMeant, isSame } from "../core/judge-change.ts";
import type { GoverningRule } from "../core/policy.ts";
import { type ResolvedCall, writeCall } from "../core/resolved-call.ts";
import { type RuleRecord, recordRule, storedRule } from "../core/rule-record.ts";
import { type State, storedState } from "../core/state.ts";
import type { MergeRules } from "../core/three-way.ts";
import type { ActionStatus, Reason } from "../core/vocabulary.ts";
import type { NewCall, Original, Outcome } from "../journal/journal.ts";
import { inverseKey } from "../upstream/inverse-key.ts";
import { type Before, storedBefore } from "./capture.ts";
import { judgeReply, type Verdict } from "./judge-reply.ts";
import { captureOwn, ownOutcome } from "./own-way-back.ts";
import { readUntilFresh } from "./read-state.ts";
import { type Recorder, reach } from "./recorder.ts";
import { type Reply, sendInverse } from "./send.ts";

export interface InverseRequest {
  /** The undo's own run. */
  readonly run: string;
  /** The action to put back, and the rule that governed it. */
  readonly original: { readonly id: string; readonly resources: readonly string[]; readonly rule: RuleRecord };
  /** How its states compare. */
  readonly rules: MergeRules;
  readonly inverse: ResolvedCall;
  /** The rule of the inverse's own tool: it supplies what redo needs, and decides nothing here. */
  readonly governing: GoverningRule;
  /** The read that shows the state; undefined where there is none, and then nothing can be verified. */
  readonly read: ResolvedCall | undefined;
  /** What that read showed just now. */
  readonly now: State | undefined;
  /** The state that is meant; undefined for an offset, which is only expected to change what is there. */
  readonly meant: State | undefined;
  /** Why the action counts as undone, once that was read back. */
  readonly undoneAs: Reason;
  /** For redo: the action that is applied again; with what its call brings this time, if it is sent once more. */
  readonly redoes: { readonly id: string; readonly sentAgain: boolean } | undefined;
}

export type InverseEnd =
  | { readonly kind: "undone"; readonly verified: boolean }
  /** Somebody else claimed it first; nothing was sent. */
  | { readonly kind: "claim-lost"; readonly status: ActionStatus }
  /** The server refused, and its state shows that nothing changed; it can be tried again. */
  | { readonly kind: "refused"; readonly said: string }
  | { readonly kind: "stuck"; readonly reason: Reason; readonly said: string | null; readonly now: State | undefined }
  | { readonly kind: "unknown"; readonly reason: Reason };

/** How a step keeps pace with its neighbours. */
export interface Pace {
  /** What has to be in the journal before this step may be sent, beside its own intent. */
  before(): Promise<void>;
  /** The server says that it did it; it isn't read back yet. */
  answered(): void;
  /** Takes the writing of how it ended; begins it before it resolves. */
  ended(write: () => Promise<void>): Promise<void>;
}

/** The pace of a step that waits for everything itself. */
export const ALONE: Pace = { before: () => Promise.resolve(), answered: () => undefined, ended: (write) => write() };

/** How a step ended that was sent. */
type SentEnd = Exclude<InverseEnd, { kind: "claim-lost" }>;
interface Ended {
  readonly end: SentEnd;
  readonly outcome: Outcome;
}

/** Sends an inverse and settles both actions. @throws SynartesisError journal-* if the intent can't be written; then nothing was sent. */
export async function recordInverse(recorder: Recorder, request: InverseRequest, pace: Pace = ALONE): Promise<InverseEnd> {
  const { original } = request;
  const call = newCall(recorder, request);
  const key = await keyOf(recorder, original.id);
  const before = await captureOwn(recorder, { ...request, words: original.rule }, call);
  const intent = await recorder.journal.intend({
    ...call,
    ...storedBefore(before),
    read: before.read && writeCall(before.read),
    approval: null,
    undoes: original.id,
  });
  if (intent.kind === "approval-gone") throw new TypeError("an inverse spends no approval");
  if (intent.kind === "claim-lost") return intent;
  await pace.before();
  const { end, outcome } = await carryOut(recorder, request, key, call, before, pace);
  await pace.ended(async () => {
    const settled = await recorder.journal.settle(intent.action, outcome, ...originalsOf(request, end, outcome));
    if (!settled) throw new TypeError("an inverse that was just intended had another status");
  });
  return end;
}

function newCall(recorder: Recorder, { run, inverse, governing, original }: InverseRequest): NewCall {
  const { server, tool, args } = inverse;
  // A tool that the policy calls a read is none where it puts something back.
  const kind = governing === "unmentioned" || governing.class === "readonly" ? "irreversible" : governing.class;
  return {
    run,
    server,
    tool,
    class: kind,
    rule: storedRule(recordRule(governing)),
    callKey: callKeyOf(server, tool, args, "unmentioned"),
    resources: original.resources,
    args,
    receivedAt: recorder.clock(),
  };
}

/**
 * The key by which a server knows an inverse that it may have had before: the same until one is known to have been answered. A server that
 * goes by it would otherwise take the undo after a redo for the first one, and do nothing.
 */
export async function keyOf({ journal }: Pick<Recorder, "journal">, original: string): Promise<string> {
  const answered = (await journal.undosOf(original)).filter(
    ({ status, reason }) => status !== "intended" && status !== "unknown" && (status !== "failed" || reason === "tool-error"),
  );
  return inverseKey(original, answered.length);
}

async function carryOut(
  recorder: Recorder,
  request: InverseRequest,
  key: string,
  call: NewCall,
  before: Before,
  pace: Pace,
): Promise<Ended> {
  const reached = await reach(recorder, request.inverse);
  const reply: Reply =
    reached.kind === "reached" ? await sendInverse(reached.sender, request.inverse, key) : { kind: "not-sent", why: reached.why };
  const verdict = judgeReply(reply, request.governing === "unmentioned" ? request.original.rule.failedWhen : request.governing.failedWhen);
  if (verdict.kind === "not-sent") {
    const said = verdict.why ?? "the server had ended before the call could be sent";
    return { end: { kind: "refused", said }, outcome: { status: "failed", reason: "not-sent" } };
  }
  if (verdict.kind === "lost" || verdict.kind === "pending" || verdict.kind === "cancelled") {
    const reason = verdict.kind === "lost" ? verdict.reason : "task-pending";
    return { end: { kind: "unknown", reason }, outcome: { status: "unknown", reason } };
  }
  const reading = request.read && readBack(recorder, request, request.read, verdict.kind === "success");
  if (verdict.kind === "success") pace.answered();
  const now = await reading;
  return verdict.kind === "success"
    ? {
        end: judgeSuccess(request, now),
        outcome: await ownOutcome(recorder, { ...request, words: request.original.rule, now }, call, before, verdict),
      }
    : judgeRefusal(request, now, verdict);
}

/** Where the server says that it did it and nothing has changed, a read may lag: it is made again. */
function readBack(recorder: Recorder, request: InverseRequest, read: ResolvedCall, saidDone: boolean): Promise<State> {
  const { now, meant, rules, original } = request;
  const isStale = (state: State) =>
    now !== undefined && isSame(rules, state, now) && !(meant !== undefined && isAsMeant(rules, state, meant, now));
  return readUntilFresh(recorder, read, original.rule, isStale, saidDone ? undefined : []);
}

function judgeSuccess({ meant, now: before, rules, original }: InverseRequest, now: State | undefined): SentEnd {
  if (now === undefined || before?.kind === "unreadable") return { kind: "undone", verified: false };
  if (now.kind === "unreadable") {
    // The thing is meant to be gone, and the policy has no words by which that could be known from an error.
    const mayBeGone = meant?.kind !== "present" && original.rule.absentWhen.length === 0 && now.cause === "tool-error";
    return mayBeGone ? { kind: "undone", verified: false } : { kind: "stuck", reason: "read-back-failed", said: now.why, now };
  }
  // An offset is only known to change what was there.
  const asMeant = meant ? isAsMeant(rules, now, meant, before) : before === undefined || !isSame(rules, now, before);
  return asMeant ? { kind: "undone", verified: true } : { kind: "stuck", reason: "read-back-differs", said: null, now };
}

function judgeRefusal(request: InverseRequest, now: State | undefined, verdict: Verdict & { kind: "said-failed" | "asks" }): Ended {
  const { rules, meant } = request;
  const said = verdict.kind === "asks" ? "it asks for input, which an undo can't give" : verdict.text;
  const post = now && storedState(now);
  const seen = { detail: said, result: verdict.result, postState: post?.state, post: post?.value };
  if (now !== undefined && meant !== undefined && isAsMeant(rules, now, meant, request.now))
    return { end: { kind: "undone", verified: true }, outcome: { status: "applied", reason: "tool-error", ...seen } };
  if (now !== undefined && request.now !== undefined && isSame(rules, now, request.now))
    return { end: { kind: "refused", said }, outcome: { status: "failed", reason: "tool-error", ...seen } };
  // Something else changed, or nothing can show whether it did.
  const outcome: Outcome =
    now === undefined
      ? { status: "failed", reason: "tool-error-unverified", ...seen }
      : { status: "applied", reason: "tool-error", ...seen };
  return { end: { kind: "stuck", reason: "inverse-failed", said, now }, outcome };
}

/** What becomes of the action that was put back; and of the one that is applied again by that. */
function originalsOf(request: InverseRequest, end: SentEnd, outcome: Outcome): readonly Original[] {
  const { original, redoes } = request;
  const undone: Original = { action: original.id, ...originalStatus(request, end) };
  if (redoes === undefined || end.kind !== "undone") return [undone];
  const { result, inverse, read, postState, post, resources } = outcome;
  const brought = redoes.sentAgain ? { outcome: { result, inverse, read, postState, post, resources } } : {};
  return [undone, { action: redoes.id, status: "applied", reason: "redone", ...brought }];
}

function originalStatus({ undoneAs }: InverseRequest, end: SentEnd): { status: ActionStatus; reason: Reason | null; detail?: string } {
  switch (end.kind) {
    case "undone":
      return { status: "undone", reason: end.verified ? undoneAs : "compensated" };
    case "refused":
      return { status: "applied", reason: "inverse-failed", detail: end.said };
    case "stuck":
      return { status: "stuck", reason: end.reason, ...(end.said === null ? {} : { detail: end.said }) };
    case "unknown":
      return { status: "unknown", reason: end.reason };
  }
}
