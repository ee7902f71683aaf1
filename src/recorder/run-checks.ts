// Do a rule's checks hold? Each reads by itself, before the call (`require`) or after it (`verify`). Never changes anything.
import { type CheckFact, checkText, type Expectation, judgeState } from "../core/checks.ts";
import type { Json } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { Check, Rule } from "../core/policy.ts";
import { termsOf } from "../core/read-terms.ts";
import { resolveCall } from "../core/resolve-calls.ts";
import type { Bindings } from "../core/template.ts";
import { readUntilFresh } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";

/** Makes the checks of `require`; gives what was seen, and why the call can't be made where one of them isn't certainly met. */
export async function checkBefore(
  recorder: Recorder,
  rule: Rule,
  bindings: Bindings,
): Promise<{ readonly facts: readonly CheckFact[]; readonly why: string | undefined }> {
  const facts = await Promise.all((rule.require ?? []).map((check) => makeCheck(recorder, rule, check, bindings, "before")));
  const unmet = facts.filter(({ outcome }) => outcome !== "pass");
  return { facts, why: unmet.length === 0 ? undefined : `the policy requires first: ${unmet.map(checkText).join("; ")}` };
}

/** Makes the checks of `verify`. One that fails is made again after a moment: some servers answer from an index that lags. */
export function checkAfter(recorder: Recorder, rule: Rule, bindings: Bindings): Promise<readonly CheckFact[]> {
  return Promise.all((rule.verify ?? []).map((check) => makeCheck(recorder, rule, check, bindings, "after")));
}

async function makeCheck(recorder: Recorder, rule: Rule, check: Check, bindings: Bindings, when: CheckFact["when"]): Promise<CheckFact> {
  const about = { name: check.name, source: `${check.read.server}.${check.read.tool}`, when };
  const unreadable = (why: string): CheckFact => ({ ...about, outcome: "unreadable", why, saw: { state: "unreadable" } });
  const read = resolveCall(check.read, bindings);
  if (read.kind === "missing") return unreadable(`its read needs ${read.why}`);
  const expected = expectationOf(check, bindings);
  if ("why" in expected) return unreadable(expected.why);
  const words = { ...termsOf(check.read), failedWhen: rule.failedWhen };
  const pauses = when === "before" ? [] : undefined;
  const state = await readUntilFresh(recorder, read.call, words, (seen) => judgeState(seen, expected).outcome === "fail", pauses);
  return { ...about, ...judgeState(state, expected) };
}

/** What an argument leaves out would be compared with nothing, and so be met by anything. */
function expectationOf({ read, expect }: Check, bindings: Bindings): Expectation | { readonly why: string } {
  if (expect === undefined) return { kind: "absent" };
  const resolved = resolveCall({ ...read, args: expect }, { ...bindings, isWhole: true });
  if (resolved.kind === "missing") return { why: `what it expects needs ${resolved.why}` };
  const value = resolved.call.args;
  return expect.kind !== "literal" && isEmpty(value)
    ? { why: "the arguments have nothing of what it compares" }
    : { kind: "parts", value, from: expect };
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
