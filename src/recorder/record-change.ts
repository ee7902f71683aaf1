// How does a changing call of the agent become an action? Steps 5 to 10 of 30-proxy, "A tool call, in order": lock, snapshot,
// intent, send, outcome, post-state. Nothing is sent before its intent is on disk; nothing is called failed that may have happened.
import type { Json } from "../core/json.ts";
import type { GoverningRule, Rule } from "../core/policy.ts";
import { resourcesOf } from "../core/resource.ts";
import { recordRule } from "../core/rule-record.ts";
import { isSameState, type State, showsNoTrace, storedState } from "../core/state.ts";
import { type Bindings, resolve, type Template } from "../core/template.ts";
import type { Reason } from "../core/vocabulary.ts";
import type { NewCall, Outcome } from "../journal/journal.ts";
import { judgeReply, type Verdict } from "./judge-reply.ts";
import { readState, readStateBefore, readUntilFresh } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";
import type { Reply, ResolvedCall } from "./send.ts";

export interface ChangeRequest {
  readonly call: NewCall;
  readonly governing: GoverningRule;
  /** The standing approval of exactly this call, to be spent. */
  readonly approval: string | null;
  /** Sends the call as it came and resolves with its reply. */
  send(): Promise<Reply>;
  /** Gives the agent the server's own reply; `settled` tells whether its outcome is in the journal (the answer may wait a moment for it). */
  deliver(reply: Reply, settled: Promise<void>): void;
  /** True once the client has cancelled the call. */
  isCancelled(): boolean;
  /** Resolves when the client cancels the call. */
  readonly cancelled: Promise<void>;
}

export type ChangeEnd =
  | { readonly kind: "sent" }
  /** Nothing was sent: the state to be replaced couldn't be captured. */
  | { readonly kind: "refused"; readonly reason: Reason; readonly why: string }
  /** Nothing was sent: nothing was there, so a person is to be asked. */
  | { readonly kind: "state-absent" }
  | { readonly kind: "approval-gone" }
  /** Nothing was sent; `recorded` tells whether the journal knows of the call already. */
  | { readonly kind: "cancelled"; readonly recorded: boolean };

/** What was captured before the call: the read, what it showed, and the way back as far as it was known then. */
interface Before {
  readonly read: ResolvedCall | undefined;
  readonly state: State | undefined;
  readonly inverse?: ResolvedCall | undefined;
}

/** Carries out one changing call. @throws SynartesisError journal-* if the intent can't be written; then nothing was sent. */
export async function recordChange(recorder: Recorder, request: ChangeRequest): Promise<ChangeEnd> {
  const release = await recorder.locks.acquire(request.call.resources);
  try {
    if (request.isCancelled()) return { kind: "cancelled", recorded: false };
    const captured = await captureBefore(recorder, request);
    if ("kind" in captured) return captured;
    const before = wayBack(request, captured);
    if ("kind" in before) return before;
    if (request.isCancelled()) return { kind: "cancelled", recorded: false };
    const intent = await recorder.journal.intend({
      ...request.call,
      read: before.read && asJson(before.read),
      snapshotState: before.state === undefined ? "none" : storedState(before.state).state,
      snapshot: before.state && storedState(before.state).value,
      inverse: before.inverse && asJson(before.inverse),
      approval: request.approval,
      undoes: null,
    });
    if (intent.kind === "claim-lost") throw new TypeError("an agent's call claims no action");
    if (intent.kind === "approval-gone") return intent;
    if (request.isCancelled()) {
      await recorder.journal.settle(intent.action, { status: "failed", reason: "cancelled-before-sending" });
      return { kind: "cancelled", recorded: true };
    }
    const replying = request.send();
    // A cancelled call may never be answered: it must not hold up others. If it is answered, that still settles it.
    void request.cancelled.then(release);
    const reply = await replying;
    await settleReply(recorder, request, before, intent.action, reply).catch((error: unknown) => {
      recorder.log.log("error", "what became of a call that was sent is not recorded", { action: intent.action, why: String(error) });
    });
    return { kind: "sent" };
  } finally {
    release();
  }
}

async function captureBefore(recorder: Recorder, { governing, call, approval }: ChangeRequest): Promise<Before | ChangeEnd> {
  if (governing === "unmentioned" || governing.snapshot === undefined) return { read: undefined, state: undefined };
  const read = resolveCall(governing.snapshot, { args: call.args });
  if (read.kind === "missing")
    return { kind: "refused", reason: "snapshot-failed", why: `the snapshot needs ${read.reference}, which the arguments don't have` };
  const state = await readStateBefore(recorder, read.call, recordRule(governing));
  if (state.kind === "unreadable")
    return { kind: "refused", reason: state.cause === "not-text" ? "not-text" : "snapshot-failed", why: state.why };
  if (state.kind === "absent" && governing.class === "reversible" && approval === null) return { kind: "state-absent" };
  return { read: read.call, state };
}

/** Resolves the inverse as far as it is known before the call; what can't be read can't be put back, and is refused. */
function wayBack({ governing, call }: ChangeRequest, before: Before): Before | ChangeEnd {
  if (governing === "unmentioned" || governing.inverse === undefined || readsResult(governing.inverse.args)) return before;
  const inverse = resolveCall(governing.inverse, bindingsOf(call.args, before.state));
  if (inverse.kind === "value") return { ...before, inverse: inverse.call };
  // A person agreed to that: there was nothing to put back.
  if (before.state?.kind === "absent") return before;
  return { kind: "refused", reason: "snapshot-failed", why: `the inverse needs ${inverse.reference}, which the snapshot doesn't have` };
}

