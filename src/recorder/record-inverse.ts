// How is one action put back? Each call of its inverse is an action of the undo's run: claimed and intended in one commit, sent once. After the
// last one it is read back, and settled together with the action it undoes. Where one comes to nothing, those after it aren't sent.
import { callKeyOf } from "../core/admission.ts";
import type { Json } from "../core/json.ts";
import type { GoverningRule } from "../core/policy.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { type ResolvedRead, writeRead } from "../core/resolved-read.ts";
import { type RuleRecord, recordRule, storedRule } from "../core/rule-record.ts";
import { type State, storedState } from "../core/state.ts";
import type { Change, MergeRules } from "../core/three-way.ts";
import type { ActionClass, Reason } from "../core/vocabulary.ts";
import type { NewCall, Outcome } from "../journal/journal.ts";
import { inverseKey } from "../upstream/inverse-key.ts";
import { type Before, storedBefore } from "./capture.ts";
import type { Confirmation } from "./confirm.ts";
import { hideFrom } from "./hide.ts";
import { confirmEnd, type Ended, type InverseEnd, judgeRefusal, judgeSuccess, originalsOf, readBack } from "./inverse-end.ts";
import { judgeReply } from "./judge-reply.ts";
import { captureOwn, ownOutcome } from "./own-way-back.ts";
import { type Recorder, reach } from "./recorder.ts";
import { type Reply, sendInverse } from "./send.ts";

export interface InverseRequest {
  /** The undo's own run. */
  readonly run: string;
  /** The action to put back, and the rule that governed it. */
  readonly original: {
    readonly id: string;
    readonly class: ActionClass;
    readonly resources: readonly string[];
    readonly rule: RuleRecord;
  };
  /** How its states compare. */
  readonly rules: MergeRules;
  /** What is sent, in order; at least one. */
  readonly calls: readonly InverseCall[];
  /** How many calls of the same inverse an earlier undo made, which came no further. */
  readonly done: number;
  /** Of several calls: makes these again for what is there before a later one is sent; undefined where they have nothing of it in them. */
  readonly renew: ((now: State | undefined) => readonly ResolvedCall[] | undefined) | undefined;
  /** Of several calls: the latest step that was at the action before, null for none; undefined for a single one. */
  readonly after: string | null | undefined;
  /** The read that shows the state; undefined where there is none, and then nothing can be verified. */
  readonly read: ResolvedRead | undefined;
  /** What that read showed just now. */
  readonly now: State | undefined;
  /** The state that is meant; undefined for an offset, which is only expected to change what is there. */
  readonly meant: State | undefined;
  /** What of the agent's change the inverse doesn't put back and a state still shows. */
  readonly remainder: (now: State) => readonly Change[];
  /** What is to bear it out besides; undefined where the rule has nothing. */
  readonly confirmation: Confirmation | undefined;
  /** Why the action counts as undone, once that was read back. */
  readonly undoneAs: Reason;
  /** For redo: the action that is applied again; with what its call brings this time, if it is sent once more; and the other steps that put it back. */
  readonly redoes: { readonly id: string; readonly sentAgain: boolean; readonly parts: readonly string[] } | undefined;
}

/** One call of an inverse. */
export interface InverseCall {
  readonly call: ResolvedCall;
  /** The rule of its own tool: where it is the only one, that supplies what redo needs. Decides nothing here. */
  readonly governing: GoverningRule;
}

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

/** One call of an inverse, whose turn it is. */
interface Part extends InverseCall {
  /** Which one of how many, from 1; those that an earlier undo made are counted. */
  readonly at: number;
  readonly of: number;
  /** What the read shows before it is sent. */
  readonly now: State | undefined;
  /** The latest step that was at the action. */
  readonly after: string | null | undefined;
}

/** It was carried out, and another one comes after it. */
interface Next {
  readonly kind: "next";
  readonly now: State | undefined;
}

/** What came of a call: the end of the whole, or the next one's turn. */
type Turn = InverseEnd | (Next & { readonly after: string });

/** Sends an inverse and settles both actions. @throws SynartesisError journal-* if an intent can't be written; then that call wasn't sent. */
export async function recordInverse(recorder: Recorder, request: InverseRequest, pace: Pace = ALONE): Promise<InverseEnd> {
  let { now, after } = request;
  for (const index of request.calls.keys()) {
    const part = partOf(request, index, now, after);
    if (part === undefined) return cannotGoOn(recorder, request, index, now, pace);
    const turn = await perform(recorder, request, part, pace);
    if (turn.kind !== "next") return turn;
    ({ now, after } = turn);
  }
  throw new TypeError("an inverse without calls");
}

function partOf(
  { calls, done, renew }: InverseRequest,
  index: number,
  now: State | undefined,
  after: string | null | undefined,
): Part | undefined {
  const planned = calls[index];
  const call = index === 0 ? planned?.call : renew === undefined ? planned?.call : renew(now)?.[index];
  const isSameTool = call?.server === planned?.call.server && call?.tool === planned?.call.tool;
  if (planned === undefined || call === undefined || !isSameTool) return undefined;
  return { call, governing: planned.governing, at: done + index + 1, of: done + calls.length, now, after };
}

/** What the first calls left lacks what the next one needs. */
async function cannotGoOn(
  { journal }: Recorder,
  { original, done, calls }: InverseRequest,
  index: number,
  now: State | undefined,
  pace: Pace,
): Promise<InverseEnd> {
  const said = `${done + index} of ${done + calls.length} calls done, and what is there now lacks what the next one needs`;
  await pace.ended(async () => void (await journal.move(original.id, "undoing", "stuck", "inverse-failed", said)));
  return { kind: "stuck", reason: "inverse-failed", said, now };
}

