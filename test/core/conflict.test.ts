// Which rows does a conflict table have? Only where somebody changed what the agent left, with what was there before.
import { expect, test } from "bun:test";
import { conflictsOf } from "../../src/core/conflict.ts";
import { readIgnoredPath } from "../../src/core/reference.ts";
import { ABSENT, present, UNREADABLE } from "./plan-actions.ts";

test("each field that differs from what the agent left is a row, nested ones by their path", () => {
  const before = present({ a: 1, items: [{ n: "x" }], same: true });
  const left = present({ a: 2, items: [{ n: "y" }], same: true });
  expect(conflictsOf(before, left, present({ a: 2, items: [{ n: "z" }], same: true, added: 0 }), [])).toEqual([
    { path: "items[0].n", before: "x", left: "y", now: "z" },
    { path: "added", before: undefined, left: undefined, now: 0 },
  ]);
});

test("an ignored path is no row", () => {
  const reading = readIgnoredPath("at");
  if (reading.kind !== "reference") throw new Error(reading.reason);
  expect(conflictsOf(undefined, present({ at: 1 }), present({ at: 2 }), [reading.reference])).toEqual([]);
});

test("where one side isn't there the whole value is one row", () => {
  expect(conflictsOf(present("old"), present("new"), ABSENT, [])).toEqual([{ path: "", before: "old", left: "new", now: undefined }]);
  expect(conflictsOf(present("old"), undefined, present("now"), [])).toEqual([{ path: "", before: "old", left: undefined, now: "now" }]);
  expect(conflictsOf(ABSENT, ABSENT, present("now"), [])).toEqual([{ path: "", before: undefined, left: undefined, now: "now" }]);
  expect(conflictsOf(UNREADABLE, present("new"), UNREADABLE, [])).toEqual([{ path: "", before: undefined, left: "new", now: undefined }]);
});

test("a field of which nothing is known beforehand has no prior value", () => {
  expect(conflictsOf(ABSENT, present({ a: 1 }), present({ a: 2 }), [])).toEqual([{ path: "a", before: undefined, left: 1, now: 2 }]);
});
