// What `${NAME}` becomes.
import { expect, test } from "bun:test";
import { expandVariables } from "../../src/manifest/variables.ts";

const v = (name: string) => `$\{${name}}`;

test("variables are replaced once: their values are never looked at again", () => {
  expect(expandVariables(`a ${v("A")}-${v("B")} $A`, { A: v("B"), B: "" })).toEqual({ kind: "expanded", text: `a ${v("B")}- $A` });
});

test("a missing one is named, inherited ones are missing, and a malformed one is shown", () => {
  expect(expandVariables(v("A"), {})).toEqual({ kind: "unset", name: "A" });
  expect(expandVariables(v("constructor"), {})).toEqual({ kind: "unset", name: "constructor" });
  expect(expandVariables(`x ${v("A:-b")}`, { A: "1" })).toEqual({ kind: "malformed", written: v("A:-b") });
  expect(expandVariables("x ${A", { A: "1" })).toEqual({ kind: "malformed", written: "${A" });
});
