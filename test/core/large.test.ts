import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson, type Json, parseJson } from "../../src/core/json.ts";
import { eachCanonicalPart } from "../../src/core/large.ts";

const VALUES = fc.jsonValue({ stringUnit: "binary" }).map((value) => parseJson(JSON.stringify(value)));

function partsOf(value: Json, part: number): string[] {
  const parts: string[] = [];
  eachCanonicalPart(value, (text) => parts.push(text), part);
  return parts;
}

test("the parts of a value are its canonical JSON, wherever its texts are cut", () => {
  fc.assert(
    fc.property(VALUES, fc.integer({ min: 1, max: 5 }), (value, part) => partsOf(value, part).join("") === canonicalJson(value)),
    { numRuns: 500 },
  );
});

test("lone surrogates, pairs at a cut and numbers with their own digits come out as in one piece", () => {
  for (const text of [
    '"a\\ud83d\\ude00b\\ud83d"',
    '["\\ud83d\\ud83d\\ude00",12345678901234567890,1.0]',
    '{"\\ud83d\\ude00":"\\udc00\\ud800"}',
  ]) {
    const value = parseJson(text);
    for (let part = 1; part < 6; part++) expect(partsOf(value, part).join("")).toBe(canonicalJson(value));
  }
});
