// Is something so, as a rule's `require` and `verify` ask? Compares what a read showed with what was expected; what couldn't be compared is
// never a pass.
import type { Json } from "./json.ts";
import { printJson } from "./json.ts";
import { missedParts } from "./missed-parts.ts";
import type { State } from "./state.ts";
import type { Difference } from "./state-difference.ts";
import type { CheckOutcome, Verification } from "./vocabulary.ts";

/** One check that was made of a call, as it is recorded. */
export interface CheckFact {
  readonly name: string;
  /** The tool that was asked, as `server.tool`. */
  readonly source: string;
  /** Before the call (`require`), or after it (`verify`). */
  readonly when: "before" | "after";
  readonly outcome: CheckOutcome;
  /** What is otherwise than expected, or why nothing could be compared; null for a pass. */
  readonly why: string | null;
  /** What the read showed: a value, `absent`, or nothing that could be read. */
  readonly saw: { readonly state: "present"; readonly value: Json } | { readonly state: "absent" } | { readonly state: "unreadable" };
}

/** What a check looks for: something with these parts, or that nothing is there. */
export type Expectation = { readonly kind: "parts"; readonly value: Json } | { readonly kind: "absent" };

/** Compares what a read showed with what was expected. */
export function judgeState(state: State, expected: Expectation): Pick<CheckFact, "outcome" | "why" | "saw"> {
  if (state.kind === "unreadable") return { outcome: "unreadable", why: state.why, saw: { state: "unreadable" } };
  const saw = state.kind === "present" ? ({ state: "present", value: state.value } as const) : ({ state: "absent" } as const);
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
  const missed = missedParts(state.value, expected.value);
  return missed.length === 0 ? undefined : missed.slice(0, MOST_PARTS).map(differenceText).join("; ");
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
