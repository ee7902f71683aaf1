// Which argument says what a call does, and for which of its values is there a case? The cases themselves are read as rules.
import type { Reference } from "../core/template.ts";
import { entryOf, type LocatedEntry, type LocatedMap, memberOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";
import { readArgument } from "./read-bounds.ts";

/** `by` and `cases` of a rule. */
export interface By {
  readonly reference: Reference;
  readonly cases: readonly LocatedEntry[];
}

/** What stands in each case rather than beside `by`, where it would seem to be meant for a value that has none. */
const IN_EACH_CASE = ["class", "gate", "when_absent", "when_present"];

/** Reads them; undefined where the rule has neither. What is wrong is said. */
export function readBy(rule: LocatedMap, problems: ProblemList): By | undefined {
  const [by, cases] = [entryOf(rule, "by"), entryOf(rule, "cases")];
  if (by === undefined && cases === undefined) return undefined;
  if (by === undefined) problems.add(cases?.offset ?? rule.offset, "`cases` needs `by`", "name the argument that chooses, like `$.method`");
  if (cases === undefined) problems.add(by?.offset ?? rule.offset, "`by` needs `cases`", "say what holds for each value of that argument");
  for (const name of IN_EACH_CASE) {
    const entry = entryOf(rule, name);
    if (entry === undefined) continue;
    problems.add(entry.offset, `\`${name}\` stands in each case, not beside \`by\``, "a call without a case is irreversible and held");
  }
  const entries = cases?.value.kind === "map" ? cases.value.entries : [];
  if (cases?.value.kind === "map" && entries.length === 0) problems.add(cases.offset, "`cases` must not be empty");
  return { reference: readArgument(memberOf(rule, "by"), "`by`", problems) ?? NOWHERE, cases: entries };
}

/** Stands for one that was refused. */
const NOWHERE: Reference = { namespace: "args", steps: [], text: "$" };
