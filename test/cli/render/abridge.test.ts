// What does a person see of a call that is too long to be read? Every member by its name, and how much isn't shown.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { abridge } from "../../../src/cli/render/abridge.ts";
import type { Json } from "../../../src/core/json.ts";

test("what is short enough is shown whole", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value, null, 2);
      expect(abridge(value as Json, text.length)).toEqual({ text, left: 0 });
    }),
  );
});

test("P6: a long text pushes no recipient out of sight, wherever that stands, and what isn't shown is counted", () => {
  const { text, left } = abridge({ body: "x".repeat(1_000_000), mail: { html: "y".repeat(500_000), to: "eve@example.com" }, cc: ["bob"] });
  expect(text.length).toBeLessThan(21_000);
  for (const part of ['"body": "xxx', '"mail": {', '"html": "yyy', '"to": "eve@example.com"', '"bob"']) expect(text).toContain(part);
  const told = [...text.matchAll(/… ([\d,]+) more characters/g)].map(([, count = ""]) => Number(count.replaceAll(",", "")));
  expect(told).toHaveLength(2);
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(left);
  const shown = [...text.matchAll(/[xy]{10,}/g)].reduce((sum, [run]) => sum + run.length, 0);
  expect(shown + left).toBe(1_500_000);
});

test("of too many members the first are shown, with the number of the others", () => {
  const { text, left } = abridge(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`name${at}`, at])));
  expect(text).toContain('"name0": 0');
  expect(text).toMatch(/… 9,500 more members\n}$/);
  expect(left).toBeGreaterThan(9_500 * 10);
});

test("whatever the value is, about so much is shown", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 12 }), (value) => abridge(value as Json, 100).text.length < 4000));
});
