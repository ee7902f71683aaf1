// What became of a call that was sent? Its last reply settles the action; where it said that it failed, the world is looked at. Nothing is
// called failed that may have happened.
import { type CheckFact, verificationOf } from "../core/checks.ts";
import type { Rule } from "../core/policy.ts";
import { resolveCalls } from "../core/resolve-calls.ts";
import { writeCalls } from "../core/resolved-call.ts";
import { type ResolvedRead, readRead, resolveRead, writeRead } from "../core/resolved-read.ts";
import { resourcesOf } from "../core/resource.ts";
import { saysWhole } from "../core/result-value.ts";
import { recordRule } from "../core/rule-record.ts";
import { isSameState, type State, showsNoTrace, storedState } from "../core/state.ts";
import type { Outcome } from "../journal/journal.ts";
import { type Before, bindingsOf, checksAsJson, type Governed } from "./capture.ts";
import { judgeReply, type Verdict } from "./judge-reply.ts";
import type { Release } from "./locks.ts";
import { readState, readUntilFresh } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";
import { checkAfter } from "./run-checks.ts";
import type { Reply } from "./send.ts";
import type { TaskEnd } from "./unfinished.ts";

/** A call whose intent is on disk. */
export interface Sent {
  readonly request: Governed;
  readonly before: Before;
  /** What was required of it, and was so. */
  readonly required: readonly CheckFact[];
  /** The action's id. */
  readonly action: string;
  /** Its locks, given back as the last thing is written: whoever has them next sees the whole of it. */
  readonly release: Release;
}

/** How the reply reaches the agent. */
export interface Delivery {
  /** Lets what came after the reply pass before it: it is handed on later. */
  giveWay(): void;
  /** Hands it on, once; `settled`, where there is one, tells whether its outcome is in the journal; `refuting` are the checks that failed. */
  handOn(settled?: Promise<void>, refuting?: readonly CheckFact[]): void;
}

/** Settles an action by its last reply, hands that on, and reads what the call left. */
export async function settleReply(recorder: Recorder, sent: Sent, reply: Reply | TaskEnd, delivery: Delivery): Promise<void> {
  const { request, before, action } = sent;
  const verdict = judgeSent(request, reply);
  if (verdict.kind === "said-failed" || verdict.kind === "cancelled") {
    delivery.handOn();
    const outcome = await outcomeOfFailure(recorder, request, before, verdict);
    const written = recorder.journal.settle(action, outcome);
    sent.release();
    await written;
    return;
  }
  const outcome = verdict.kind === "success" ? outcomeOfSuccess(request, before, verdict) : outcomeUnseen(verdict);
  const settled = recorder.journal.settle(action, outcome);
  await handOn(recorder, sent, verdict, settled, delivery);
  const read = outcome.read === undefined ? before.read : readRead(outcome.read);
  if (read === undefined || verdict.kind !== "success" || request.governing === "unmentioned") {
    sent.release();
    await settled;
    return;
  }
  await settled;
  const post = storedState(await readPostState(recorder, read, request.governing, before.state));
  const isRead = post.state !== "none" || post.value !== undefined;
  const written = isRead ? recorder.journal.addPostState(action, post.state, post.value) : undefined;
  sent.release();
  await written;
}

function judgeSent({ governing }: Governed, reply: Reply | TaskEnd): Verdict {
  return governing === "unmentioned" ? judgeReply(reply, []) : judgeReply(reply, governing.failedWhen, governing.resultFields);
}

/** Hands the reply on as soon as it is verified, if its rule says how. The outcome is on its way to the journal meanwhile. */
async function handOn(recorder: Recorder, sent: Sent, verdict: Verdict, settled: Promise<boolean>, delivery: Delivery): Promise<void> {
  const { request, before, action, required } = sent;
  const { governing } = request;
  const outcome = settled.then(() => undefined);
  if (verdict.kind !== "success" || governing === "unmentioned" || governing.verify === undefined) return delivery.handOn(outcome);
  outcome.catch(() => undefined); // the agent is told of it with the reply
  delivery.giveWay();
  const facts = await checkAfter(recorder, governing, { ...bindingsOf(request.call.args, before.state), result: verdict.value });
  const recorded = outcome.then(() =>
    recorder.journal.addVerification(action, verificationOf(facts), checksAsJson([...required, ...facts])),
  );
  delivery.handOn(
    recorded,
    facts.filter((fact) => fact.outcome === "fail"),
  );
  await recorded;
}

