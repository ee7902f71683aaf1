// What may a rule hide? Nothing that it needs itself.
import { expect, test } from "bun:test";
import { HEAD, marked, policyOf, problemsOfRule } from "./texts.ts";

const SNAPSHOT = "snapshot: { tool: kv.get, args: { key: $.key } }";

test("a rule names what is hidden in arguments, result and state; its cases and variants hide it too, and so does a call without a case", () => {
  const [rule] = policyOf(
    `${HEAD}  - { match: kv.do, by: $.m, ${SNAPSHOT}, redact: [$.password, $snapshot.hash], cases: { a: { class: irreversible, when_absent: { gate: never } } } }\n`,
  ).rules;
  const a = rule?.cases?.rules.get("a");
  for (const part of [rule, a, a?.whenAbsent]) expect(part?.redact).toEqual(["$.password", "$snapshot.hash"]);
});

const INVERSE = "class: compensable, inverse: { tool: kv.set, args: ";
const WRONG: Readonly<Record<string, readonly [string, string]>> = {
  "no path": ["  - { match: kv.do, class: readonly, redact: [¦password] }", "by its path, like `$.password`"],
  "more than a path": ['  - { match: kv.do, class: readonly, redact: [¦"$.a and more"] }', "by its path"],
  "a broken path": ["  - { match: kv.do, class: readonly, redact: [¦$.a..b] }", "empty segment"],
  "a state that isn't read": ["  - { match: kv.do, class: readonly, redact: [¦$snapshot.a] }", "declares no `snapshot`"],
  "the present state": [`  - { match: kv.do, class: irreversible, ${SNAPSHOT}, redact: [¦$current.a] }`, "the path in `$snapshot`"],
  "the whole state": [`  - { match: kv.do, class: irreversible, ${SNAPSHOT}, redact: [¦$snapshot] }`, "as a whole can't be hidden"],
  "what the inverse needs": [`  - { match: kv.do, redact: [¦$.a], ${INVERSE}{ b: $.a } } }`, "the inverse needs it"],
  "what the inverse needs a part of": [`  - { match: kv.do, redact: [¦$.a], ${INVERSE}{ b: $.a.c } } }`, "the inverse needs it"],
  "what the inverse needs with all the rest": [`  - { match: kv.do, redact: [¦$.a], ${INVERSE}$ } }`, "the inverse needs it"],
  "a result that the inverse needs": [
    `  - { match: kv.do, redact: [¦$result.a], ${INVERSE}{ b: "x $result.a" } } }`,
    "the inverse needs it",
  ],
  "a state that the inverse needs": [
    `  - { match: kv.do, redact: [¦$snapshot.a], ${SNAPSHOT}, ${INVERSE}{ b: $current.a } } }`,
    "the inverse needs it",
  ],
  "what the snapshot needs": [`  - { match: kv.do, class: irreversible, redact: [¦$.key], ${SNAPSHOT} }`, "the snapshot needs it"],
  "what the resource needs": ["  - { match: kv.do, class: irreversible, redact: [¦$.a], resource: x:$.a }", "`resource` needs it"],
};

for (const [what, [rule, message]] of Object.entries(WRONG)) {
  test(`P7: ${what}: said with its place`, () => {
    const { place, text } = marked(rule);
    const [problem, ...others] = problemsOfRule(text);
    expect(others).toEqual([]);
    expect(problem).toStartWith(`${place}: `);
    expect(problem).toContain(message);
  });
}
