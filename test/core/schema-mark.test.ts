// By what is it known that a tool still takes what it took?
import { expect, test } from "bun:test";
import { parseJson } from "../../src/core/json.ts";
import { calledTools, schemaMark } from "../../src/core/schema-mark.ts";
import { loadManifestText } from "../../src/manifest/load.ts";

test("P3: a schema has one mark however its members are ordered, and another one where anything in it differs", () => {
  const mark = (text: string) => schemaMark(parseJson(text));
  const text = '{"type":"object","properties":{"id":{"type":"string"},"by":{"type":"number"}},"required":["id"]}';
  expect(mark(text)).toMatch(/^[0-9a-f]{16}$/);
  expect(mark('{"required":["id"],"properties":{"by":{"type":"number"},"id":{"type":"string"}},"type":"object"}')).toBe(mark(text));
  expect(mark(text.replace('"number"', '"integer"'))).not.toBe(mark(text));
  expect(mark(text.replace('["id"]', '["id","by"]'))).not.toBe(mark(text));
});

test("the tools that a policy calls are those of its snapshots, observations and inverses, on one server", () => {
  const loading = loadManifestText(
    `version: 1
servers: { a: { command: a }, b: { command: b } }
tools:
  - { match: "a.get", class: readonly }
  - { match: "a.set", class: reversible, snapshot: { tool: "a.get" }, inverse: { tool: "a.put", args: { v: "$snapshot.v" } } }
  - { match: "a.make", class: compensable, inverse: { tool: "a.drop" }, observe: { tool: "a.look" } }
  - { match: "b.make", class: compensable, inverse: { tool: "b.drop" } }
`,
    { directory: "/", env: {} },
  );
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  expect([...calledTools(loading.policy, "a")].sort()).toEqual(["drop", "get", "look", "put"]);
  expect([...calledTools(loading.policy, "b")]).toEqual(["drop"]);
  expect([...calledTools(loading.policy, "c")]).toEqual([]);
});