async function settleReply(recorder: Recorder, request: ChangeRequest, before: Before, action: string, reply: Reply): Promise<void> {
  const verdict = judgeReply(reply, request.governing === "unmentioned" ? [] : request.governing.failedWhen);
  if (verdict.kind === "said-failed") {
    request.deliver(reply, Promise.resolve());
    const outcome = await outcomeOfFailure(recorder, request, before, verdict);
    await recorder.journal.settle(action, outcome);
    return;
  }
  const outcome = verdict.kind === "success" ? outcomeOfSuccess(request, before, verdict) : outcomeUnseen(verdict);
  const settled = recorder.journal.settle(action, outcome);
  request.deliver(
    reply,
    settled.then(() => undefined),
  );
  await settled;
  const read = (outcome.read as ResolvedCall | undefined) ?? before.read;
  if (read === undefined || verdict.kind !== "success" || request.governing === "unmentioned") return;
  const post = storedState(await readPostState(recorder, read, request.governing, before.state));
  if (post.state !== "none" || post.value !== undefined) await recorder.journal.addPostState(action, post.state, post.value);
}

/** A state that shows no trace of a call that said success isn't believed: it may lag, and nothing but time can tell. */
async function readPostState(recorder: Recorder, read: ResolvedCall, rule: Rule, before: State | undefined): Promise<State> {
  const isStale = (state: State) => showsNoTrace(state, before, rule.ignore);
  const state = await readUntilFresh(recorder, read, recordRule(rule), isStale);
  return isStale(state) ? { kind: "unreadable", cause: "no-trace", why: "the state after the call shows no trace of it" } : state;
}

function outcomeOfSuccess({ governing, call }: ChangeRequest, before: Before, { result, value }: Verdict & { kind: "success" }): Outcome {
  if (governing !== "unmentioned" && governing.class === "readonly") return { status: "applied", reason: null, result };
  if (governing === "unmentioned" || governing.inverse === undefined) return { status: "permanent", reason: "irreversible", result };
  const bindings = { ...bindingsOf(call.args, before.state), result: value };
  const observed = governing.snapshot || !governing.observe ? undefined : resolveCall(governing.observe, bindings);
  const read = observed?.kind === "value" ? observed.call : undefined;
  const found = { result, read: read && asJson(read), resources: resourcesOf(governing, call.server, bindings, before.read ?? read) }; // too many: what was known before
  const inverse = resolveCall(governing.inverse, bindings);
  if (inverse.kind === "missing" && before.state?.kind === "absent") return { status: "permanent", reason: "state-absent", ...found };
  if (inverse.kind === "missing")
    return { status: "permanent", reason: "result-path-missing", detail: `the result has no ${inverse.reference}`, ...found };
  return { status: "applied", reason: null, inverse: asJson(inverse.call), ...found };
}

function outcomeUnseen(verdict: Verdict & { kind: "lost" | "pending" | "not-sent" }): Outcome {
  if (verdict.kind === "not-sent") return { status: "failed", reason: "not-sent" };
  if (verdict.kind === "lost") return { status: "unknown", reason: verdict.reason };
  return { status: "unknown", reason: "task-pending", result: verdict.result };
}

/** `isError` does not mean that nothing happened: with a snapshot, looks again; without one, takes the server's word, marked so. */
async function outcomeOfFailure(
  recorder: Recorder,
  request: ChangeRequest,
  before: Before,
  verdict: Verdict & { kind: "said-failed" },
): Promise<Outcome> {
  const { governing } = request;
  const said = { detail: verdict.text, result: verdict.result };
  if (governing === "unmentioned" || before.read === undefined || before.state === undefined)
    return { status: "failed", reason: "tool-error-unverified", ...said };
  const now = await readState(recorder, before.read, recordRule(governing));
  if (now.kind === "unreadable")
    return { status: "unknown", reason: "post-state-unreadable", ...said, detail: `${verdict.text} (${now.why})` };
  if (isSameState(now, before.state, governing.ignore)) return { status: "failed", reason: verdict.reason, ...said };
  const post = storedState(now);
  const seen = { ...said, postState: post.state, post: post.value };
  if (before.inverse) return { status: "applied", reason: verdict.reason, ...seen };
  return { status: "permanent", reason: before.state.kind === "absent" ? "state-absent" : "result-path-missing", ...seen };
}

type ResolvedTemplate = { kind: "value"; call: ResolvedCall } | { kind: "missing"; reference: string };

/** Resolves a rule's call in the given bindings. */
export function resolveCall(template: { server: string; tool: string; args: Template }, bindings: Bindings): ResolvedTemplate {
  const args = resolve(template.args, bindings);
  if (args.kind === "missing") return { kind: "missing", reference: args.reference.text };
  return { kind: "value", call: { server: template.server, tool: template.tool, args: args.value } };
}

function bindingsOf(args: Json, state: State | undefined): Bindings {
  return state?.kind === "present" ? { args, snapshot: state.value } : { args };
}

function readsResult(template: Template): boolean {
  switch (template.kind) {
    case "literal":
      return false;
    case "reference":
      return template.reference.namespace === "result";
    case "text":
      return template.parts.some((part) => typeof part !== "string" && part.namespace === "result");
    case "list":
      return template.items.some(readsResult);
    case "object":
      return template.members.some(([, member]) => readsResult(member));
  }
}

function asJson({ server, tool, args }: ResolvedCall): Json {
  return { server, tool, args };
}
