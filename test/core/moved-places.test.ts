// Which places of a listing does an undo leave otherwise, and what moves by itself?
import { expect, test } from "bun:test";
import type { Json } from "../../src/core/json.ts";
import { movedPlaces } from "../../src/core/moved-places.ts";

const NONE = new Set<string>();
const moved = (before: Json, left: Json, after: Json, { first = before, ignored = NONE }: { first?: Json; ignored?: Set<string> } = {}) =>
  movedPlaces({ first, before, left, after }, ignored);

test("the order of a list, or of lines, means nothing", () => {
  expect(moved([{ id: 1 }, { id: 2 }], [{ id: 2 }], [{ id: 2 }, { id: 1 }])).toEqual([]);
  expect(moved("a\nb", "b", "b\na")).toEqual([]);
});

test("what is lost and what is left over is told, each as often as it is", () => {
  expect(moved({ rows: [1, 1, 2] }, { rows: [1, 1, 2, 3] }, { rows: [1, 2, 3] })).toEqual([{ path: "rows", before: [1], after: [3] }]);
  expect(moved({ a: "x" }, { a: "x", b: "y" }, { b: "y" })).toEqual([
    { path: "a", before: "x", after: undefined },
    { path: "b", before: undefined, after: "y" },
  ]);
  expect(moved("v1", "v2", "v2")).toEqual([{ path: "", before: "v1", after: "v2" }]);
});

test("what differs between two looks before the call counts for nothing", () => {
  expect(moved({ n: "2", rows: ["a"] }, { n: "3", rows: [] }, { n: "3", rows: [] }, { first: { n: "1", rows: ["a"] } })).toEqual([
    { path: "rows", before: ["a"], after: undefined },
  ]);
});

test("times, sizes, a version and a log that move with the calls aren't held against them; a thing that stays is", () => {
  expect(
    moved(
      { at: "Mon Nov 30 2026 14:50:05 GMT", size: 1 },
      { at: "Mon Nov 30 2026 14:50:06 GMT", size: 2 },
      { at: "Mon Nov 30 2026 14:50:06 GMT", size: 2 },
    ),
  ).toEqual([]);
  expect(moved("a 2026-11-30T14:50:05.123Z\nb", "b", "b\na 2026-11-30T14:50:06Z")).toEqual([]);
  expect(moved({ version: "r1" }, { version: "r2" }, { version: "r3" })).toEqual([]);
  expect(moved(["made"], ["made", "called"], ["made", "called", "undone"])).toEqual([]);
  expect(moved(["made"], ["made", "new"], ["made", "new"])).toEqual([{ path: "", before: undefined, after: ["new"] }]);
});

test("members that the rule ignores are passed over, in records of a list too", () => {
  const ignored = new Set(["updated_at"]);
  expect(moved([{ id: 1, updated_at: 1 }], [{ id: 2, updated_at: 2 }], [{ id: 1, updated_at: 3 }], { ignored })).toEqual([]);
});
