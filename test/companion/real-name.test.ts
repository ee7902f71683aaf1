// Is a file found by another spelling of its name taken for the one that was named? As file systems that fold case would find it.
import { expect, test } from "bun:test";
import { realName } from "../../src/companion/real-name.ts";

test.each([
  ["the very name", "a.txt", ["a.txt", "A.txt"], true, { kind: "exact" }],
  ["nothing like it", "a.txt", ["b.txt"], false, { kind: "free" }],
  ["another case, where the file system tells them apart", "a.txt", ["A.txt"], false, { kind: "free" }],
  ["another case, where it doesn't", "readme.MD", ["README.md"], true, { kind: "spelled", as: "README.md" }],
  ["letters that fold to several", "STRASSE", ["straße"], true, { kind: "spelled", as: "straße" }],
  ["composed and decomposed, which servers take for one", "\u00e9", ["e\u0301"], false, { kind: "spelled", as: "e\u0301" }],
  ["found by a spelling that isn't known", "LONGNA~1.TXT", ["Long name.txt"], true, { kind: "spelled", as: "another name" }],
] as const)("%s", (_name, name, names, isFound, expected) => {
  expect(realName(name, names, isFound)).toEqual(expected);
});