async function perform(recorder: Recorder, request: InverseRequest, part: Part, pace: Pace): Promise<Turn> {
  // Its arguments are what the record holds already; what it shows is kept as its own rule says.
  const { journal } = await hideFrom(recorder.journal, part.governing, undefined);
  const { original, read } = request;
  const call = newCall(recorder, request, part);
  const key = await keyOf(recorder, original.id);
  const before: Before = isSeenAlone(part)
    ? { read, state: part.now }
    : await captureOwn(recorder, { ...request, governing: part.governing, words: original.rule }, call);
  const intent = await journal.intend({
    ...call,
    ...storedBefore(before),
    read: before.read && writeRead(before.read),
    approval: null,
    undoes: original.id,
    ...(part.after === undefined ? {} : { after: part.after }),
  });
  if (intent.kind === "approval-gone" || intent.kind === "limit-reached")
    throw new TypeError("an inverse spends no approval, and has no limit");
  if (intent.kind === "claim-lost") return intent;
  if (part.at === request.done + 1) await pace.before();
  const { end: ended, outcome } = await carryOut(recorder, request, part, { key, call, before }, pace);
  if (ended.kind === "next") {
    await journal.settle(intent.action, outcome);
    return { ...ended, after: intent.action };
  }
  const end = await confirmEnd(recorder, request, ended);
  await pace.ended(async () => {
    const settled = await journal.settle(intent.action, outcome, ...originalsOf(request, end, outcome));
    if (!settled) throw new TypeError("an inverse that was just intended had another status");
  });
  return end;
}

function newCall(recorder: Recorder, { run, original }: InverseRequest, { call, governing, at, of }: Part): NewCall {
  const { server, tool, args } = call;
  // A tool that the policy calls a read is none where it puts something back.
  const kind = governing === "unmentioned" || governing.class === "readonly" ? "irreversible" : governing.class;
  return {
    run,
    server,
    tool,
    class: kind,
    rule: storedRule({ ...recordRule(governing), ...(of > 1 ? { part: { at, of } } : {}) }),
    callKey: callKeyOf(server, tool, args, "unmentioned"),
    resources: original.resources,
    args,
    receivedAt: recorder.clock(),
  };
}

/**
 * The key by which a server knows an inverse that it may have had before: the same until one is known to have been answered. A server that
 * goes by it would otherwise take the undo after a redo, or the next one of several calls, for the first one, and do nothing.
 */
export async function keyOf({ journal }: Pick<Recorder, "journal">, original: string): Promise<string> {
  const answered = (await journal.undosOf(original)).filter(
    ({ status, reason }) => status !== "intended" && status !== "unknown" && (status !== "failed" || reason === "tool-error"),
  );
  return inverseKey(original, answered.length);
}

/** A call whose intent is to be, or is, on disk. */
interface Written {
  readonly key: string;
  readonly call: NewCall;
  readonly before: Before;
}

async function carryOut(
  recorder: Recorder,
  request: InverseRequest,
  part: Part,
  { key, call, before }: Written,
  pace: Pace,
): Promise<{ readonly end: Ended["end"] | Next; readonly outcome: Outcome }> {
  const { governing } = part;
  const reached = await reach(recorder, part.call);
  const reply: Reply =
    reached.kind === "reached" ? await sendInverse(reached.sender, part.call, key) : { kind: "not-sent", why: reached.why };
  const verdict = judgeReply(reply, governing === "unmentioned" ? request.original.rule.failedWhen : governing.failedWhen);
  if (verdict.kind === "not-sent") {
    const said = verdict.why ?? "the server had ended before the call could be sent";
    return inParts(part, { end: { kind: "refused", said }, outcome: { status: "failed", reason: "not-sent" } });
  }
  if (verdict.kind === "lost" || verdict.kind === "pending" || verdict.kind === "cancelled") {
    const reason = verdict.kind === "lost" ? verdict.reason : "task-pending";
    return { end: { kind: "unknown", reason }, outcome: { status: "unknown", reason } };
  }
  const isNext = verdict.kind === "success" && part.at < part.of;
  const reading = request.read && readBack(recorder, { ...request, now: part.now }, request.read, verdict.kind === "success", isNext);
  if (verdict.kind === "success" && !isNext) pace.answered();
  const now = await reading;
  if (verdict.kind !== "success") return inParts(part, judgeRefusal({ ...request, now: part.now }, now, verdict));
  const outcome = isSeenAlone(part)
    ? seenOutcome(verdict.result, now)
    : await ownOutcome(recorder, { ...request, governing, words: request.original.rule, now }, call, before, verdict);
  return { end: isNext ? { kind: "next", now } : judgeSuccess(request, now), outcome };
}

/**
 * One of several calls is no change of its own, and one whose rule knows no way back has none: what it replaces and leaves is seen by the read of
 * the action that it puts back.
 */
function isSeenAlone({ of, governing }: Part): boolean {
  return of > 1 || governing === "unmentioned" || governing.inverse === undefined;
}

function seenOutcome(result: Json, now: State | undefined): Outcome {
  const post = now && storedState(now);
  return { status: "applied", reason: null, result, postState: post?.state, post: post?.value };
}

/** Where calls before it are done, one that came to nothing leaves the whole stuck. */
function inParts({ call, at, of, now }: Part, ended: Ended): Ended {
  const { end } = ended;
  if (of === 1 || (end.kind !== "refused" && end.kind !== "stuck") || end.said === null) return ended;
  const said = `${at - 1} of ${of} calls done, then ${call.server}.${call.tool}: ${end.said}`;
  if (end.kind === "refused" && at > 1) return { ...ended, end: { kind: "stuck", reason: "inverse-failed", said, now } };
  return { ...ended, end: { ...end, said } };
}
