// How could an inverse itself be undone? Like any call: by the rule of its own tool, with the state that it replaced and the state that it left.
// Where that rule knows no way back, redo sends the original call again; nothing is refused for it here.

import { ruleWhen } from "../core/cases.ts";
import { canonicalJson } from "../core/json.ts";
import type { GoverningRule } from "../core/policy.ts";
import { type ReadWords, termsOf } from "../core/read-terms.ts";
import { type ResolvedRead, readRead, resolveRead, writeRead } from "../core/resolved-read.ts";
import { recordRule } from "../core/rule-record.ts";
import { type State, storedState } from "../core/state.ts";
import type { NewCall, Outcome } from "../journal/journal.ts";
import { type Before, wayBack } from "./capture.ts";
import type { Verdict } from "./judge-reply.ts";
import { readState, readStateBefore } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";
import { outcomeOfSuccess } from "./settle-reply.ts";

/** The inverse's rule, and the look that was taken for the action it puts back: where both read alike, one look is enough. */
export interface Own {
  readonly governing: GoverningRule;
  readonly read: ResolvedRead | undefined;
  readonly words: ReadWords;
  readonly now: State | undefined;
}

const NOTHING: Before = { read: undefined, state: undefined };

/** Captures what the inverse will replace, as far as its own rule says how. */
export async function captureOwn(recorder: Recorder, own: Own, call: NewCall): Promise<Before> {
  const { governing } = own;
  if (governing === "unmentioned" || governing.snapshot === undefined || governing.inverse === undefined) return NOTHING;
  const read = resolveRead(governing.snapshot, { args: call.args });
  if (read.kind === "missing") return NOTHING;
  const state = (isSameRead(own, read.read) ? own.now : undefined) ?? (await readStateBefore(recorder, read.read, recordRule(governing)));
  if (state.kind === "unreadable") return NOTHING;
  const before = { read: read.read, state };
  const captured = wayBack({ governing: ownRule(own, before), call }, before);
  return "kind" in captured ? before : captured;
}

/** Gives the outcome of an inverse that the server carried out, with its own way back; `now` is what the look for its action shows by now. */
export async function ownOutcome(
  recorder: Recorder,
  own: Own,
  call: NewCall,
  before: Before,
  verdict: Verdict & { kind: "success" },
): Promise<Outcome> {
  const seen = outcomeOfSuccess({ governing: ownRule(own, before), call }, before, verdict);
  // Nothing that an undo does is permanent: where its own rule has no way back, the original call can be sent again.
  const outcome: Outcome = seen.status === "permanent" ? { ...seen, status: "applied", reason: null } : seen;
  const read = outcome.read === undefined ? before.read : readRead(outcome.read);
  if (read === undefined || own.governing === "unmentioned") return outcome;
  const state = (isSameRead(own, read) ? own.now : undefined) ?? (await readState(recorder, read, recordRule(own.governing)));
  const post = storedState(state);
  return { ...outcome, postState: post.state, post: post.value };
}

/** Where another rule governs for what its snapshot shows, the one that is recorded with the step knows no way back. */
function ownRule({ governing }: Own, { state }: Before): GoverningRule {
  if (governing === "unmentioned" || state === undefined || state.kind === "unreadable") return governing;
  return ruleWhen(governing, state.kind) === governing ? governing : "unmentioned";
}

function isSameRead({ governing, read, words }: Own, other: ResolvedRead): boolean {
  if (read === undefined || governing === "unmentioned") return false;
  const form = (of: ReadWords) => [termsOf(of), of.failedWhen, of.asText ?? false, of.reads ?? [], of.redact ?? []];
  return canonicalJson([writeRead(read), form(words)] as never) === canonicalJson([writeRead(other), form(recordRule(governing))] as never);
}
