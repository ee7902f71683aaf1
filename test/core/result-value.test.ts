// What a server's answer says.
import { describe, expect, test } from "bun:test";
import { type Json, parseJson, printJson } from "../../src/core/json.ts";
import {
  errorTextOf,
  hasReplacementCharacter,
  isErrorResult,
  matchesWholeText,
  saysAbsent,
  textOfResult,
  valueOfResult,
} from "../../src/core/result-value.ts";

const text = (...texts: string[]): Json => ({ content: texts.map((each) => ({ type: "text", text: each })) });

describe("the value of a result", () => {
  test("is its structured content, else its text as JSON, else its text", () => {
    expect(valueOfResult({ content: [{ type: "text", text: "[]" }], structuredContent: { a: 1 } })).toEqual({ a: 1 });
    expect(valueOfResult(text('{"a":1}'))).toEqual({ a: 1 });
    expect(valueOfResult(text("done"))).toBe("done");
    expect(valueOfResult(text(""))).toBe("");
  });

  test("keeps the digits of its numbers", () => {
    expect(printJson(valueOfResult(text('{"id":9007199254740993}')))).toBe('{"id":9007199254740993}');
  });

  test("is its only text block where blocks of other kinds stand beside it, and the blocks themselves where there are several texts or none", () => {
    const link = { type: "resource_link", uri: "x:y" };
    expect(valueOfResult({ content: [{ type: "text", text: '{"id":1}' }, link] })).toEqual({ id: 1 });
    expect(valueOfResult(text("a", "b"))).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
    expect(valueOfResult({ content: [{ type: "text" }] })).toEqual([{ type: "text" }]);
    expect(valueOfResult({ content: [] })).toEqual([]);
  });

  test("is found one level down in results of the oldest form", () => {
    const result: Json = { toolResult: { content: [{ type: "text", text: "no" }], isError: true } };
    expect(valueOfResult(result)).toBe("no");
    expect(isErrorResult(result)).toBe(true);
  });
});

test("an error is only what is marked so", () => {
  expect(isErrorResult({ content: [], isError: true })).toBe(true);
  expect(isErrorResult({ content: [], isError: "true" })).toBe(false);
  expect(isErrorResult(text("Error: no"))).toBe(false);
  expect(isErrorResult(parseJson('{"__proto__":{"isError":true}}'))).toBe(false);
});

test("only a single block has a whole text; an error's words are those of all blocks", () => {
  expect(textOfResult(text("a"))).toBe("a");
  expect(textOfResult(text("a", "b"))).toBeUndefined();
  expect(textOfResult({ content: [{ type: "image", data: "" }] })).toBeUndefined();
  expect(errorTextOf(text("a", "b"))).toBe("a\nb");
});

test("a whole text matches, not ordinary content that contains the words", () => {
  expect(matchesWholeText(["Error: *"], "Error: disk\nfull")).toBe(true);
  expect(matchesWholeText(["Error: *"], "the log says Error: disk full")).toBe(false);
  expect(matchesWholeText(["*not found"], "key not found")).toBe(true);
  expect(matchesWholeText(["a*b*c"], "abxbc")).toBe(true);
  expect(matchesWholeText(["ab*ba"], "aba")).toBe(false);
  expect(matchesWholeText(["none"], "None")).toBe(false);
  expect(matchesWholeText([], "anything")).toBe(false);
});

test("P3: absence is said in the policy's words whatever their case, and by nothing else", () => {
  expect(saysAbsent(["not found"], "Customer NOT FOUND: c-9", {})).toBe(true);
  expect(saysAbsent(["not found"], "access denied", {})).toBe(false);
  expect(saysAbsent([], "access denied", {})).toBe(false);
});

test("a replacement character is found anywhere", () => {
  expect(hasReplacementCharacter({ a: [{ b: "x\uFFFDy" }] })).toBe(true);
  expect(hasReplacementCharacter({ "\uFFFD": 1 })).toBe(true);
  expect(hasReplacementCharacter({ a: [1, null, "\uFFFC", parseJson("1.0")] })).toBe(false);
});
