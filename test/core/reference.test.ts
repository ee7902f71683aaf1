// How references and paths are written, and what they find.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, parseJson } from "../../src/core/json.ts";
import { printPath, readIgnoredPath, readPath, readReference } from "../../src/core/reference.ts";
import type { PathStep } from "../../src/core/template.ts";

function reference(text: string, start = 0) {
  const read = readReference(text, start);
  if (read.kind === "invalid") throw new Error(read.reason);
  return read;
}
function reason(text: string, start = 0): string {
  const read = readReference(text, start);
  return read.kind === "invalid" ? read.reason : `read as ${JSON.stringify(read.reference)}`;
}
function find(value: Json, text: string): Json | undefined {
  const read = readPath(value, reference(text).reference.steps);
  return read.kind === "found" ? read.value : undefined;
}

describe("a reference", () => {
  test("has a namespace and steps", () => {
    expect(reference("$.a.b[0].c[].d").reference).toEqual({
      namespace: "args",
      text: "$.a.b[0].c[].d",
      steps: [
        { kind: "member", name: "a" },
        { kind: "member", name: "b" },
        { kind: "index", index: 0 },
        { kind: "member", name: "c" },
        { kind: "each" },
        { kind: "member", name: "d" },
      ],
    });
    expect(reference("$snapshot").reference).toEqual({ namespace: "snapshot", text: "$snapshot", steps: [] });
    expect(reference("$").reference).toEqual({ namespace: "args", text: "$", steps: [] });
    expect(reference("$result[0]").reference.steps).toEqual([{ kind: "index", index: 0 }]);
  });

  test("names members with letters of any language, digits, - and _, and any other in quotes", () => {
    expect(reference('$.content-type.größe._x["Due Date"]').reference.steps.map((step) => step.kind === "member" && step.name)).toEqual([
      "content-type",
      "größe",
      "_x",
      "Due Date",
    ]);
  });

  test("ends before a full stop in running text, and nowhere else", () => {
    expect(reference("Hello $.name.", 6).end).toBe(12);
    expect(reference("$.name. Bye").end).toBe(6);
    expect(reason("$.name.")).toContain("empty segment after `$.name.`");
  });

  test("that is wrong is explained", () => {
    expect(reason("$snap.value")).toContain(
      "unknown reference `$snap.value`; expected `$.`, `$snapshot`, `$current` or `$result`: did you mean `$snapshot`?",
    );
    expect(reason("$items.x")).toContain("did you mean `$item`?");
    expect(reason("$constructor.x")).toContain("unknown reference");
    expect(reason("$snapshot..value")).toContain("empty segment after `$snapshot.`");
    expect(reason("$snapshot.")).toContain("empty segment");
    expect(reason("$snapshot.value[")).toContain("unclosed bracket");
    expect(reason("$.a[-1]")).toContain("is no position");
    expect(reason("$.a[01]")).toContain("is no position");
    expect(reason("$.a[0]b")).toContain("a dot is missing");
    expect(reason("$.items[id]")).toContain("`[id]` is no position; write `[0]`, `[]` for every element, `[id=$.id]` for one");
    expect(reason("costs $ 5", 6)).toContain("write `$$` for a dollar");
    expect(reason("$5")).toContain("write `$$` for a dollar");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a manifest's variable
    expect(reason("${HOME}")).toContain("of servers only");
  });
});

describe("a path finds", () => {
  const value = parseJson('{"a":{"b":[{"c":1},{"c":2}]},"id":12345678901234567890,"n":null,"__proto__":{"x":1}}');

  test("members, positions, and every element", () => {
    expect(find(value, "$.a.b[1].c")).toBe(2);
    expect(find(value, "$.a.b[].c")).toEqual([1, 2]);
    expect(find(value, "$.n")).toBe(null);
    expect(JSON.stringify(find(value, "$.id"))).toBe("12345678901234567890");
    expect(find([[[1], [2]], [[3]]], "$[][]")).toEqual([[[1], [2]], [[3]]]);
  });

  test("nothing where one element lacks the rest, a position is past the end, or a list is asked for a member", () => {
    expect(find({ list: [{ c: 1 }, {}] }, "$.list[].c")).toBeUndefined();
    expect(find({ list: [1] }, "$.list[1]")).toBeUndefined();
    expect(find({ list: [1] }, "$.list.length")).toBeUndefined();
    expect(find("text", "$.length")).toBeUndefined();
    expect(find({ list: [] }, "$.list[].c")).toEqual([]);
  });

  test("own members only: __proto__ and constructor are ordinary names", () => {
    expect(find(value, "$.__proto__.x")).toBe(1);
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) expect(find({}, `$.${name}`)).toBeUndefined();
    expect(find(parseJson("12345678901234567890"), "$.rawJSON")).toBeUndefined();
  });

  test("whatever was printed as a path reads back as the same path", () => {
    const step: fc.Arbitrary<PathStep> = fc.oneof(
      fc.string().map((name) => ({ kind: "member" as const, name })),
      fc.nat({ max: 999 }).map((index) => ({ kind: "index" as const, index })),
      fc.constant({ kind: "each" as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), (steps) => {
        const read = readIgnoredPath(printPath(steps));
        expect(read.kind === "reference" ? read.reference.steps : read.reason).toEqual(steps);
      }),
    );
  });
});

test("a path to ignore is written without a dollar", () => {
  const read = readIgnoredPath("items[].etag");
  expect(read.kind === "reference" && read.reference.steps).toEqual([
    { kind: "member", name: "items" },
    { kind: "each" },
    { kind: "member", name: "etag" },
  ]);
  const wrong = (text: string) => {
    const reading = readIgnoredPath(text);
    return reading.kind === "invalid" ? reading.reason : "read";
  };
  expect(wrong("$.updated_at")).toContain("without `$`");
  expect(wrong("a..b")).toContain("empty segment");
  expect(wrong("a b")).toContain("unexpected ` b`");
  expect(wrong(".a")).toContain("expected a name");
});
