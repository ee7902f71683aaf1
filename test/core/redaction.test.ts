// Is what a rule hides gone from what is recorded, wherever it stood, and is nothing else?
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Json } from "../../src/core/json.ts";
import { hiddenIn, hiddenPaths, hidePaths, hideResult, hideTexts, holdsHidden, readsHidden, shownFor } from "../../src/core/redaction.ts";
import { readReference } from "../../src/core/reference.ts";

const at = (...redact: string[]) => hiddenPaths(redact, "args");
const SHOWN = new Map([["hunter22", "[R]"]]);

function reads(text: string, ...redact: string[]): boolean {
  const read = readReference(text, 0);
  if (read.kind === "invalid") throw new Error(read.reason);
  return readsHidden(read.reference, redact);
}

test("hides a member, one of every element, and the whole; another namespace's paths are none of its business", () => {
  const shown = new Map([
    ["x1", "[R]"],
    ["5", "[N]"],
    ['{"a":1}', "[O]"],
  ]);
  expect(hidePaths({ a: "x1", b: "x1" }, at("$.a", "$result.b"), shown)).toEqual({ a: "[R]", b: "x1" });
  expect(hidePaths({ l: [{ a: "x1" }, { b: 1 }, { a: 5 }] }, at("$.l[].a"), shown)).toEqual({ l: [{ a: "[R]" }, { b: 1 }, { a: "[N]" }] });
  expect(hidePaths({ l: [{ a: "x1" }] }, at("$.l[0].a"), shown)).toEqual({ l: [{ a: "[R]" }] });
  expect(hidePaths({ a: { a: 1 } }, at("$.a"), shown)).toEqual({ a: "[O]" });
  expect(hidePaths({ other: "x1" }, at("$.a"), shown)).toEqual({ other: "x1" });
  expect(hiddenIn({ l: [{ a: "x1" }, { a: { b: 2 } }] }, at("$.l[].a"))).toEqual(["x1", '{"b":2}']);
});

test("P7: a secret is hidden in a result's value, in the text that says the same, in other texts and in keys", () => {
  const result = {
    structuredContent: { token: "hunter22", id: 1 },
    content: [
      { type: "text", text: '{"token":"hunter22","id":1}' },
      { type: "text", text: "your token is hunter22." },
      { type: "resource", uri: "x://hunter22/a" },
    ],
    _meta: { hunter22: true },
  };
  const hidden = hideResult(result, hiddenPaths(["$result.token"], "result"), SHOWN);
  expect(JSON.stringify(hidden)).not.toContain("hunter22");
  expect(hidden).toMatchObject({
    structuredContent: { token: "[R]", id: 1 },
    content: [{ text: '{"token":"[R]","id":1}' }, { text: "your token is [R]." }, {}],
  });
});

test("a number is hidden at its place only; a result that is hidden whole keeps nothing but whether it failed", () => {
  const paths = hiddenPaths(["$result.pin"], "result");
  const shown = new Map([["5", "[N]"]]);
  const result = { content: [{ type: "text", text: '{"pin":5,"n":5}' }] };
  expect(hideResult(result, paths, shown)).toEqual({ content: [{ type: "text", text: '{"pin":"[N]","n":5}' }] });
  expect(hideResult({ isError: false, content: [{ type: "text", text: "s3cret" }] }, hiddenPaths(["$result"], "result"), shown)).toEqual({
    isError: false,
  });
});

test("what says nothing of a secret stays byte for byte", () => {
  const text = '{ "spaced" :  1.50 }';
  expect(hideResult({ content: [{ type: "text", text }] }, hiddenPaths(["$result.token"], "result"), SHOWN)).toEqual({
    content: [{ type: "text", text }],
  });
});

test("P7: no text that is hidden is found in what is left of any value", () => {
  const secrets = fc.constantFrom("hunter22", "pass word", "ключ-1", '"quoted"');
  fc.assert(
    fc.property(fc.jsonValue(), secrets, fc.string(), (value, secret, around) => {
      const hidden = hideTexts([value as Json, { [secret]: around + secret + around }], new Map([[secret, "[R]"]]));
      const found = JSON.stringify(hidden).includes(JSON.stringify(secret).slice(1, -1));
      expect(found && !JSON.stringify(around).includes(secret)).toBe(false);
    }),
  );
});

test("tells whether a value is one of the hidden texts, and not whether one stands in it by chance", () => {
  expect(holdsHidden({ a: [{ b: "hunter22" }] }, SHOWN)).toBe(true);
  expect(holdsHidden({ a: "my hunter22" }, SHOWN)).toBe(false);
  expect(holdsHidden("ab", new Map([["ab", "[R]"]]))).toBe(false);
});

test("a reference reads what is hidden where it is the same place, one around it or one inside", () => {
  for (const text of ["$.a.b", "$.a", "$", "$.a.b.c"]) expect([text, reads(text, "$.a.b")]).toEqual([text, true]);
  for (const text of ["$.a.c", "$.ab", "$result.a.b"]) expect([text, reads(text, "$.a.b")]).toEqual([text, false]);
  expect(reads("$.l[0].a", "$.l[].a")).toBe(true);
  expect(reads("$current.a", "$snapshot.a")).toBe(true);
});

test("what stands for a value tells its length and its mark", () => {
  expect(shownFor("hunter22", "0123456789abcdef0123")).toBe("[redacted: 8 characters, 0123456789abcdef]");
});
