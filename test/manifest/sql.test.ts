// What `sql` says on a rule, and what can be wrong with it.
import { expect, test } from "bun:test";
import { HEAD, marked, policyOf, problemsOfRule } from "./texts.ts";

test("`sql` names the argument that `on_write` reads, and its dialect; a case has its rule's", () => {
  const { rules } = policyOf(`${HEAD}
  - { match: kv.query, class: irreversible, gate: on_write, sql: { statement: "$.q.sql", dialect: postgresql } }
  - match: kv.run
    by: $.kind
    sql: { statement: $.text, dialect: sqlite }
    cases:
      sql: { class: irreversible, gate: on_write }
      file: { class: irreversible }
`);
  expect(rules[0]?.sql).toMatchObject({ statement: { text: "$.q.sql" }, dialect: "postgresql" });
  expect(rules[1]?.cases?.rules.get("sql")?.sql).toMatchObject({ statement: { text: "$.text" }, dialect: "sqlite" });
});

const WRONG: Readonly<Record<string, readonly [string, string]>> = {
  "an unknown dialect": [
    "  - { match: kv.q, class: irreversible, gate: on_write, sql: { statement: $.q, dialect: ¦oracle } }",
    "`dialect` must be one of postgresql, mysql, sqlite",
  ],
  "no dialect": ["  - { match: kv.q, class: irreversible, gate: on_write, sql: ¦{ statement: $.q } }", "`dialect` is missing in `sql`"],
  "another namespace": [
    "  - { match: kv.q, class: irreversible, gate: on_write, sql: { statement: ¦$result.q, dialect: sqlite } }",
    "`statement` must be one argument, like `$.method`; found `$result.q`",
  ],
  "a list's elements": [
    '  - { match: kv.q, class: irreversible, gate: on_write, sql: { statement: ¦"$.q[]", dialect: sqlite } }',
    "`statement` must be one argument, like `$.method`; found `$.q[]`",
  ],
  "a gate that reads nothing": [
    "  - { match: kv.q, class: irreversible, ¦sql: { statement: $.q, dialect: sqlite } }",
    "`sql` is what `gate: on_write` reads, and the gate is `always`",
  ],
};

for (const [name, [rule, problem]] of Object.entries(WRONG)) {
  test(`${name} is a problem, at its place`, () => {
    const { place, text } = marked(rule);
    const [first, ...others] = problemsOfRule(text);
    expect(first).toStartWith(`${place}: ${problem}`);
    expect(others).toEqual([]);
  });
}
