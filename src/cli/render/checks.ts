// What did the checks of a call show, in words? A line for each that was made; pure.
import { type CheckFact, checkText } from "../../core/checks.ts";
import type { StoredValue } from "../run-facts.ts";
import { shorten } from "./layout.ts";
import { visible } from "./visible.ts";

const LONGEST_CHECK = 500;

/** Gives the lines, in the order in which the checks stand in the rule. */
export function checkLines(checks: StoredValue | undefined): readonly string[] {
  if (checks === undefined) return [];
  if (checks.kind === "unreadable") return [`checks: [unreadable: ${visible(checks.why)}]`];
  const facts = checks.value as unknown as readonly CheckFact[]; // written by the recorder, verified by the journal
  return facts.map((fact) =>
    shorten(visible(fact.when === "confirm" ? confirmText(fact) : `${outcomeText(fact)}: ${checkText(fact)}`), LONGEST_CHECK),
  );
}

function confirmText({ source, why }: CheckFact): string {
  return why === null ? `an undo is to be confirmed by ${source}` : `an undo can't be confirmed by ${source}: ${why}`;
}

function outcomeText({ when, outcome }: CheckFact): string {
  if (when === "before") return "required, and so it was";
  if (outcome === "pass") return "verified";
  return outcome === "fail" ? "verification failed" : "verification inconclusive";
}
