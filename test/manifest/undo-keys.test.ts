// What may a rule say about comparing states and about undoing, and what does it get wrong?
import { describe, expect, test } from "bun:test";
import type { Rule } from "../../src/core/policy.ts";
import { HEAD, marked, policyOf, problemsOfRule } from "./texts.ts";

function ruleOf(text: string): Rule {
  const [rule] = policyOf(HEAD + text).rules;
  if (rule === undefined) throw new Error("there is no rule");
  return rule;
}

const UPDATE = "snapshot: { tool: kv.get, args: { key: $.key } }, inverse: { tool: kv.set, args: { key: $.key, value: $snapshot.value } }";
const OFFSET = "inverse: { tool: kv.add, args: { by: { from: $.by, negate: true } } }";

describe("a rule", () => {
  test("names the lists that are sets, and by what records are told apart", () => {
    const rule = ruleOf(
      `  - { match: kv.set, class: reversible, ${UPDATE}, sets: [tags, "items[].labels"], identity: ["items[].sku", "[].n"] }\n`,
    );
    expect(rule.sets?.map(({ text }) => text)).toEqual(["tags", "items[].labels"]);
    expect(rule.identity?.map(({ steps }) => steps.map(({ kind }) => kind))).toEqual([
      ["member", "each", "member"],
      ["each", "member"],
    ]);
  });

  test("may name them with only an observation to compare", () => {
    const rule = "class: compensable, inverse: { tool: kv.drop, args: { id: $result.id } }, observe: { tool: kv.get }, sets: [tags]";
    expect(ruleOf(`  - { match: kv.make, ${rule} }\n`).sets).toHaveLength(1);
  });

  test("says that its offset is right whatever came in between, and negates a number", () => {
    const rule = ruleOf(`  - { match: kv.add, class: compensable, commutes: true, ${OFFSET} }\n`);
    expect(rule.commutes).toBe(true);
    expect(rule.inverse?.[0]?.args).toMatchObject({ members: [["by", { reference: { text: "$.by" }, negate: true }]] });
  });

  test("reads the present state in an inverse, where it has a snapshot, also where it commutes", () => {
    const inverse = "inverse: { tool: kv.set, args: { etag: $current.etag, by: { from: $.by, negate: true } } }";
    const rule = ruleOf(`  - { match: kv.add, class: compensable, commutes: true, snapshot: { tool: kv.get }, ${inverse} }\n`);
    expect(rule.inverse?.[0]?.args).toMatchObject({
      members: [
        ["etag", { reference: { namespace: "current" } }],
        ["by", {}],
      ],
    });
  });

  test("says what undoing comes with, its window in any unit", () => {
    const terms = 'undo: { within: 7d, side_effects: "a notice is sent", cost: "$2.50", remedy: "write to them" }';
    expect(ruleOf(`  - { match: kv.set, class: reversible, ${UPDATE}, ${terms} }\n`).undo).toEqual({
      within: 604_800_000,
      sideEffects: "a notice is sent",
      cost: "$2.50",
      remedy: "write to them",
    });
    const within = (written: string) => ruleOf(`  - { match: kv.set, class: reversible, ${UPDATE}, undo: { within: ${written} } }\n`).undo;
    expect(["30s", "10m", "2h"].map((written) => within(written)?.within)).toEqual([30_000, 600_000, 7_200_000]);
  });

  test("has none of these members where it says nothing", () => {
    const rule = ruleOf(`  - { match: kv.set, class: reversible, ${UPDATE}, sets: [], identity: [], undo: {} }\n`);
    expect(Object.keys(rule).filter((name) => ["sets", "identity", "commutes", "undo"].includes(name))).toEqual([]);
  });

  test("can suggest a remedy for what is never undone", () => {
    expect(ruleOf("  - { match: kv.send, class: irreversible, undo: { remedy: write again } }\n").undo).toEqual({ remedy: "write again" });
  });
});

