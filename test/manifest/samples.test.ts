// Which calls prove a rule, and what is wrong with one, where?
import { describe, expect, test } from "bun:test";
import { HEAD, marked, policyOf, problemsOfRule } from "./texts.ts";

const RULE = "match: kv.add, class: compensable, inverse: { tool: kv.drop }";
const rulesOf = (rules: string) => policyOf(HEAD + rules).rules;

test("`scratch` marks a server", () => {
  const { servers } = policyOf("version: 1\nservers: { kv: { command: node, scratch: true }, own: { command: node } }\n");
  expect(servers.map(({ name, scratch }) => [name, scratch])).toEqual([
    ["kv", true],
    ["own", undefined],
  ]);
});

test("a sample has its arguments, what prepares it, and a note", () => {
  const [rule] = rulesOf(`
  - match: kv.add
    class: compensable
    inverse: { tool: kv.drop }
    drill:
      - { args: { key: $result.key, price: $$5 }, before: [{ tool: kv.make }, { tool: kv.fill, args: { of: $result } }], note: full, check: [{ tool: kv.get, args: { k: $result } }] }
      - { args: {}, refused: true }
`);
  expect(rule?.drill).toMatchObject([
    {
      args: {
        kind: "object",
        members: [
          ["key", { kind: "reference" }],
          ["price", { kind: "literal", value: "$5" }],
        ],
      },
      before: [
        { server: "kv", tool: "make" },
        { server: "kv", tool: "fill" },
      ],
      check: [{ server: "kv", tool: "get" }],
      note: "full",
      position: { line: 11 },
    },
    { before: [], refused: true },
  ]);
});

test("neither a case nor a variant inherits samples", () => {
  const [rule] = rulesOf(`
  - match: kv.do
    by: $.method
    drill: [{ args: { method: add } }]
    snapshot: { tool: kv.get, absent_when: none }
    cases: { add: { class: compensable, inverse: { tool: kv.drop }, when_absent: { class: irreversible } } }
`);
  const add = rule?.cases?.rules.get("add");
  expect([rule?.drill?.length, add?.drill, add?.whenAbsent?.drill]).toEqual([1, undefined, undefined]);
});

describe("what is wrong with a sample is said where it stands", () => {
  const wrong: Readonly<Record<string, readonly [string, string]>> = {
    "what the agent sent": ["drill: [{ args: { key: ¦$.key } }]", "`$.key` is not available in a sample"],
    "a result before there is any": ["drill: [{ args: { key: ¦$result.key } }]", "`$result.key` is not available in a sample"],
    "the same in the first call of `before`": [
      "drill: [{ args: {}, before: [{ tool: kv.make, args: { n: ¦$result } }] }]",
      "`$result` is not available",
    ],
    "a server that isn't declared": ["drill: [{ args: {}, before: [{ tool: ¦vk.make }] }]", "server `vk` is not declared"],
    "no arguments": ["drill: [¦{ note: none }]", "`args` is missing in a sample"],
    "a key that it hasn't": ["drill: [{ args: {}, ¦after: [] }]", "unknown key `after` in a sample"],
    "a repeated call": ["drill: [{ args: {}, before: [{ tool: kv.make, ¦for_each: $result }] }]", "unknown key `for_each`"],
    "a mapping in place of a list": ["drill: ¦{ args: {} }", "`drill` must be a list"],
  };
  test.each(Object.entries(wrong))("%s", (_name, [written, message]) => {
    const { place, text } = marked(`  - { ${RULE}, ${written} }`);
    const [first = ""] = problemsOfRule(text);
    expect([first.split(" ", 1)[0], first.includes(message)]).toEqual([`${place}:`, true]);
  });
});
