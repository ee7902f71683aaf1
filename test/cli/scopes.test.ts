// What is a client allowed? By its token where that stands in the manifest, and by nothing that another one was given.
import { expect, test } from "bun:test";
import { readScopes, scopesFor } from "../../src/cli/scopes.ts";

const sha256 = "0".repeat(64);
const policy = {
  servers: [],
  rules: [],
  tokens: [
    { name: "ci", sha256, scopes: ["notes:write"] },
    { name: "bare", sha256, scopes: [] },
  ],
};

test("P6: a token of the manifest is allowed what stands there, whatever the proxy was started with", () => {
  expect(scopesFor(policy, "ci", ["everything"])).toEqual(["notes:write"]);
  expect(scopesFor(policy, "bare", ["everything"])).toEqual([]);
  expect(scopesFor(policy, "default", ["everything"])).toEqual(["everything"]);
});

test("P6: without --scopes nothing is allowed", () => {
  expect(readScopes(undefined)).toEqual([]);
  expect(readScopes(" , ")).toEqual([]);
  expect(readScopes("a, b,c ")).toEqual(["a", "b", "c"]);
});
