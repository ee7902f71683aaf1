// Which tokens may a manifest have? Named, by digest, each once; everything else is said with its place.
import { expect, test } from "bun:test";
import { loadManifestText } from "../../src/manifest/load.ts";

const SHA256 = "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef";

function load(tokens: string) {
  return loadManifestText(`version: 1\nservers: { crm: { command: node } }\ntokens:\n${tokens}`, { directory: "/", env: {} });
}

/** The problems as `line:column: message`. */
function problemsOf(tokens: string): readonly string[] {
  const loading = load(tokens);
  return loading.kind === "invalid" ? loading.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`) : [];
}

test("tokens are read with their names, digests and scopes", () => {
  const loading = load(`  - { name: ci, sha256: "${SHA256}" }\n  - { name: "ada@host", sha256: "${SHA256}", scopes: [billing:write] }\n`);
  expect(loading.kind === "loaded" ? loading.policy.tokens : loading.problems).toEqual([
    { name: "ci", sha256: SHA256, scopes: [] },
    { name: "ada@host", sha256: SHA256, scopes: ["billing:write"] },
  ]);
});

test("P5: a token that can't be told apart, checked or proven is an error with its place", () => {
  expect(problemsOf(`  - { name: ci, sha256: "${SHA256}" }\n  - { name: ci, sha256: "${SHA256}" }\n`)).toEqual([
    "5:13: two tokens are named `ci`",
  ]);
  expect(problemsOf("  - { name: ci, sha256: secret-token-itself }\n")).toEqual([
    "4:25: `sha256` must be 64 lower-case hexadecimal digits",
  ]);
  expect(problemsOf(`  - { name: "a b", sha256: "${SHA256}" }\n`)[0]).toStartWith("4:13: a token's name consists of");
  expect(problemsOf(`  - { name: default, sha256: "${SHA256}" }\n`)).toEqual(["4:13: `default` is what a token without a name is called"]);
  expect(problemsOf("  - { name: ci }\n")).toEqual(["4:5: `sha256` is missing in a token"]);
  expect(problemsOf(`  - { name: ci, sha256: "${SHA256}", token: x }\n`)).toEqual(["4:93: unknown key `token` in a token"]);
});
