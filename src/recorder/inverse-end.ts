// How did the sending of an inverse end, and what becomes of the actions that it is about? By what the server said and what a read shows then.
// What wasn't read back is never called undone where it could have been.

import { isJsonObject, type Json, printJson } from "../core/json.ts";
import { isAsMeant, isSame } from "../core/judge-change.ts";
import { knowsAbsence } from "../core/read-terms.ts";
import { callsOfRead, type ResolvedRead } from "../core/resolved-read.ts";
import { type State, storedState } from "../core/state.ts";
import type { Change } from "../core/three-way.ts";
import type { ActionStatus, Reason } from "../core/vocabulary.ts";
import type { Original, Outcome } from "../journal/journal.ts";
import { confirm, namesOf } from "./confirm.ts";
import type { Verdict } from "./judge-reply.ts";
import { readUntilFresh } from "./read-state.ts";
import type { InverseRequest } from "./record-inverse.ts";
import type { Recorder } from "./recorder.ts";

export type InverseEnd =
  /** `shownBy` names the tools whose answers showed it, `why` says why what was to confirm it didn't; `remains` stands all the same. */
  | {
      readonly kind: "undone";
      readonly verified: boolean;
      readonly shownBy?: readonly string[];
      readonly why?: string;
      readonly remains?: readonly Change[];
    }
  /** Somebody else claimed it first; nothing was sent. */
  | { readonly kind: "claim-lost"; readonly status: ActionStatus }
  /** The server refused, and its state shows that nothing changed; it can be tried again. */
  | { readonly kind: "refused"; readonly said: string }
  | { readonly kind: "stuck"; readonly reason: Reason; readonly said: string | null; readonly now: State | undefined }
  | { readonly kind: "unknown"; readonly reason: Reason };

/** How a step ended that was sent. */
export type SentEnd = Exclude<InverseEnd, { kind: "claim-lost" }>;

/** A step's end, and what of it goes into the record. */
export interface Ended {
  readonly end: SentEnd;
  readonly outcome: Outcome;
}

/**
 * Where the server says that it did it and nothing has changed, a read may lag: it is made again. Between two calls (`isBetween`) only where the
 * next one is made for what is there: not every call has to show.
 */
export function readBack(
  recorder: Recorder,
  request: InverseRequest,
  read: ResolvedRead,
  saidDone: boolean,
  isBetween: boolean,
): Promise<State> {
  const { now, meant, rules, original, renew } = request;
  const isStale = (state: State) =>
    now !== undefined && isSame(rules, state, now) && !(meant !== undefined && isAsMeant(rules, state, meant, now));
  return readUntilFresh(recorder, read, original.rule, isStale, saidDone && !(isBetween && renew === undefined) ? undefined : []);
}

/** Judges a call that the server says it carried out, the only or the last one; `request.now` is what was there before the first. */
export function judgeSuccess(request: InverseRequest, now: State | undefined): SentEnd {
  const { meant, now: before, rules, original, done, remainder } = request;
  if (now === undefined || before?.kind === "unreadable") return { kind: "undone", verified: false };
  if (now.kind === "unreadable") {
    // The thing is meant to be gone, and the policy has no words by which that could be known from an error.
    const mayBeGone = meant?.kind !== "present" && !knowsAbsence(original.rule) && now.cause === "tool-error";
    return mayBeGone ? { kind: "undone", verified: false } : { kind: "stuck", reason: "read-back-failed", said: now.why, now };
  }
  if (before?.kind === "absent" && now.kind === "absent" && isMadeAnew(request)) return { kind: "undone", verified: false };
  // An offset is only known to change what was there; by the last of its calls alone that needn't show.
  if (meant === undefined && done > 0 && before !== undefined && isSame(rules, now, before)) return { kind: "undone", verified: false };
  const asMeant = meant ? isAsMeant(rules, now, meant, before) : before === undefined || !isSame(rules, now, before);
  return asMeant ? putBack(remainder(now)) : { kind: "stuck", reason: "read-back-differs", said: null, now };
}

