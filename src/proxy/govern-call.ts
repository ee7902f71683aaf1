// Which rule governs a call, as far as it is known, and what does it say? The facts are gathered here; core/admission.ts decides by them.
import { type Admission, decideAdmission, tooManyItems } from "../core/admission.ts";
import { ruleWhen } from "../core/cases.ts";
import type { GoverningRule, Presence } from "../core/policy.ts";
import type { NewCall } from "../journal/journal.ts";
import { type Hiding, hideFrom } from "../recorder/hide.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { CallSession } from "./call-session.ts";
import { describeCall } from "./describe-call.ts";
import type { ToolCall } from "./tool-call.ts";

/** A call with the rule that governs it. */
export interface GovernedCall {
  readonly call: ToolCall;
  readonly governing: GoverningRule;
  readonly record: Omit<NewCall, "run">;
  readonly unclear: boolean;
}

/** Puts a call under a rule; `receivedAt` in milliseconds since the epoch. */
export function govern(session: CallSession, call: ToolCall, governing: GoverningRule, receivedAt: number): GovernedCall {
  return { call, governing, ...describeCall(session, call, governing, receivedAt) };
}

/** Gives what a call is written down by in a run: a journal that never sees its secrets, and a key that doesn't give them away. */
export async function recorded(
  { journal }: Pick<Recorder, "journal">,
  { call, governing, record }: GovernedCall,
  run: string,
): Promise<Hiding & { readonly record: NewCall }> {
  const hiding = await hideFrom(journal, governing, call.args);
  // The digest of the arguments as they are would give away a short secret to whoever tries them all.
  const callKey = hiding.journal === journal ? record.callKey : await journal.mark(record.callKey);
  return { ...hiding, record: { ...record, callKey, run } };
}

/** Gives the call under the rule that governs with what the snapshot shows; `first` is the call before that was known. */
export function turnTo(session: CallSession, first: GovernedCall, presence: Presence): GovernedCall {
  const { call, governing, record } = first;
  if (governing === "unmentioned") return first;
  const rule = ruleWhen(governing, presence);
  return rule === governing ? first : govern(session, call, rule, record.receivedAt);
}

/** Decides about a call; `full`: which limit on the number of calls is reached. */
export function decide(
  { isListed, policy, scopes }: CallSession,
  { tool, args, ambiguous }: ToolCall,
  governing: GoverningRule,
  presence: Presence | undefined,
  approved: boolean,
  full?: string,
): Admission {
  const beyond = tooManyItems(governing, args) ?? full;
  return decideAdmission({ governing, ambiguous, listed: isListed(tool), approved, presence, beyond, scopes, policy });
}
