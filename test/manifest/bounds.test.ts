// For which calls is a rule, how often and for whom, and what becomes of classes? What the keys say, and what is wrong with them, where.
import { describe, expect, test } from "bun:test";
import { type JsonObject, parseJson } from "../../src/core/json.ts";
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

  const exact = (text: string) => ({ n: parseJson(text) });

  test("P5: a number that a double can't hold is never taken for the one that a limit lets through", () => {
    const limits: readonly (readonly [JsonObject, string])[] = [
      [{ const: 9007199254740992 }, "9007199254740993"],
      [{ enum: ["a", 9007199254740992] }, "9007199254740993"],
      [{ maximum: 100 }, "100.000000000000001"],
      [{ not: { minimum: 100.5 } }, "100.5000000000000000001"],
      [{ anyOf: [{ type: "string" }, { exclusiveMinimum: 5 }] }, "1e999"],
    ];
    for (const [n, text] of limits) expect(outsideOf({ properties: { n } }, exact(text))).toContain("$.n is a number with more digits");
    expect(outsideOf({ properties: { n: { type: "integer" } } }, exact("1.00000000000000000001"))).toContain("$.n must be integer");
  });

  test("a number of any length passes where it isn't compared, and one that is written otherwise is the same number", () => {
    for (const text of ["12345678901234567890", "1e999"])
      expect(outsideOf({ properties: { n: { type: "integer" } } }, exact(text))).toBeUndefined();
    for (const text of ["5.0", "50e-1"]) expect(outsideOf({ properties: { n: { const: 5 } } }, exact(text))).toBeUndefined();
  });

  test("P5: what every object inherits is no member of the arguments", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(outsideOf({ required: [name] }, {})).toContain(`must have required property '${name}'`);
      expect(outsideOf({ required: [name] }, parseJson(`{ "${name}": 1 }`))).toBeUndefined();
      expect(outsideOf({ additionalProperties: false }, parseJson(`{ "${name}": 1 }`))).toContain(name);
    }
    expect(outsideOf({ properties: { constructor: { type: "string" } } }, {})).toBeUndefined();
    const twice = parseJson('{ "n": [{ "constructor": {} }, { "constructor": {} }] }');
    expect(outsideOf({ properties: { n: { uniqueItems: true } } }, twice)).toContain("$.n has an element twice");
  });

  test("P5: a pattern finds what is there however long the text is", () => {
    const unwanted = { properties: { n: { not: { pattern: "(\\w+ ?)+;" } } } };
    expect(outsideOf(unwanted, { n: `${"a".repeat(5000)}! rm x;` })).toContain("$.n is just what isn't accepted");
    expect(outsideOf(unwanted, { n: `${"a".repeat(5000)}!` })).toBeUndefined();
    expect(outsideOf({ patternProperties: { "^([a-z]+)+$": false } }, { [`${"a".repeat(60)}!`]: 1 })).toBeUndefined();
  });
});

const READ = "match: kv.get, class: readonly";
const WRONG: Readonly<Record<string, readonly [string, string]>> = {
  "a schema that is no mapping": [`  - { ${READ}, args: ¦[a] }`, "`args` must be a JSON Schema, as a mapping"],
  "a keyword that doesn't exist": [`  - { ${READ}, args: { maximun: ¦3 } }`, "unknown keyword `maximun`"],
  "a keyword of the library's own": [`  - { ${READ}, args: { $async: ¦true, required: [a] } }`, "unknown keyword `$async`"],
  "a keyword of another format": [
    `  - { ${READ}, args: { properties: { a: { type: string, nullable: ¦true } } } }`,
    "unknown keyword `nullable`",
  ],
  "a name that would be passed over": [`  - { ${READ}, args: { properties: { __proto__: ¦{ type: string } } } }`, "can't be named"],
  "a schema of itself": [`  - { ${READ}, args: { $ref: ¦"#" } }`, "leads back to itself"],
  "schemas of each other": [
    `  - { ${READ}, args: { $ref: "#/$defs/a", $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { not: { $ref: ¦"#/$defs/a" } } } } }`,
    "leads back to itself",
  ],
  "a schema of what is none": [
    `  - { ${READ}, args: { $ref: ¦"#/properties/a/const", properties: { a: { const: {} } } } }`,
    "must lead to",
  ],
  "another dialect": [`  - { ${READ}, args: ¦{ $schema: "http://json-schema.org/draft-07/schema#" } }`, "`args` must be a JSON Schema"],
  "a pattern that takes its time": [
    `  - { ${READ}, args: { properties: { a: { pattern: ¦"(a)\\\\1" } } } }`,
    "a pattern has RE2's syntax: invalid escape sequence",
  ],
  "names by such a pattern": [
    `  - { ${READ}, args: { patternProperties: { "(?=a)b": ¦{ type: string } } } }`,
    "a pattern has RE2's syntax",
  ],
  "a keyword with the wrong value": [`  - { ${READ}, args: { properties: { a: { maximum: ¦much } } } }`, "must be number"],
  "a type that doesn't exist": [`  - { ${READ}, args: { properties: { a: { type: ¦text } } } }`, "`args` must be a JSON Schema"],
  "a pattern that is none": [
    `  - { ${READ}, args: { properties: { a: { type: string, pattern: ¦"(" } } } }`,
    "`args` must be a JSON Schema",
  ],
  "a schema elsewhere": [`  - { ${READ}, args: { $ref: ¦"https://example.test/s" } }`, "`$ref` must lead to a schema within this one"],
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
