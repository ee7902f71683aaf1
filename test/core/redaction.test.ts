// Is what a rule hides gone from what is recorded, wherever it stood, and is nothing else?
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, parseJson } from "../../src/core/json.ts";
import {
  addShown,
  hiddenIn,
  hiddenInResult,
  hiddenPaths,
  hidePaths,
  hideResult,
  nothingShown,
  readsHidden,
  shownFor,
  showsHidden,
} from "../../src/core/redaction.ts";
import { readReference } from "../../src/core/reference.ts";
import { hideTexts, holdsHidden } from "../../src/core/secret-texts.ts";
import { processorTime } from "../support/patience.ts";

const at = (...redact: string[]) => hiddenPaths(redact, "args");
const shownAs = (...values: (readonly [Json, string])[]) => {
  const shown = nothingShown();
  for (const [value, stands] of values) addShown(shown, value, stands);
  return shown;
};
const SHOWN = shownAs(["hunter22", "[R]"]);

function reads(text: string, ...redact: string[]): boolean {
  const read = readReference(text, 0);
  if (read.kind === "invalid") throw new Error(read.reason);
  return readsHidden(read.reference, redact);
}

test("hides a member, one of every element, and the whole; another namespace's paths are none of its business", () => {
  const shown = shownAs(["x1", "[R]"], [5, "[N]"], [{ a: 1 }, "[O]"]);
  expect(hidePaths({ a: "x1", b: "x1" }, at("$.a", "$result.b"), shown)).toEqual({ a: "[R]", b: "x1" });
  expect(hidePaths({ l: [{ a: "x1" }, { b: 1 }, { a: 5 }] }, at("$.l[].a"), shown)).toEqual({ l: [{ a: "[R]" }, { b: 1 }, { a: "[N]" }] });
  expect(hidePaths({ l: [{ a: "x1" }] }, at("$.l[0].a"), shown)).toEqual({ l: [{ a: "[R]" }] });
  expect(hidePaths({ a: { a: 1 } }, at("$.a"), shown)).toEqual({ a: "[O]" });
  expect(hidePaths({ other: "x1" }, at("$.a"), shown)).toEqual({ other: "x1" });
  expect(hiddenIn({ l: [{ a: "x1" }, { a: { b: 2 } }] }, at("$.l[].a"))).toEqual(["x1", { b: 2 }]);
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

test("a short number is hidden at its place only; a result that is hidden whole keeps nothing but whether it failed", () => {
  const paths = hiddenPaths(["$result.pin"], "result");
  const shown = shownAs([5, "[N]"]);
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
      const hidden = hideTexts([value as Json, { [secret]: around + secret + around }], shownAs([secret, "[R]"]).texts);
      const found = JSON.stringify(hidden).includes(JSON.stringify(secret).slice(1, -1));
      expect(found && !JSON.stringify(around).includes(secret)).toBe(false);
    }),
  );
});

test("tells whether a hidden text stands anywhere in a value; a short one is looked for nowhere", () => {
  for (const value of [{ a: [{ b: "hunter22" }] }, "my hunter22", { hunter22: 1 }]) expect(holdsHidden(value, SHOWN.texts)).toBe(true);
  expect(holdsHidden(["hunter2", 22], SHOWN.texts)).toBe(false);
  expect(holdsHidden("ab", shownAs(["ab", "[R]"]).texts)).toBe(false);
});

test("P7: paths in any order hide the same, and what has another shape than its path is hidden whole", () => {
  const shown = shownAs([{ key: "k", token: "t" }, "[R]"]);
  for (const paths of [at("$.auth.key", "$.auth"), at("$.auth", "$.auth.key")])
    expect(hidePaths({ auth: { key: "k", token: "t" } }, paths, shown)).toEqual({ auth: "[R]" });
  for (const list of [{ pw: "secret" }, "secret", 1234, { a: { pw: "secret" } }]) {
    expect(hiddenIn({ list }, at("$.list[].pw"))).toEqual([list]);
    expect(hidePaths({ list }, at("$.list[].pw"), nothingShown())).toEqual({ list: "[redacted]" });
  }
  expect(hidePaths({ auth: [{ key: "secret" }] }, at("$.auth.key"), nothingShown())).toEqual({ auth: "[redacted]" });
  expect(hidePaths("secret", at("$.auth"), nothingShown())).toEqual("[redacted]");
  expect(hidePaths({ auth: null, list: [{}, null] }, at("$.auth.key", "$.list[].a"), nothingShown())).toEqual({
    auth: null,
    list: [{}, null],
  });
});

