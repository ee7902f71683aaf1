// What is done with an action that several calls put back, when some of them are done, or one was cut off? Nothing is sent again that may have
// happened, and nobody's newer work is taken for what an undo did.
import { expect, test } from "bun:test";
import type { Json } from "../../src/core/json.ts";
import type { PlanAction, WayBack } from "../../src/core/plan-step.ts";
import type { InverseTemplate } from "../../src/core/rule-record.ts";
import type { State } from "../../src/core/state.ts";
import { ABSENT, judgeStep, present, write } from "./plan-actions.ts";

const stepsTo = (name: string) => [{ kind: "member", name } as const];
const writing = (name: string): InverseTemplate => ({
  server: "notes",
  tool: `set-${name}`,
  args: { kind: "reference", reference: { namespace: "snapshot", steps: stepsTo(name), text: `$snapshot.${name}` } },
});
const NAMES = ["a", "b", "c"];
const BEFORE = { a: 1, b: 2, c: 3 };
const WAY_BACK: WayBack = { templates: NAMES.map(writing), args: {}, result: undefined };
const sends = (name: string, args: Json) => ({ server: "notes", tool: `set-${name}`, args });
const CALLS = Object.entries(BEFORE).map(([name, value]) => sends(name, value));

/** A change of a, b and c to nines, which three calls put back. */
function change(facts: Partial<PlanAction> = {}): PlanAction {
  return write({
    rules: { ignore: [], sets: [], identity: [], relevant: NAMES.map(stepsTo) },
    before: present(BEFORE),
    left: present({ a: 9, b: 9, c: 9 }),
    inverse: CALLS,
    wayBack: WAY_BACK,
    ...facts,
  });
}

/** The same, of which one call is done; `left` is what that left. */
const partly = (facts: Partial<PlanAction> = {}) => change({ status: "stuck", done: 1, left: present({ a: 1, b: 9, c: 9 }), ...facts });
const cutOff = { status: "undoing", interrupted: true } as const;

type Case = [string, PlanAction, State, string, string, readonly object[] | undefined];
const CASES: Case[] = [
  ["as the agent left it, all are sent", change(), present({ a: 9, b: 9, c: 9 }), "restore", "as-left", CALLS],
  ["of what is partly done the rest is sent", partly(), present({ a: 1, b: 9, c: 9 }), "restore", "as-left", CALLS.slice(1)],
  ["what somebody put back besides needs nothing", partly(), present(BEFORE), "done", "as-before", undefined],
  ["what was put back and changed since stays", partly(), present({ a: 7, b: 9, c: 9 }), "merge", "beside-others", CALLS.slice(1)],
  ["what is still to come and was changed since halts", partly(), present({ a: 1, b: 7, c: 9 }), "conflict", "changed-since", undefined],
  ["what takes no call is done", change({ inverse: [] }), present({ a: 9, b: 9, c: 9 }), "done", "no-call", undefined],
  ["cut off at the first, which did nothing", change(cutOff), present({ a: 9, b: 9, c: 9 }), "restore", "as-left", CALLS],
  ["cut off at the first, which did it", change(cutOff), present({ a: 1, b: 9, c: 9 }), "merge", "beside-others", CALLS.slice(1)],
  ["cut off at the first, and somebody was at it", change(cutOff), present({ a: 7, b: 9, c: 9 }), "unknown", "undo-not-known", undefined],
  [
    "cut off at the first, and somebody was at another",
    change(cutOff),
    present({ a: 9, b: 7, c: 9 }),
    "unknown",
    "undo-not-known",
    undefined,
  ],
  ["cut off at the second, which did it", partly(cutOff), present({ a: 1, b: 2, c: 9 }), "merge", "beside-others", CALLS.slice(2)],
  [
    "cut off at the last, which did it",
    partly({ ...cutOff, done: 2, left: present({ a: 1, b: 2, c: 9 }) }),
    present(BEFORE),
    "done",
    "was-put-back",
    undefined,
  ],
  [
    "cut off at the last, which did it, and somebody was at another since",
    partly({ ...cutOff, done: 2, left: present({ a: 1, b: 2, c: 9 }) }),
    present({ a: 7, b: 2, c: 3 }),
    "done",
    "was-put-back",
    undefined,
  ],
  [
    "cut off at one that writes nothing back",
    change({ ...cutOff, wayBack: { ...WAY_BACK, templates: [{ server: "notes", tool: "tidy", args: { kind: "literal", value: {} } }] } }),
    present({ a: 9, b: 9, c: 9 }),
    "unknown",
    "undo-not-known",
    undefined,
  ],
  ["cut off, and the thing is gone", change(cutOff), ABSENT, "unknown", "undo-not-known", undefined],
  [
    "cut off at the last of some that take something away, and it is gone",
    change({ ...cutOff, class: "compensable", before: undefined, done: 2, left: present({}) }),
    ABSENT,
    "done",
    "was-put-back",
    undefined,
  ],
  [
    "cut off at the first of some that take something away, and it is gone",
    change({ ...cutOff, class: "compensable", before: undefined, left: present({}) }),
    ABSENT,
    "unknown",
    "undo-not-known",
    undefined,
  ],
];

test.each(CASES)("P3: several calls: %s", (_, action, now, kind, reason, sent) => {
  const step = judgeStep(action, now);
  expect({ kind: step.kind, reason: step.reason, sent: step.inverse }).toEqual({ kind, reason, sent } as never);
});

test("P3: what is put back beside others' changes is in all calls that write it, and is no longer asked of what is repeated and partly done", () => {
  const now = present({ a: 9, b: 9, c: 7 });
  const left = present({ a: 9, b: 9, c: 3 });
  const calls = judgeStep(change({ left }), now).inverse;
  expect(calls).toEqual([sends("a", 1), sends("b", 2), sends("c", 7)]);
  const [template] = WAY_BACK.templates;
  const forEach = { kind: "reference", reference: { namespace: "snapshot", steps: [], text: "$snapshot" } } as const;
  const wayBack = { ...WAY_BACK, templates: template === undefined ? [] : [{ ...template, forEach }] };
  expect(judgeStep(change({ left, done: 1, wayBack }), now)).toMatchObject({ kind: "conflict", reason: "not-mergeable" });
});

test("P3: put back over what others changed by a person's choice, only the calls are sent that aren't done", () => {
  const step = judgeStep(partly(), present({ a: 1, b: 7, c: 9 }), { overwrite: true });
  expect(step).toMatchObject({ kind: "restore", reason: "overwriting", inverse: CALLS.slice(1), done: 1 });
});
