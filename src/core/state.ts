// What was seen of a thing at one moment? Present with a value, absent, or unreadable; an unreadable state equals nothing, not even itself.
import { type Digest, digestOf } from "./digest.ts";
import { isJsonObject, type Json } from "./json.ts";
import { sameState } from "./state-difference.ts";
import type { Reference } from "./template.ts";
import type { SnapshotState } from "./vocabulary.ts";

/** What one read showed. */
export type State =
  | { readonly kind: "present"; readonly value: Json }
  /** `says`: the error by whose words it is known, where it was one. */
  | { readonly kind: "absent"; readonly says?: string }
  | { readonly kind: "unreadable"; readonly cause: UnreadableCause; readonly why: string };

/**
 * Why a state can't be read. `no-server`: its server can't be had. `failed`: no answer came. `tool-error`, `protocol-error`: the answer is an error, and none by which the
 * policy knows absence. `not-text`: it holds bytes that are no text, so writing it back would damage it. `no-trace`: a call said success,
 * and the reads right after it showed nothing of that. `incomplete`: it shows not everything, and a part proves nothing of the
 * whole. `damaged`: the record of it is.
 */
export type UnreadableCause = "no-server" | "failed" | (typeof ANSWERED)[number] | "incomplete" | "damaged";

/** The causes with which a read was answered. */
const ANSWERED = ["tool-error", "protocol-error", "not-text", "no-trace"] as const;

/** Gives the value of a state that is present; undefined for any other. */
export function presentValue(state: State | undefined): Json | undefined {
  return state?.kind === "present" ? state.value : undefined;
}

/** Gives a text that two states share exactly where they are the same, to the letter; states that can't be read share one. */
export function stateMark(state: State | undefined): Digest {
  return digestOf(state?.kind === "present" ? [state.value] : (state?.kind ?? null));
}

/** Tells whether two states are certainly the same but for the ignored paths. */
export function isSameState(a: State, b: State, ignore: readonly Reference[]): boolean {
  if (a.kind === "present" && b.kind === "present") return sameState(a.value, b.value, ignore);
  return a.kind === "absent" && b.kind === "absent";
}

/** Tells whether two reads were answered in the same way although neither shows anything. Says nothing of what is there. */
export function areUnreadableAlike(a: State, b: State): boolean {
  if (a.kind !== "unreadable" || b.kind !== "unreadable") return false;
  return isAnswered(a) && a.cause === b.cause && a.why === b.why;
}

/** Tells whether a state shows nothing of a call that said success: it is as before, or what the call made isn't there. */
export function showsNoTrace(state: State, before: State | undefined, ignore: readonly Reference[]): boolean {
  return before === undefined ? state.kind === "absent" : isSameState(state, before, ignore);
}

/** Gives a state as the journal keeps it; of what couldn't be read there is no state, only how the read was answered. */
export function storedState(state: State): { readonly state: SnapshotState; readonly value: Json | undefined } {
  if (state.kind === "present") return { state: "present", value: state.value };
  if (state.kind === "absent") return { state: "absent", value: undefined };
  return { state: "none", value: isAnswered(state) ? { cause: state.cause, why: state.why } : undefined };
}

/** Reads back how a read was answered that showed nothing, as storedState gives it. */
export function unreadableFrom(stored: Json): State | undefined {
  if (!isJsonObject(stored)) return undefined;
  const cause = ANSWERED.find((each) => each === stored["cause"]);
  return cause && { kind: "unreadable", cause, why: String(stored["why"]) };
}

function isAnswered({ cause }: State & { readonly kind: "unreadable" }): boolean {
  return ANSWERED.some((each) => each === cause);
}
