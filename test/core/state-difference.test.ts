// When two states are the same.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, parseJson } from "../../src/core/json.ts";
import { readIgnoredPath } from "../../src/core/reference.ts";
import { differences, sameState } from "../../src/core/state-difference.ts";
import type { Reference } from "../../src/core/template.ts";

function ignoring(...paths: string[]): readonly Reference[] {
  return paths.map((path) => {
    const read = readIgnoredPath(path);
    if (read.kind === "invalid") throw new Error(read.reason);
    return read.reference;
  });
}
const same = (a: string, b: string, ...ignored: string[]) => sameState(parseJson(a), parseJson(b), ignoring(...ignored));

describe("two states are the same", () => {
  test("whatever the order of members, and not whatever the order of a list", () => {
    expect(same('{"a":1,"b":2}', '{"b":2,"a":1}')).toBe(true);
    expect(same("[1,2]", "[2,1]")).toBe(false);
    expect(same("[1]", "[1,2]")).toBe(false);
  });

  test("where numbers have the same decimal value, to the last digit", () => {
    expect(same("[1.0,1e2,-0,0.50,12e-1]", "[1,100,0,0.5,1.2]")).toBe(true);
    expect(same("9007199254740993", "9007199254740992")).toBe(false);
    expect(same("9007199254740993", "9007199254740993.0")).toBe(true);
    expect(same("1e400", "10e399")).toBe(true);
    expect(same("1", "-1")).toBe(false);
    expect(same("1", '"1"')).toBe(false);
    expect(same("0.1", "0.10000000000000001")).toBe(false);
  });

  test("but for what is ignored", () => {
    expect(same('{"n":1,"at":"x"}', '{"n":1,"at":"y"}', "at")).toBe(true);
    expect(same('{"n":1,"at":"x"}', '{"n":1}', "at")).toBe(true);
    expect(same('{"n":1,"at":"x"}', '{"n":2,"at":"y"}', "at")).toBe(false);
    expect(same('{"items":[{"id":1,"etag":"a"}]}', '{"items":[{"id":1,"etag":"b"}]}', "items[].etag")).toBe(true);
    expect(same('{"items":[{"id":1,"etag":"a"}]}', '{"items":[{"id":1,"etag":"b"}]}', "items[1].etag")).toBe(false);
    expect(same('[{"at":1}]', '[{"at":2}]', "[].at")).toBe(true);
    expect(same('{"deep":{"at":1}}', '{"deep":{"at":2}}', "at")).toBe(false);
  });

  test("only if __proto__ is, too", () => {
    expect(same('{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}')).toBe(false);
    expect(same('{"__proto__":{"a":1}}', "{}")).toBe(false);
    expect(same('{"constructor":1}', "{}")).toBe(false);
  });

  test("as themselves, always", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => expect(sameState(value as Json, value as Json, [])).toBe(true)));
  });

  test("exactly where their JSON says so", () => {
    const small = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Json>(null, true, 0, 1, "a"),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b"), tie("value")),
      ),
    })).value;
    fc.assert(fc.property(small, small, (a, b) => expect(sameState(a, b, [])).toBe(Bun.deepEquals(a, b))));
  });
});

test("differences name the deepest place, with both values", () => {
  const left = parseJson('{"name":"Ada","tags":["x","y"],"a.b":{"c":1},"same":1}');
  const right = parseJson('{"name":"Bob","tags":["x"],"a.b":{"c":2},"same":1.0,"new":null}');
  expect(differences(left, right, []).map(({ path, left: was, right: is }) => [path, was, is])).toEqual([
    ["name", "Ada", "Bob"],
    ["tags[1]", "y", undefined],
    ['["a.b"].c', 1, 2],
    ["new", undefined, null],
  ]);
  expect(differences("a", "b", [])).toEqual([{ steps: [], path: "", left: "a", right: "b" }]);
});
