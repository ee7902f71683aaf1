// When does a check hold? Where everything that it expects is there, whatever is there besides; what can't be compared is never a pass.
import { expect, test } from "bun:test";
import { type CheckFact, type Expectation, judgeState, verificationOf } from "../../src/core/checks.ts";
import { compileTemplate } from "../../src/core/compile-template.ts";
import { isJsonObject, type Json, parseJson } from "../../src/core/json.ts";
import type { State } from "../../src/core/state.ts";
import { resolve } from "../../src/core/template.ts";
import type { CheckOutcome } from "../../src/core/vocabulary.ts";

const parts = (value: Json): Expectation => ({ kind: "parts", value });
const present = (value: Json): State => ({ kind: "present", value });

const MET: [found: Json, expected: Json][] = [
  [{ status: "booked", id: 4 }, { status: "booked" }],
  [{ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1 } }],
  [
    [
      { id: 1, at: "now" },
      { id: 2, at: "then" },
    ],
    [{ id: 1 }, { id: 2 }],
  ],
  ["OK", "OK"],
  [{ n: 1 }, parseJson('{"n":1.0}')],
  [{ gone: null }, { gone: null }],
  [[], []],
];

test.each(MET)("%j has what %j expects", (found, expected) => {
  expect(judgeState(present(found), parts(expected))).toEqual({ outcome: "pass", why: null, saw: { state: "present", value: found } });
});

const UNMET: [found: Json, expected: Json, why: string][] = [
  [{ status: "open" }, { status: "booked" }, 'status is "open", not "booked"'],
  [{}, { status: "booked" }, `status isn't there, expected "booked"`],
  [{ n: 1 }, { n: "1" }, 'n is 1, not "1"'],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, "a.c isn't there, expected 2"],
  [[1, 2], [1], "[1] is 2, expected nothing there"],
  [[1], [1, 2], "[1] isn't there, expected 2"],
  [[2, 1], [1, 2], "[0] is 2, not 1; [1] is 1, not 2"],
  ["Error: no", { status: "booked" }, 'it is "Error: no", not {"status":"booked"}'],
  [{ gone: 1 }, { gone: null }, "gone is 1, not null"],
  [parseJson('{"id":9007199254740993}'), parseJson('{"id":9007199254740992}'), "id is 9007199254740993, not 9007199254740992"],
];

test.each(UNMET)("%j hasn't what %j expects", (found, expected, why) => {
  expect(judgeState(present(found), parts(expected))).toMatchObject({ outcome: "fail", why });
});

test("what is gone meets only the expectation that it is", () => {
  expect(judgeState({ kind: "absent" }, { kind: "absent" })).toEqual({ outcome: "pass", why: null, saw: { state: "absent" } });
  expect(judgeState(present({}), { kind: "absent" })).toMatchObject({ outcome: "fail", why: "it is there" });
  expect(judgeState({ kind: "absent" }, parts({ a: 1 }))).toMatchObject({ outcome: "fail", why: "nothing is there" });
});

test("P4: what couldn't be read is neither a pass nor a fail, whatever is expected", () => {
  const state: State = { kind: "unreadable", cause: "failed", why: "no answer" };
  for (const expected of [parts({}), { kind: "absent" } as const])
    expect(judgeState(state, expected)).toEqual({ outcome: "unreadable", why: "no answer", saw: { state: "unreadable" } });
});

test("P4: one check that fails is a failure, only passes are verified, and everything else is inconclusive", () => {
  const facts = (outcomes: readonly CheckOutcome[]) =>
    outcomes.map((outcome): CheckFact => ({ name: "x", source: "s.t", when: "after", outcome, why: null, saw: { state: "unreadable" } }));
  expect(verificationOf(facts(["pass", "unreadable", "fail"]))).toBe("failed");
  expect(verificationOf(facts(["pass", "pass"]))).toBe("verified");
  expect(verificationOf(facts(["pass", "unreadable"]))).toBe("inconclusive");
  expect(verificationOf([])).toBe("inconclusive");
});

test("P5: what a reference gave has to be equal to what is there, and what the policy writes out only to be in it", () => {
  const owner = { name: "alice", uid: 1 };
  const cases: readonly (readonly [Json, Json])[] = [
    [{ owner: "$.it" }, owner],
    [{ owners: ["$.it"] }, [owner]],
    [{ owner: { from: "$.it", missing: {} } }, owner],
    [{ items: { for_each: "$.all[]", item: { owner: "$item" } } }, [{ owner, id: 1 }]],
    ["$.it", owner],
  ];
  for (const [expect_, there] of cases) {
    const [name] = isJsonObject(expect_) ? Object.keys(expect_) : [];
    const found = present(name === undefined ? there : { [name]: there, besides: true });
    const judged = (it: Json) => {
      const compiled = compileTemplate(expect_);
      if (compiled.kind === "invalid") throw new Error(JSON.stringify(compiled.problems));
      const resolved = resolve(compiled.template, { args: { it, all: [it] }, isWhole: true });
      if (resolved.kind === "missing") throw new Error(resolved.why);
      return judgeState(found, { kind: "parts", value: resolved.value, from: compiled.template }).outcome;
    };
    expect([judged({}), judged({ name: "alice" }), judged(owner)]).toEqual(["fail", "fail", "pass"]);
  }
});