test("P7: of secrets that overlap no part is left, whichever was known first", () => {
  const cases = [
    ["SECR", "SECR-tail", "x SECR-tail y", "x [B] y"],
    ["abcd", "cdefgh", "x abcdefgh y", "x [B] y"],
    ["aaaa", "aaaaaa", "x aaaaaaaaa y", "x [B] y"],
  ] as const;
  for (const [a, b, text, left] of cases)
    for (const shown of [shownAs([a, "[A]"], [b, "[B]"]), shownAs([b, "[B]"], [a, "[A]"])]) expect(hideTexts(text, shown.texts)).toBe(left);
});

test("P7: of thousands of secrets each is hidden, without looking for one after the other", () => {
  const tokens = Array.from({ length: 3000 }, (_, index) => `tok+${index}/${"x".repeat(index % 7)}`);
  const shown = shownAs(...tokens.map((token) => [token, "[R]"] as const));
  const texts = [JSON.stringify(tokens), ...tokens.map((token) => `a ${token} b`), { [`${tokens[7]}`]: 1 }];
  const spent = processorTime();
  expect(JSON.stringify(hideTexts(texts, shown.texts))).not.toContain("tok+");
  expect(spent()).toBeLessThan(5000); // one after the other takes a minute
});

test("P7: a number is hidden as a number and in texts, as it was written and as it computes", () => {
  const shown = shownAs([1234567891, "[N]"], ["5556667778", "[T]"], [parseJson("1.2345678e3"), "[E]"]);
  expect(
    hideTexts({ a: [1234567891, "pin 1234567891.", 5556667778], b: [parseJson("1.2345678e3"), 1234.5678, "1234.5678"] }, shown.texts),
  ).toEqual({ a: ["[N]", "pin [N].", "[T]"], b: ["[E]", "[E]", "[E]"] });
});

test("P7: what is in a text that is JSON is a secret too, and so is what a result says only in words beside its value", () => {
  expect(hideTexts("key inner-key", shownAs(['{"key":"inner-key"}', "[R]"]).texts)).toBe("key [R]");
  const result = {
    structuredContent: { id: 1 },
    content: [
      { type: "text", text: '{"token":"tok-1234"}' },
      { type: "text", text: "tok-1234" },
    ],
  };
  expect(hiddenInResult(result, hiddenPaths(["$result.token"], "result"))).toEqual(["tok-1234"]);
  expect(hiddenInResult({ toolResult: { content: [result.content[0] ?? null] } }, hiddenPaths(["$result.token"], "result"))).toEqual([
    "tok-1234",
  ]);
});

const SECRET_TEXT = fc
  .string({ unit: "binary", minLength: 4, maxLength: 20 })
  .filter((text) => !/^[\s\d.,:{}[\]"]*$/.test(text) && !JSON.stringify(["[redacted: characters, ]", "", {}]).includes(text));
const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const shapes = (secret: string): Json[] => [secret, [secret], { a: secret }, { a: [{ b: secret }] }, JSON.stringify({ k: secret })];
const echoes = (value: Json): Json[] => {
  const json = JSON.stringify(value);
  return [value, json, `Saved: ${json}`, JSON.stringify(`x ${json}`), ascii(json), ascii(JSON.stringify(json)), `${String(value)}!`];
};

test("P7: whatever shape a secret is sent in, and however it is repeated, no printed form of what is recorded holds it", () => {
  fc.assert(
    fc.property(SECRET_TEXT, fc.nat(4), fc.nat(6), fc.boolean(), (secret, shape, echo, isList) => {
      const value = shapes(secret)[shape] ?? null;
      const args = { pw: value, list: isList ? [{ pw: value }] : { pw: value }, again: echoes(value)[echo] ?? null };
      const paths = at("$.list[].pw", "$.pw");
      const shown = nothingShown();
      for (const hidden of hiddenIn(args, paths)) addShown(shown, hidden, shownFor(hidden, "0".repeat(64)));
      const kept = [
        hideTexts(hidePaths(args, paths, shown), shown.texts),
        hideResult({ content: [{ type: "text", text: args.again }] }, [], shown),
      ];
      const printed = JSON.stringify(kept);
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), ascii(JSON.stringify(secret).slice(1, -1))])
        expect(printed.includes(form)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("a reference reads what is hidden where it is the same place, one around it or one inside", () => {
  for (const text of ["$.a.b", "$.a", "$", "$.a.b.c"]) expect([text, reads(text, "$.a.b")]).toEqual([text, true]);
  for (const text of ["$.a.c", "$.ab", "$result.a.b"]) expect([text, reads(text, "$.a.b")]).toEqual([text, false]);
  expect(reads("$.l[0].a", "$.l[].a")).toBe(true);
  expect(reads("$current.a", "$snapshot.a")).toBe(true);
});

test("what stands for a value tells its length and its mark", () => {
  const shown = shownFor("hunter22", "0123456789abcdef0123");
  expect(shown).toBe("[redacted: 8 characters, 0123456789abcdef]");
  expect(showsHidden({ a: [`x ${shown}`] })).toBe(true);
  expect(showsHidden({ a: "[redacted]" })).toBe(false);
});
