// What was there before a call, and how is it put back? One read through the rule's snapshot, and the inverse as far as it is known by then.
// What can't be captured is refused, with the reason.
import type { CheckFact } from "../core/checks.ts";
import type { Json } from "../core/json.ts";
import type { GoverningRule, Presence } from "../core/policy.ts";
import { resolveCalls } from "../core/resolve-calls.ts";
import { type ResolvedCall, writeCalls } from "../core/resolved-call.ts";
import { type ResolvedRead, resolveRead } from "../core/resolved-read.ts";
import { recordRule } from "../core/rule-record.ts";
import { type State, storedState } from "../core/state.ts";
import type { Bindings } from "../core/template.ts";
import type { Reason } from "../core/vocabulary.ts";
import type { NewCall, NewIntent } from "../journal/journal.ts";
import { readStateBefore } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";

/** What decides how a call is captured. */
export interface Governed {
  readonly call: NewCall;
  readonly governing: GoverningRule;
}

/** A call that was let through, by what its snapshot may show. */
export interface Admitted extends Governed {
  /** The standing approval of exactly this call, to be spent. */
  readonly approval: string | null;
  /** What the snapshot may show for that decision to hold; where it shows something else, it is made anew. */
  readonly holdsWhen: readonly Presence[];
}

/** What was captured before the call: the read, what it showed, and the way back as far as it was known then. */
export interface Before {
  readonly read: ResolvedRead | undefined;
  readonly state: State | undefined;
  readonly inverse?: readonly ResolvedCall[] | undefined;
}

/** Why nothing can be captured, so that nothing may be sent. */
export type NotCaptured =
  /** The state to be replaced can't be read, or doesn't have what the inverse needs. */
  | { readonly kind: "refused"; readonly reason: Reason; readonly why: string }
  /** With what the snapshot shows, it has to be decided anew. */
  | { readonly kind: "decide-anew"; readonly presence: Presence };

/** Captures the state and the way back. */
export async function capture(recorder: Recorder, request: Admitted): Promise<Before | NotCaptured> {
  const captured = await captureState(recorder, request);
  return "kind" in captured ? captured : wayBack(request, captured);
}

/** What of it goes into the journal with the intent. */
export function storedBefore(before: Before): Pick<NewIntent, "snapshotState" | "snapshot" | "inverse"> {
  return {
    snapshotState: before.state === undefined ? "none" : storedState(before.state).state,
    snapshot: before.state && storedState(before.state).value,
    inverse: before.inverse && writeCalls(before.inverse),
  };
}

async function captureState(recorder: Recorder, { governing, call, holdsWhen }: Admitted): Promise<Before | NotCaptured> {
  if (governing === "unmentioned" || governing.snapshot === undefined) return { read: undefined, state: undefined };
  const read = resolveRead(governing.snapshot, { args: call.args });
  if (read.kind === "missing") return { kind: "refused", reason: "snapshot-failed", why: `the snapshot needs ${read.why}` };
  const state = await readStateBefore(recorder, read.read, recordRule(governing));
  if (state.kind === "unreadable")
    return { kind: "refused", reason: state.cause === "not-text" ? "not-text" : "snapshot-failed", why: state.why };
  if (!holdsWhen.includes(state.kind)) return { kind: "decide-anew", presence: state.kind };
  return { read: read.read, state };
}

/** Resolves the inverse as far as it is known before the call; what can't be read can't be put back, and is refused. */
export function wayBack({ governing, call }: Governed, before: Before): Before | NotCaptured {
  if (governing === "unmentioned" || governing.inverse === undefined) return before;
  const inverse = resolveCalls(governing.inverse, bindingsOf(call.args, before.state));
  if (inverse.kind === "value") return { ...before, inverse: inverse.calls };
  // The result will say; or a person agreed to it that there was nothing to put back.
  if (inverse.unbound || (before.state?.kind === "absent" && governing.when === undefined)) return before;
  return { kind: "refused", reason: "snapshot-failed", why: `the inverse needs ${inverse.why}` };
}

/** Gives what references in the rule stand for. Until the state is read again for an undo, what was captured stands in for it. */
export function bindingsOf(args: Json, state: State | undefined): Bindings {
  const notYet = "current";
  return state?.kind === "present" ? { args, notYet, snapshot: state.value, current: state.value } : { args, notYet };
}

/** Gives checks as the journal keeps them. */
export function checksAsJson(facts: readonly CheckFact[]): Json {
  return facts as unknown as Json; // plain data throughout
}
