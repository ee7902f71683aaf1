// What of a policy is there to prove? Rules that are undone, by case and by what was there, for each tool that they govern.
import { expect, test } from "bun:test";
import { drillTools, partFor } from "../../src/core/drill-parts.ts";
import { HEAD, policyOf } from "../manifest/texts.ts";

const REMOVE = "class: compensable, inverse: { tool: kv.drop }";
const partsOf = (rules: string, ...tools: string[]) =>
  drillTools(policyOf(HEAD + rules), "kv", tools).map(({ tool, parts }) => [tool, parts.map(({ rule }) => [rule.case, rule.when])]);

test("reads, what nothing undoes and what no rule mentions are nothing to prove", () => {
  const rules = `
  - { match: kv.get, class: readonly }
  - { match: kv.send, class: irreversible }
  - { match: kv.add*, ${REMOVE} }
`;
  expect(partsOf(rules, "get", "send", "add", "add_two", "other")).toEqual([
    ["add", [[undefined, undefined]]],
    ["add_two", [[undefined, undefined]]],
  ]);
});

test("each case is proven for itself, and so is what depends on what was there", () => {
  const rules = `
  - match: kv.do
    by: $.method
    snapshot: { tool: kv.get, args: { key: $.key }, absent_when: none }
    cases:
      set: { ${REMOVE}, when_absent: { class: irreversible } }
      put: { ${REMOVE}, when_absent: { ${REMOVE} } }
      both: { class: irreversible, when_absent: { ${REMOVE} }, when_present: { ${REMOVE} } }
      send: { class: irreversible }
`;
  const expected = [
    ["set", undefined],
    ["put", undefined],
    ["put", "absent"],
    ["both", "absent"],
    ["both", "present"],
  ];
  expect(partsOf(rules, "do")).toEqual([["do", expected]] as never);
  const [{ parts } = { parts: [] }] = drillTools(policyOf(HEAD + rules), "kv", ["do"]);
  expect(partFor(parts, { case: "put", when: "absent" })?.rule).toMatchObject({ case: "put", when: "absent" });
  expect(partFor(parts, { case: "set", when: "absent" })).toBeUndefined();
});

test("the samples are those of the rule, then those of its cases", () => {
  const rules = `
  - match: kv.do
    by: $.method
    drill: [{ args: { method: set, n: 1 } }]
    cases:
      set: { ${REMOVE}, drill: [{ args: { method: set, n: 2 } }] }
      put: { ${REMOVE} }
`;
  const [tool] = drillTools(policyOf(HEAD + rules), "kv", ["do"]);
  expect(tool?.samples.map(({ args }) => args)).toMatchObject([{ value: { n: 1 } }, { value: { n: 2 } }]);
  expect(tool?.bases.map((base) => base.case)).toEqual(["set", "put"]);
});
