// Is something so, as a rule's `require` and `verify` ask? Compares what a read showed with what was expected; what couldn't be compared is
// never a pass.
import type { Json } from "./json.ts";
import { printJson } from "./json.ts";
import { missedParts } from "./missed-parts.ts";
import type { State } from "./state.ts";
import type { Difference } from "./state-difference.ts";
import type { Template } from "./template.ts";
import type { CheckOutcome, Verification } from "./vocabulary.ts";

/** One check that was made of a call, as it is recorded. */
export interface CheckFact {
  readonly name: string;
  /** The tool that was asked, as `server.tool`. */
  readonly source: string;
  /** Before the call (`require`), or after it (`verify`); or what `confirm` showed before it, with which an undo is compared. */
  readonly when: "before" | "after" | "confirm";
  readonly outcome: CheckOutcome;
  /** What is otherwise than expected, or why nothing could be compared; null for a pass. */
  readonly why: string | null;
  /** What the read showed: a value, `absent`, or nothing that could be read. */
  readonly saw: Seen;
  /** Of `confirm`: how it was read, to be read so again. */
  readonly read?: Json;
}

/** A state as it is kept with a check. */
export type Seen = { readonly state: "present"; readonly value: Json } | { readonly state: "absent" } | { readonly state: "unreadable" };

/** Gives a state as it is kept with a check. */
export function seenIn(state: State): Seen {
  return state.kind === "present" ? { state: "present", value: state.value } : { state: state.kind };
}

/** What a check looks for: something with these parts, or that nothing is there. `from`: what the rule says of them, where not all is written out. */
export type Expectation = { readonly kind: "parts"; readonly value: Json; readonly from?: Template } | { readonly kind: "absent" };

/** Gives the fact of `confirm` among the checks of a call, as the recorder wrote them. */
export function confirmIn(stored: Json): CheckFact | undefined {
  return (stored as unknown as readonly CheckFact[]).find(({ when }) => when === "confirm"); // verified by the journal
}

/** Gives back the state that was kept with a check. */
export function stateOf(fact: CheckFact | undefined): State {
  const { saw = { state: "unreadable" }, why = null } = fact ?? {};
  if (saw.state === "present") return { kind: "present", value: saw.value };
  return saw.state === "absent" ? { kind: "absent" } : { kind: "unreadable", cause: "failed", why: why ?? "the record of it is lost" };
}

/** Compares what a read showed with what was expected. */
export function judgeState(state: State, expected: Expectation): Pick<CheckFact, "outcome" | "why" | "saw"> {
  const saw = seenIn(state);
  if (state.kind === "unreadable") return { outcome: "unreadable", why: state.why, saw };
  const why = whyNot(state, expected);
  return { outcome: why === undefined ? "pass" : "fail", why: why ?? null, saw };
}

/** Derives what the checks after a call come to (10-manifest, "Did it really happen"). */
export function verificationOf(facts: readonly CheckFact[]): Verification {
  if (facts.some(({ outcome }) => outcome === "fail")) return "failed";
  return facts.length > 0 && facts.every(({ outcome }) => outcome === "pass") ? "verified" : "inconclusive";
}

/** Says of a check in one line what it found, for agents and people alike. */
export function checkText({ name, source, why }: CheckFact): string {
  return why === null ? `${name} (${source})` : `${name} (${source}): ${why}`;
}

function whyNot(state: Exclude<State, { kind: "unreadable" }>, expected: Expectation): string | undefined {
  if (expected.kind === "absent") return state.kind === "absent" ? undefined : "it is there";
  if (state.kind === "absent") return "nothing is there";
  return differencesText(missedParts(state.value, expected.value, expected.from));
}

/** Says where a value (left) is otherwise than expected (right); undefined where it isn't. */
export function differencesText(found: readonly Difference[]): string | undefined {
  return found.length === 0 ? undefined : found.slice(0, MOST_PARTS).map(differenceText).join("; ");
}

const MOST_PARTS = 5;
const LONGEST_VALUE = 120;

function differenceText({ path, left, right }: Difference): string {
  const place = path === "" ? "it" : path;
  if (left === undefined) return `${place} isn't there, expected ${valueText(right)}`;
  return right === undefined
    ? `${place} is ${valueText(left)}, expected nothing there`
    : `${place} is ${valueText(left)}, not ${valueText(right)}`;
}

function valueText(value: Json | undefined): string {
  const text = value === undefined ? "nothing" : printJson(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