/** A state that shows no trace of a call that said success isn't believed: it may lag, and nothing but time can tell. */
async function readPostState(recorder: Recorder, read: ResolvedRead, rule: Rule, before: State | undefined): Promise<State> {
  const isStale = (state: State) => showsNoTrace(state, before, rule.ignore);
  const state = await readUntilFresh(recorder, read, recordRule(rule), isStale);
  return isStale(state) ? { kind: "unreadable", cause: "no-trace", why: "the state after the call shows no trace of it" } : state;
}

/** What a call that succeeded is in the record, and how it could be undone. */
export function outcomeOfSuccess({ governing, call }: Governed, before: Before, verdict: Verdict & { kind: "success" }): Outcome {
  const { result } = verdict;
  if (governing !== "unmentioned" && governing.class === "readonly") return { status: "applied", reason: null, result };
  if (governing === "unmentioned" || governing.inverse === undefined) return { status: "permanent", reason: "irreversible", result };
  const bindings = { ...bindingsOf(call.args, before.state), result: verdict.value };
  const observed = governing.snapshot || !governing.observe ? undefined : resolveRead(governing.observe, bindings);
  const read = observed?.kind === "value" ? observed.read : undefined;
  const found = { result, read: read && writeRead(read), resources: resourcesOf(governing, call.server, bindings, before.read ?? read) };
  const inverse = resolveCalls(governing.inverse, bindings);
  if (inverse.kind === "missing" && before.state?.kind === "absent" && governing.when === undefined)
    return { status: "permanent", reason: "state-absent", ...found };
  if (inverse.kind === "missing")
    return { status: "permanent", reason: "result-path-missing", detail: `the inverse needs ${inverse.why}`, ...found };
  return { status: "applied", reason: null, inverse: writeCalls(inverse.calls), ...found };
}

function outcomeUnseen(verdict: Verdict & { kind: "lost" | "asks" | "pending" | "not-sent" }): Outcome {
  if (verdict.kind === "asks" || verdict.kind === "pending") return { status: "unknown", reason: "task-pending", result: verdict.result };
  const said = verdict.why === undefined ? {} : { detail: verdict.why };
  if (verdict.kind === "not-sent") return { status: "failed", reason: "not-sent", ...said };
  return { status: "unknown", reason: verdict.reason, ...said };
}

function isEchoed({ governing, call }: Governed, text: string): boolean {
  return governing !== "unmentioned" && saysWhole(governing.failedWhen, text, call.args) === "echo";
}

/** `isError` does not mean that nothing happened: with a snapshot, looks again; without one, takes the server's word, marked so. */
async function outcomeOfFailure(
  recorder: Recorder,
  request: Governed,
  before: Before,
  verdict: Verdict & { kind: "said-failed" | "cancelled" },
): Promise<Outcome> {
  const { governing } = request;
  const said =
    verdict.kind === "cancelled"
      ? { detail: "the task was cancelled", result: undefined }
      : { detail: verdict.text, result: verdict.result };
  const reason = verdict.kind === "cancelled" ? "tool-error" : verdict.reason;
  if (governing === "unmentioned" || before.read === undefined || before.state === undefined)
    // Nobody says at which point it was cancelled; nor that it failed, where only the agent's own words do.
    return verdict.kind === "cancelled" || (verdict.reason === "declared-failure" && isEchoed(request, verdict.text))
      ? { status: "unknown", reason: "reply-lost", ...said }
      : { status: "failed", reason: "tool-error-unverified", ...said };
  const now = await readState(recorder, before.read, recordRule(governing));
  if (now.kind === "unreadable")
    return { status: "unknown", reason: "post-state-unreadable", ...said, detail: `${said.detail} (${now.why})` };
  if (isSameState(now, before.state, governing.ignore)) return { status: "failed", reason, ...said };
  const post = storedState(now);
  const seen = { ...said, postState: post.state, post: post.value };
  if (before.inverse) return { status: "applied", reason, ...seen };
  if (governing.inverse === undefined) return { status: "permanent", reason: "irreversible", ...seen };
  return { status: "permanent", reason: before.state.kind === "absent" ? "state-absent" : "result-path-missing", ...seen };
}