describe("P5: a rule is refused, with line and column, for", () => {
  // The bar marks where the problem has to be found.
  const rules: Record<string, [string, string]> = {
    "sets where nothing is compared": [
      "{ match: kv.a, class: compensable, inverse: { tool: kv.b }, ¦sets: [tags] }",
      "`sets`: the rule has neither `snapshot` nor `observe`, so no states are compared",
    ],
    "an identity where nothing is compared": [
      '{ match: kv.a, class: readonly, ¦identity: ["items[].id"] }',
      "`identity`: the rule has neither `snapshot` nor `observe`",
    ],
    "a set with a dollar": [`{ match: kv.a, class: reversible, ${UPDATE}, sets: [¦$snapshot.tags] }`, "write the path without `$`"],
    "a set that names members": [
      `{ match: kv.a, class: reversible, ${UPDATE}, sets: [a, ¦"tags[]"] }`,
      "`sets` names the list itself, not its members: write `tags`",
    ],
    "sets that are one text": [`{ match: kv.a, class: reversible, ${UPDATE}, sets: ¦tags }`, "`sets` must be a list, found a string"],
    "an identity that is no member of a record": [
      `{ match: kv.a, class: reversible, ${UPDATE}, identity: [¦sku] }`,
      "`identity` names a member of every record of a list, like `items[].sku`; found `sku`",
    ],
    "an identity deeper in a record": [
      `{ match: kv.a, class: reversible, ${UPDATE}, identity: [¦"items[].product.sku"] }`,
      "`identity` names a member of every record of a list",
    ],
    "two identities of one list": [
      `{ match: kv.a, class: reversible, ${UPDATE}, identity: ["items[].sku", ¦"items[].id"] }`,
      "`items[]` has two members as its identity: `items[].sku` and `items[].id` (name one)",
    ],
    "commuting with what it writes back": [
      "{ match: kv.a, class: reversible, commutes: true, snapshot: { tool: kv.get }, inverse: { tool: kv.set, args: { a: [¦$snapshot.a] } } }",
      "`$snapshot.a`: an inverse that writes back what was there doesn't commute with what came since",
    ],
    "commuting without an inverse": ["{ match: kv.a, class: irreversible, ¦commutes: true }", "`commutes`: the rule has no `inverse`"],
    "commuting that isn't so": [
      `{ match: kv.a, class: compensable, ${OFFSET}, commutes: ¦false }`,
      "`commutes` must be `true`, found the boolean false (leave it out where it isn't so)",
    ],
    "the present state without a snapshot": [
      "{ match: kv.a, class: compensable, inverse: { tool: kv.b, args: { etag: ¦$current.etag } } }",
      "`$current.etag`: the rule declares no `snapshot` (add a `snapshot`, or read `$.` or `$result.`)",
    ],
    "the present state in a snapshot": [
      "{ match: kv.a, class: irreversible, snapshot: { tool: kv.get, args: { etag: ¦$current.etag } } }",
      "`$current.etag` is not available in a snapshot (it is read before the call: only `$.` is known then)",
    ],
    "the present state in a resource": [
      `{ match: kv.a, class: reversible, ${UPDATE}, resource: ¦"a:$current.etag" }`,
      "`$current.etag` is not available in a resource (it is read right before the inverse is sent",
    ],
    "negating a text": [
      "{ match: kv.a, class: compensable, inverse: { tool: kv.b, args: { by: { from: ¦a $.by, negate: true } } } }",
      "`from` beside `negate` must be a single reference",
    ],
    "negating twice": [
      "{ match: kv.a, class: compensable, inverse: { tool: kv.b, args: { by: { from: ¦{ from: $.by, negate: true }, negate: true } } } }",
      "`from` beside `negate` must be a single reference",
    ],
    "not negating": [
      "{ match: kv.a, class: compensable, inverse: { tool: kv.b, args: { by: { from: $.by, negate: ¦false } } } }",
      "`negate` must be `true`; leave it out for the value as it is",
    ],
    "negating what may be missing": [
      "{ match: kv.a, class: compensable, inverse: { tool: kv.b, args: { by: ¦{ from: $.by, negate: true, missing: 0 } } } }",
      "`missing` and `negate` don't go together",
    ],
    "a window without a unit": [
      `{ match: kv.a, class: reversible, ${UPDATE}, undo: { within: ¦30 } }`,
      "`within` must be a duration such as 30s, 10m, 2h or 7d; found the number 30",
    ],
    "a window in an unknown unit": [
      `{ match: kv.a, class: reversible, ${UPDATE}, undo: { within: ¦2 weeks } }`,
      "`within` must be a duration such as 30s, 10m, 2h or 7d; found `2 weeks`",
    ],
    "a window of nothing": [`{ match: kv.a, class: reversible, ${UPDATE}, undo: { within: ¦0s } }`, "`within` must be a duration"],
    "a cost that is a number": [
      `{ match: kv.a, class: reversible, ${UPDATE}, undo: { cost: ¦2.5 } }`,
      '`cost` must be a string, found the number 2.5 (write "2.5")',
    ],
    "an unknown word about undoing": [
      `{ match: kv.a, class: reversible, ${UPDATE}, undo: { ¦side_effect: x } }`,
      "unknown key `side_effect` in `undo` (did you mean `side_effects`?)",
    ],
    "undoing a read": ["{ match: kv.a, class: readonly, ¦undo: { remedy: x } }", "a readonly rule must not have `undo`"],
    "a window of what is never undone": [
      "{ match: kv.a, class: irreversible, undo: { remedy: x, ¦within: 7d } }",
      "an irreversible rule is never undone: of `undo` it can only have `remedy`",
    ],
  };
  for (const [name, [rule, expected]] of Object.entries(rules)) {
    test(name, () => {
      const { place, text } = marked(`  - ${rule}`);
      const problems = problemsOfRule(text);
      expect(problems[0] ?? "loaded").toStartWith(`${place}: ${expected}`);
      expect(problems).toHaveLength(1);
    });
  }
});
