// When does what a read shows belong to a call?
import { expect, test } from "bun:test";
import { carriesOwn } from "../../src/core/own-texts.ts";

const args = { table: "notes", data: { id: "drill", body: "text", n: 7 } };
const cases: Readonly<Record<string, readonly [shown: Parameters<typeof carriesOwn>[0], known: readonly string[], is: boolean]>> = {
  "a value that the call brought": [[{ id: "drill", body: "text" }], ["notes"], true],
  "another's record": [[{ id: "2", body: "humans" }], ["notes"], false],
  "its record and another's": [[{ id: "drill" }, { id: "2" }], ["notes"], false],
  "what the read was asked for": [{ table: "notes" }, ["notes"], false],
  "what was there before": [{ id: "drill" }, ["a drill", "text", "notes"], false],
  "a text within a text": ["# drill", [], true],
  "a number": [{ n: 7 }, [], false],
  nothing: [[], [], false],
};
test.each(Object.entries(cases))("%s", (_name, [shown, known, is]) => {
  expect(carriesOwn(shown, { args, known })).toBe(is);
});

test("a short text counts only as a whole value", () => {
  expect(carriesOwn({ v: "axe" }, { args: { v: "x" }, known: [] })).toBe(false);
  expect(carriesOwn({ v: "x" }, { args: { v: "x" }, known: [] })).toBe(true);
});
