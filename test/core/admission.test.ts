// Which calls pass, which wait for a person, which are refused? Every combination of facts, and what an approval is bound to.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type AdmissionFacts, callKeyOf, decideAdmission, tooManyItems } from "../../src/core/admission.ts";
import type { Json } from "../../src/core/json.ts";
import type { Rule } from "../../src/core/policy.ts";
import { ACTION_CLASSES, GATES } from "../../src/core/vocabulary.ts";
import { HEAD, policyOf } from "../manifest/texts.ts";

function rule(facts: Partial<Rule> = {}): Rule {
  const position = { line: 1, column: 1 };
  return { match: "s.t", class: "reversible", gate: "never", ignore: [], failedWhen: [], position, digest: "digest", ...facts };
}
function decide(facts: Partial<AdmissionFacts>) {
  return decideAdmission({
    governing: rule(),
    listed: true,
    ambiguous: false,
    approved: false,
    presence: undefined,
    scopes: [],
    policy: {},
    ...facts,
  });
}

test("P5: a tool that no rule mentions is held; one that the server doesn't list as well", () => {
  expect(decide({ governing: "unmentioned" })).toEqual({ kind: "hold", reason: "unmentioned" });
  expect(decide({ governing: "unmentioned", listed: false })).toEqual({ kind: "hold", reason: "tool-unlisted" });
});

test("a tool that a rule allows passes, even where the server doesn't list it: its own error is the answer", () => {
  expect(decide({ listed: false })).toEqual({ kind: "allow" });
});

test.each(ACTION_CLASSES)("a gate holds whatever the class: %s", (kind) => {
  expect(decide({ governing: rule({ class: kind, gate: "always" }) })).toEqual({ kind: "hold", reason: "gate-always" });
  expect(decide({ governing: rule({ class: kind, gate: "on_write" }) })).toEqual({ kind: "hold", reason: "on-write" });
  expect(decide({ governing: rule({ class: kind, gate: "never" }) })).toEqual({ kind: "allow" });
});

test("P3: where nothing was there to capture, a reversible call waits for a person, and no other", () => {
  for (const kind of ACTION_CLASSES) {
    const expected = kind === "reversible" ? { kind: "hold", reason: "state-absent" } : { kind: "allow" };
    expect(decide({ governing: rule({ class: kind }), presence: "absent" })).toEqual(expected as never);
  }
});

const facts = fc.record({
  scopes: fc.constant([]),
  policy: fc.constant({}),
  governing: fc.oneof(
    fc.constant("unmentioned" as const),
    fc.record({ class: fc.constantFrom(...ACTION_CLASSES), gate: fc.constantFrom(...GATES) }).map(rule),
  ),
  listed: fc.boolean(),
  ambiguous: fc.boolean(),
  approved: fc.boolean(),
  presence: fc.constantFrom(undefined, "present" as const, "absent" as const),
});

test("P6: an approval answers every hold and changes nothing else; an ambiguous call is denied in spite of one", () => {
  fc.assert(
    fc.property(facts, (given) => {
      const decision = decideAdmission(given);
      if (given.ambiguous) return expect(decision).toEqual({ kind: "deny", reason: "ambiguous-call" });
      const unapproved = decideAdmission({ ...given, approved: false });
      expect(unapproved.kind).not.toBe("deny");
      expect(decision).toEqual(given.approved ? { kind: "allow" } : unapproved);
    }),
  );
});

test("P5: without an approval, an unmentioned tool never passes", () => {
  fc.assert(
    fc.property(facts, (given) => {
      expect(decideAdmission({ ...given, governing: "unmentioned", approved: false }).kind).not.toBe("allow");
    }),
  );
});

test("P6: an approval is bound to server, tool, exact arguments and rule; the order of members doesn't count", () => {
  const key = callKeyOf("s", "t", { a: 1, b: [1, 2] }, rule());
  expect(callKeyOf("s", "t", { b: [1, 2], a: 1 }, rule())).toBe(key);
  const others = [
    callKeyOf("x", "t", { a: 1, b: [1, 2] }, rule()),
    callKeyOf("s", "x", { a: 1, b: [1, 2] }, rule()),
    callKeyOf("s", "t", { a: 1, b: [2, 1] }, rule()),
    callKeyOf("s", "t", { a: "1", b: [1, 2] }, rule()),
    callKeyOf("s", "t", { a: 1, b: [1, 2], c: null }, rule()),
    callKeyOf("s", "t", { a: 1, b: [1, 2] }, rule({ digest: "another" })),
    callKeyOf("s", "t", { a: 1, b: [1, 2] }, "unmentioned"),
  ];
  expect(new Set([key, ...others]).size).toBe(others.length + 1);
});

test("P6: server and tool can't be shifted into each other", () => {
  expect(callKeyOf("a", "b.c", {}, "unmentioned")).not.toBe(callKeyOf("a.b", "c", {}, "unmentioned"));
});

test("P5: what can't be counted, in the place of a list or on the way to it, is beyond a limit on its elements", () => {
  const [rule = "unmentioned"] = policyOf(
    `${HEAD}  - { match: kv.do, class: irreversible, gate: never, limits: { items: { path: "$.order.lines", max: 2 } } }\n`,
  ).rules;
  const beyond: readonly Json[] = ["[1,2,3]", { 0: 1, 1: 2, 2: 3 }, 3, null].map((lines) => ({ order: { lines } }));
  for (const args of [...beyond, { order: '{"lines":[1,2,3]}' }, { order: [{ lines: [1, 2, 3] }] }])
    expect(tooManyItems(rule, args)).toBe("$.order.lines is no list, and 2 elements of one are let through");
  expect(tooManyItems(rule, { order: { lines: [1, 2, 3] } })).toContain("has 3 elements, and 2 are let through");
  for (const args of [{}, { order: {} }, { order: { lines: [1, 2] } }]) expect(tooManyItems(rule, args)).toBeUndefined();
});
