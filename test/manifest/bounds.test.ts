// For which calls is a rule, how often and for whom, and what becomes of classes? What the keys say, and what is wrong with them, where.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json.ts";
import { outsideOf } from "../../src/manifest/argument-schema.ts";
import { HEAD, marked, policyOf, problemsOf, problemsOfRule } from "./texts.ts";

const TOP = "version: 1\nservers: { kv: { command: node } }\n";
const gates = (autonomy: string, rules: string) => policyOf(`${TOP}autonomy: ${autonomy}\ntools:\n${rules}`).rules.map(({ gate }) => gate);
const RULES = `
  - { match: kv.set, class: compensable, inverse: { tool: kv.drop } }
  - { match: kv.send, class: irreversible }
  - { match: kv.mail, class: irreversible, gate: always }
  - { match: kv.add, class: compensable, gate: never, inverse: { tool: kv.drop } }
  - { match: kv.get, class: readonly }
`;

describe("autonomy", () => {
  test("gives each class a gate where the rule has none", () => {
    expect(gates("{}", RULES)).toEqual(["never", "always", "always", "never", "never"]);
    expect(gates("{ compensable: ask, irreversible: allow }", RULES)).toEqual(["always", "never", "always", "never", "never"]);
    expect(gates("{ compensable: deny, irreversible: deny }", RULES)).toEqual(["never", "always", "always", "never", "never"]);
  });

  test("P5: never allows what no rule mentions", () => {
    expect(problemsOf(`${TOP}autonomy: { unmentioned: allow }\n`)[0]).toStartWith("3:26: `unmentioned` must be one of ask, deny");
  });
});

describe("a schema of arguments", () => {
  const schema = {
    properties: { n: { type: "integer", maximum: 5 }, kind: { enum: ["a", "b"] } },
    required: ["n"],
    additionalProperties: false,
  };

  test("accepts what fits", () => {
    expect(outsideOf(schema, { n: 5, kind: "a" })).toBeUndefined();
  });

  test("says where, which constraint, and what would be accepted, but never the value", () => {
    expect(outsideOf(schema, { n: 77, kind: "a" })).toBe('$.n must be <= 5; accepted there: {"type":"integer","maximum":5}');
    expect(outsideOf(schema, { n: 1, kind: "secret" })).toContain('accepted there: {"enum":["a","b"]}');
    expect(outsideOf(schema, { n: 1, kind: "secret" })).not.toContain("secret");
    expect(outsideOf({ properties: { id: false } }, { id: 1 })).toBe("$.id isn't accepted here");
    expect(outsideOf({ not: { required: ["paths"] } }, { paths: 1 })).toBe(
      `$ is just what isn't accepted; accepted there: {"not":{"required":["paths"]}}`,
    );
    const inThisCase = JSON.parse('{"if":{"properties":{"n":{"const":1}}},"then":{"properties":{"id":false}}}') as JsonObject;
    expect(outsideOf(inThisCase, { n: 1, id: 1 })).toBe("$.id isn't accepted here");
    expect(outsideOf(schema, {})).toContain("$ must have required property 'n'");
    expect(outsideOf(schema, { n: 1, other: 1 })).toContain(`$ has a member that isn't accepted ("other")`);
  });

  test("judges a number that a double can't hold as the number that it is", () => {
    const big = JSON.parse("[12345678901234567890]", (_key, value, context?: { source: string }) =>
      typeof value === "number" ? (JSON as never as { rawJSON(text: string): never }).rawJSON(context?.source ?? "") : value,
    );
    expect(outsideOf({ items: { type: "integer" } }, big)).toBeUndefined();
    expect(outsideOf({ items: { type: "integer", maximum: 10 } }, big)).toContain("$.0 must be <= 10");
  });
});

const READ = "match: kv.get, class: readonly";
const WRONG: Readonly<Record<string, readonly [string, string]>> = {
  "a schema that is no mapping": [`  - { ${READ}, args: ¦[a] }`, "`args` must be a JSON Schema, as a mapping"],
  "a keyword that doesn't exist": [`  - { ${READ}, args: ¦{ maximun: 3 } }`, "unknown keyword"],
  "a keyword with the wrong value": [`  - { ${READ}, args: { properties: { a: { maximum: ¦much } } } }`, "must be number"],
  "a type that doesn't exist": [`  - { ${READ}, args: { properties: { a: { type: ¦text } } } }`, "`args` must be a JSON Schema"],
  "a pattern that is none": [
    `  - { ${READ}, args: ¦{ properties: { a: { type: string, pattern: "(" } } } }`,
    "`args` must be a JSON Schema",
  ],
  "a schema elsewhere": [`  - { ${READ}, args: ¦{ $ref: "https://example.test/s" } }`, "can't resolve reference"],
  "otherwise of nothing": [`  - { ${READ}, ¦otherwise: deny }`, "neither `args` nor `limits`"],
  "no limits": [`  - { ${READ}, limits: ¦{} }`, "`limits` must not be empty"],
  "half a call": [`  - { ${READ}, limits: { per_run: ¦0.5 } }`, "must be a whole number from 1"],
  "no call": [`  - { ${READ}, limits: { per_minute: ¦0 } }`, "must be a whole number from 1"],
  "items without their number": [`  - { ${READ}, limits: { items: ¦{ path: $.a } } }`, "`max` is missing"],
  "items of a result": [`  - { ${READ}, limits: { items: { path: ¦$result.a, max: 1 } } }`, "must be one argument"],
  "an environment where none is named": [`  - { ${READ}, ¦environments: [staging] }`, "doesn't say which one it is for"],
  "no scopes": [`  - { ${READ}, scopes: ¦[] }`, "`scopes` must not be empty"],
};

for (const [what, [rule, message]] of Object.entries(WRONG)) {
  test(`${what}: said with its place`, () => {
    const { place, text } = marked(rule);
    const [problem, ...others] = problemsOfRule(text);
    expect(others).toEqual([]);
    expect(problem).toStartWith(`${place}: `);
    expect(problem).toContain(message);
  });
}

test("a case has what stands beside `by`, unless it says it anew", () => {
  const [rule] = policyOf(
    `${HEAD}  - { match: kv.do, by: $.m, scopes: [a], limits: { per_run: 2 }, cases: { x: { class: readonly }, y: { class: readonly, scopes: [b] } } }\n`,
  ).rules;
  const [x, y] = [...(rule?.cases?.rules.values() ?? [])];
  expect([x?.scopes, y?.scopes, y?.limits]).toEqual([["a"], ["b"], { perRun: 2 }]);
});