/** An offset that isn't told all that the read asks by makes the thing under another name: the read can't show that. */
function isMadeAnew({ original, meant, read, calls }: InverseRequest): boolean {
  if (original.class !== "compensable" || meant?.kind !== "present" || read === undefined) return false;
  const told = calls.flatMap(({ call }) => scalarsIn(call.args));
  return callsOfRead(read).some(({ args }) => scalarsIn(args).some((text) => !told.includes(text)));
}

function scalarsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(scalarsIn) : [printJson(value)];
}

function putBack(remains: readonly Change[]): SentEnd {
  return { kind: "undone", verified: true, ...(remains.length === 0 ? {} : { remains }) };
}

/** Judges a call that the server says it didn't carry out; `request.now` is what was there before it. */
export function judgeRefusal(request: InverseRequest, now: State | undefined, verdict: Verdict & { kind: "said-failed" | "asks" }): Ended {
  const { rules, meant } = request;
  const said = verdict.kind === "asks" ? "it asks for input, which an undo can't give" : verdict.text;
  const post = now && storedState(now);
  const seen = { detail: said, result: verdict.result, postState: post?.state, post: post?.value };
  if (now !== undefined && meant !== undefined && isAsMeant(rules, now, meant, request.now))
    return { end: putBack(request.remainder(now)), outcome: { status: "applied", reason: "tool-error", ...seen } };
  if (now !== undefined && request.now !== undefined && isSame(rules, now, request.now))
    return { end: { kind: "refused", said }, outcome: { status: "failed", reason: "tool-error", ...seen } };
  // Something else changed, or nothing can show whether it did.
  const outcome: Outcome =
    now === undefined
      ? { status: "failed", reason: "tool-error-unverified", ...seen }
      : { status: "applied", reason: "tool-error", ...seen };
  return { end: { kind: "stuck", reason: "inverse-failed", said, now }, outcome };
}

/**
 * Says by what it is known that it was put back, and asks the second read, where the rule has one. Beside what others changed that may show
 * something else; it is said then, and not called verified.
 */
export async function confirmEnd(recorder: Recorder, { read, confirmation, undoneAs }: InverseRequest, end: SentEnd): Promise<SentEnd> {
  if (end.kind !== "undone") return end;
  const shownBy = read !== undefined && end.verified ? namesOf(callsOfRead(read)) : [];
  if (confirmation === undefined) return { ...end, shownBy };
  const confirmed = await confirm(recorder, confirmation);
  if (confirmed.kind === "confirmed") return { ...end, verified: true, shownBy: [...shownBy, ...confirmation.by] };
  if (confirmed.kind === "unreadable" || undoneAs !== "put-back") return { ...end, verified: false, why: confirmed.why };
  return { kind: "stuck", reason: "read-back-differs", said: confirmed.why, now: confirmed.now };
}

/** What becomes of the action that was put back; and of the one that is applied again by that. */
export function originalsOf(request: InverseRequest, end: SentEnd, outcome: Outcome): readonly Original[] {
  const { original, redoes } = request;
  const undone: Original = { action: original.id, ...originalStatus(request, end) };
  if (redoes === undefined || end.kind !== "undone") return [undone];
  const { result, inverse, read, postState, post, resources } = outcome;
  const brought = redoes.sentAgain ? { outcome: { result, inverse, read, postState, post, resources } } : {};
  const parts = redoes.parts.map((action): Original => ({ action, status: "undone", reason: request.undoneAs }));
  return [undone, ...parts, { action: redoes.id, status: "applied", reason: "redone", ...brought }];
}

/** Says in the record which places still stand; never what is there. */
export function standsText(remains: readonly Change[]): string {
  return `still as the agent left it: ${remains.map(({ path }) => path).join(", ")}`;
}

function originalStatus({ undoneAs }: InverseRequest, end: SentEnd): { status: ActionStatus; reason: Reason | null; detail?: string } {
  switch (end.kind) {
    case "undone":
      return { status: "undone", reason: end.verified ? undoneAs : "compensated", ...(end.remains && { detail: standsText(end.remains) }) };
    case "refused":
      return { status: "applied", reason: "inverse-failed", detail: end.said };
    case "stuck":
      return { status: "stuck", reason: end.reason, ...(end.said === null ? {} : { detail: end.said }) };
    case "unknown":
      return { status: "unknown", reason: end.reason };
  }
}
