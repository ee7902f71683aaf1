// Is the published JSON Schema the one of this format, and does it know what the loader knows?
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { parse } from "yaml";
import { isManifestSchema, manifestSchema, SCHEMA_FILE } from "../../src/manifest/json-schema.ts";

import { shippedPolicies } from "../../src/manifest/shipped.ts";
import { problemsOf } from "./texts.ts";

const published = readFileSync(join(import.meta.dir, "../../manifests", SCHEMA_FILE), "utf8");

test("the published schema is the one that `bun scripts/manifest-schema.ts` makes of the format", () => {
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(manifestSchema())));
});

test("a schema of ours is known from other files, whatever its version", () => {
  expect(isManifestSchema(published)).toBe(true);
  for (const text of ["", "{}", "[]", "no JSON", '{"title":"synartesis.yaml"}', '{"definitions":{}}'])
    expect(isManifestSchema(text)).toBe(false);
});

const validate = new Ajv({ allErrors: true }).compile(manifestSchema());

test("every shipped policy is right by the schema", () => {
  for (const { name, text } of shippedPolicies()) {
    validate(parse(text));
    expect([name, validate.errors]).toEqual([name, null]);
  }
});

const CALL = '{ tool: "kv.get", args: { key: "$.key" } }';
const RIGHT: [what: string, rule: string][] = [
  ["the whole of a state", `match: kv.set, class: reversible, snapshot: ${CALL}, inverse: { tool: kv.set, args: $snapshot }`],
  ["checks", `match: kv.set, class: irreversible, verify: [{ name: x, read: ${CALL}, expect: { n: 1 } }]`],
  ["cases", `match: kv.set, by: $.method, cases: { drop: { class: irreversible } }`],
  ["one text where a list may stand", `match: kv.set, class: irreversible, failed_when: "Error: *", undo: { remedy: "write" }`],
];
const WRONG: [what: string, rule: string][] = [
  ["an unknown key", "match: kv.set, class: irreversible, gates: always"],
  ["an unknown class", "match: kv.set, class: reversable"],
  ["no pattern", "class: irreversible"],
  ["arguments that are a list", "match: kv.set, class: compensable, inverse: { tool: kv.set, args: [] }"],
  ["an inverse without a tool", "match: kv.set, class: compensable, inverse: { args: {} }"],
  ["a duration without a unit", "match: kv.set, class: compensable, inverse: { tool: kv.set }, undo: { within: '7' }"],
  ["an expectation of nothing", `match: kv.set, class: irreversible, verify: [{ name: x, read: ${CALL}, expect: null }]`],
];
const manifestWith = (rule: string) => `version: 1\nservers: { kv: { command: node } }\ntools: [{ ${rule} }]\n`;

test.each(RIGHT)("%s is right by the schema as by the loader", (_, rule) => {
  validate(parse(manifestWith(rule)));
  expect(validate.errors).toBeNull();
  expect(problemsOf(manifestWith(rule))).toEqual([]);
});

test.each(WRONG)("%s is wrong by the schema as by the loader", (_, rule) => {
  expect(validate(parse(manifestWith(rule)))).toBe(false);
  expect(problemsOf(manifestWith(rule))).not.toEqual([]);
});
