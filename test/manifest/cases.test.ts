// What does a rule say that depends on an argument, or on what was there? Its cases and variants are whole rules; what is wrong with one has its place.
import { describe, expect, test } from "bun:test";
import { governingFor, ruleWhen } from "../../src/core/cases.ts";
import type { Rule } from "../../src/core/policy.ts";
import { HEAD, marked, policyOf, problemsOfRule } from "./texts.ts";

const SNAPSHOT = "snapshot: { tool: kv.get, args: { key: $.key }, absent_when: none }";
const INVERSE = "inverse: { tool: kv.set, args: { key: $.key, value: $snapshot.value } }";
const REMOVE = "inverse: { tool: kv.drop, args: { key: $.key } }";

function governing(rules: string, args: object): Rule {
  const rule = governingFor(policyOf(HEAD + rules), "kv", "do", args as never);
  if (rule === "unmentioned") throw new Error("no rule governs");
  return rule;
}

describe("a rule with cases", () => {
  const rules = `
  - match: kv.do
    by: $.method
    failed_when: "Error: *"
    ${SNAPSHOT}
    cases:
      get: { class: readonly }
      set: { class: reversible, ${INVERSE} }
      drop: { class: irreversible, gate: never, undo: { remedy: ask } }
      "1": { class: readonly }
      "true": { class: readonly }
      constructor: { class: readonly }
`;

  test("is the rule of the value; the case has what stands beside `by` as well", () => {
    const set = governing(rules, { method: "set" });
    expect(set).toMatchObject({ match: "kv.do", case: "set", class: "reversible", gate: "never", failedWhen: ["Error: *"] });
    expect([set.snapshot, set.inverse]).toMatchObject([{ tool: "get" }, [{ tool: "set" }]]);
    expect(governing(rules, { method: "drop" })).toMatchObject({ class: "irreversible", gate: "never", undo: { remedy: "ask" } });
  });

  test("P5: a value without a case, none at all, or one that only looks like a case is irreversible and held", () => {
    for (const method of [undefined, "SET", "set ", "", "toString", "__proto__", null, ["set"], { set: 1 }, "true", "1", "1.0", 1.5, false])
      expect(governing(rules, method === undefined ? {} : { method })).toMatchObject({
        class: "irreversible",
        gate: "always",
        match: "kv.do",
      });
    for (const [method, name] of [
      [true, "true"],
      [1, "1"],
      ["constructor", "constructor"],
    ])
      expect(governing(rules, { method })).toMatchObject({ case: name, class: "readonly" });
  });

  test("P6: an approval of one case is none of another, nor of the rule", () => {
    const digests = ["set", "drop", "get", "other"].map((method) => governing(rules, { method }).digest);
    expect(new Set(digests).size).toBe(4);
  });
});

describe("a rule that depends on what was there", () => {
  const rules = `
  - match: kv.do
    class: reversible
    gate: never
    ${SNAPSHOT}
    ${INVERSE}
    undo: { within: 7d, remedy: ask }
    when_absent: { class: compensable, ${REMOVE} }
    when_present: { class: irreversible }
`;

  test("is whole either way, and has no way back where its class has none", () => {
    const rule = governing(rules, {});
    const [absent, present] = [ruleWhen(rule, "absent"), ruleWhen(rule, "present")];
    expect(absent).toMatchObject({ class: "compensable", gate: "never", when: "absent", match: "kv.do", undo: { remedy: "ask" } });
    expect(absent.snapshot).toMatchObject({ tool: "get" });
    expect(present).toMatchObject({ class: "irreversible", when: "present", undo: { remedy: "ask" } });
    expect(present.inverse).toBeUndefined();
    expect(new Set([rule, absent, present].map(({ digest }) => digest)).size).toBe(3);
  });

  test("P5: what becomes irreversible isn't let through by a gate that was meant for something else", () => {
    expect(ruleWhen(governing(rules, {}), "present").gate).toBe("always");
  });

  test("may stand in a case", () => {
    const inCase = `\n  - match: kv.do\n    by: $.m\n    cases: { a: { class: reversible, ${SNAPSHOT}, ${INVERSE}, when_absent: { ${REMOVE} } } }\n`;
    expect(ruleWhen(governing(inCase, { m: "a" }), "absent")).toMatchObject({ case: "a", when: "absent", class: "reversible" });
  });
});

const WRONG: Readonly<Record<string, readonly [string, string]>> = {
  "cases without by": ["  - { match: kv.do, ¦cases: { a: { class: readonly } } }", "`cases` needs `by`"],
  "by without cases": ["  - { match: kv.do, ¦by: $.m }", "`by` needs `cases`"],
  "no case": ["  - { match: kv.do, by: $.m, ¦cases: {} }", "`cases` must not be empty"],
  "a class beside by": [
    "  - { match: kv.do, by: $.m, ¦class: readonly, cases: { a: { class: readonly } } }",
    "`class` stands in each case",
  ],
  "a case without a class": ["  - { match: kv.do, by: $.m, cases: { a: ¦{ gate: never } } }", "`class` is missing in a case"],
  "a rule without a class": ["  - ¦{ match: kv.do }", "`class` is missing in a rule"],
  "by what isn't an argument": ["  - { match: kv.do, by: ¦$result.m, cases: { a: { class: readonly } } }", "must be one argument"],
  "by every element": ['  - { match: kv.do, by: ¦"$.m[]", cases: { a: { class: readonly } } }', "must be one argument"],
  "by a text": ["  - { match: kv.do, by: ¦method, cases: { a: { class: readonly } } }", "must be one argument"],
  "by a broken reference": ["  - { match: kv.do, by: ¦$.m., cases: { a: { class: readonly } } }", "empty segment"],
  "a case with a pattern": [
    "  - { match: kv.do, by: $.m, cases: { a: { class: readonly, ¦match: kv.x } } }",
    "unknown key `match` in a case",
  ],
  "a case without its inverse": ["  - { match: kv.do, by: $.m, cases: { a: ¦{ class: reversible } } }", "needs an `inverse`"],
  "an inherited fault once": [
    "  - { match: kv.do, by: $.m, ignore: [¦$x], cases: { a: { class: readonly }, b: { class: readonly } } }",
    "without `$`",
  ],
  "a variant without a snapshot": ["  - { match: kv.do, class: irreversible, ¦when_absent: { gate: never } }", "declares no `snapshot`"],
  "a variant of a read": [
    `  - { match: kv.do, class: readonly, ${SNAPSHOT}, ¦when_absent: { class: irreversible } }`,
    "must not have `when_absent`",
  ],
  "a variant that is a read": [
    `  - { match: kv.do, class: irreversible, ${SNAPSHOT}, when_absent: { class: ¦readonly } }`,
    "can't make a change a read",
  ],
  "a variant with a snapshot": [
    `  - { match: kv.do, class: irreversible, ${SNAPSHOT}, when_absent: { ¦snapshot: { tool: kv.get } } }`,
    "unknown key `snapshot`",
  ],
  "a variant that reads what isn't there": [
    `  - { match: kv.do, class: irreversible, ${SNAPSHOT}, when_absent: { class: reversible, inverse: { tool: kv.set, args: { v: ¦$snapshot.value } } } }`,
    "nothing is there",
  ],
};

for (const [what, [rule, message]] of Object.entries(WRONG)) {
  test(`${what}: said with its place`, () => {
    const { place, text } = marked(rule);
    const problems = problemsOfRule(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(`${place}: `);
    expect(problems[0]).toContain(message);
  });
}
