// What may a rule say of its reads, and of what it takes from them, and what does it get wrong, where?
import { describe, expect, test } from "bun:test";
import { knowsAbsence } from "../../src/core/read-terms.ts";
import { HEAD, marked, policyOf, problemsOfRule } from "./texts.ts";

const GET = "snapshot: { tool: kv.get, args: { key: $.key } }";

const OF_NAMES = "snapshot: { one: { tool: kv.get, extract: { a: x } }, two: { tool: kv.get } }";

/** Rules with one mistake, a bar at its place, and what has to be said of it. */
const WRONG: Readonly<Record<string, readonly [rule: string, message: string]>> = {
  "an item outside of for_each": [
    `{ match: kv.a, class: reversible, ${GET}, inverse: { tool: kv.b, args: { a: [¦$item.x] } } }`,
    "`$item.x`: only within `for_each` is there an `$item`",
  ],
  "for_each without an item": [
    `{ match: kv.a, class: reversible, ${GET}, inverse: { tool: kv.b, args: { a: ¦{ for_each: "$snapshot.a[]" } } } }`,
    "`for_each` needs an `item`",
  ],
  "for_each of no list": [
    `{ match: kv.a, class: reversible, ${GET}, inverse: { tool: kv.b, args: { a: { for_each: ¦"of $snapshot.a[]", item: 1 } } } }`,
    "`for_each` must be a single reference to a list",
  ],
  "for_each of what isn't known there": [
    `{ match: kv.a, class: irreversible, snapshot: { tool: kv.get, args: { a: { for_each: ¦"$result.a[]", item: 1 } } } }`,
    "`$result.a[]` is not available in a snapshot",
  ],
  "an item that selects by what isn't known there": [
    `{ match: kv.a, class: irreversible, snapshot: { tool: kv.get, args: { a: ¦"$.rows[id=$result.id].x" } } }`,
    "`$result.id` is not available in a snapshot",
  ],
  "a name that no read has": [
    `{ match: kv.a, class: reversible, ${OF_NAMES}, inverse: { tool: kv.b, args: { a: $snapshot.two.x, b: ¦$snapshot.tow.x } } }`,
    "`$snapshot.tow.x`: what is read has `one`, `two` there; did you mean `two`?",
  ],
  "a field that no read extracts": [
    `{ match: kv.a, class: reversible, ${OF_NAMES}, inverse: { tool: kv.b, args: { a: $snapshot.one.a, b: ¦$current.one.b } } }`,
    "`$current.one.b`: what is read has `a` there",
  ],
  "a path of the state that begins with no read's name": [
    `{ match: kv.a, class: readonly, ${OF_NAMES}, ignore: [two.at, one.a, one, ¦at] }`,
    "`at`: what is read has `one`, `two` there",
  ],
  "a list of a state of names": [
    `{ match: kv.a, class: readonly, ${OF_NAMES}, resource: ["x:$snapshot.two[0]", ¦"x:$snapshot[0]"] }`,
    "`$snapshot[0]`: what is read has `one`, `two` there",
  ],
  "a read's name that no path can hold": [
    `{ match: kv.a, class: readonly, snapshot: { ¦"a b": { tool: kv.get }, c: { tool: kv.get } } }`,
    "`a b` can't be a read's name",
  ],
  "a named read without a tool": [
    "{ match: kv.a, class: readonly, snapshot: { a: ¦{ args: { id: $.id } }, c: { tool: kv.get } } }",
    "`tool` is missing in a snapshot",
  ],
  "a name beside a read": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, ¦other: { tool: kv.get } } }",
    "unknown key `other` in a snapshot",
  ],
  "a pattern that isn't one": [
    `{ match: kv.a, class: readonly, snapshot: { tool: kv.get, extract: { a: ¦"(x" } } }`,
    "the pattern of `a` can't be used: missing closing ): `(x` (patterns are written as for RE2)",
  ],
  "a pattern that looks back": [
    `{ match: kv.a, class: readonly, snapshot: { tool: kv.get, extract: { b: "x+", a: ¦'(x)\\1' } } }`,
    "the pattern of `a` can't be used: invalid escape sequence",
  ],
  "a pattern with two groups": [
    `{ match: kv.a, class: readonly, snapshot: { tool: kv.get, extract: { a: ¦"(x)(y)" } } }`,
    "it has several groups; write all but one as `(?:...)`",
  ],
  "a pattern that is no text": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, extract: { a: ¦7 } } }",
    '`a` must be a string, found the number 7 (write "7")',
  ],
  "no pattern": ["{ match: kv.a, class: readonly, snapshot: { tool: kv.get, extract: ¦{} } }", "`extract` must not be empty"],
  "pages of a text": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, ¦extract: { a: x }, pages: { cursor: $.c, next: $snapshot.n, items: i } } }",
    "`extract` and `pages` don't go together",
  ],
  "pages without a list": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, pages: ¦{ cursor: $.c, next: $snapshot.n } } }",
    "`items` is missing in `pages`",
  ],
  "a cursor that is no argument": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, pages: { cursor: ¦$snapshot.c, next: $snapshot.n, items: i } } }",
    "`cursor` must name a member, like `$.cursor`; found `$snapshot.c`",
  ],
  "a next page in the result": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, pages: { cursor: $.c, next: ¦$result.n, items: i } } }",
    "`next` must name a member, like `$snapshot.nextCursor`",
  ],
  "items with a dollar": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, pages: { cursor: $.c, next: $snapshot.n, items: ¦$snapshot.i } } }",
    "write the path without `$`",
  ],
  "blocks that are to be taken apart": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, ¦blocks: true, extract: { a: x } } }",
    "`blocks` and `extract` don't go together",
  ],
  "a pattern for the result that isn't one": [
    `{ match: kv.a, class: compensable, extract: { id: ¦"(x" }, inverse: { tool: kv.b, args: { id: $result.id } } }`,
    "the pattern of `id` can't be used",
  ],
  "an absence that matches every result": [
    `{ match: kv.a, class: readonly, snapshot: { tool: kv.get, absent_when: { result: [a, ¦"*"] } } }`,
    "`absent_when` would match every result",
  ],
  "an absence of unknown kind": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, absent_when: { ¦results: [a] } } }",
    "unknown key `results` in `absent_when` (did you mean `result`?)",
  ],
  "an absence of no kind": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, absent_when: ¦{} } }",
    "`absent_when` says neither `error` nor `result`",
  ],
  "a whole answer that is no mapping": [
    "{ match: kv.a, class: readonly, snapshot: { tool: kv.get, complete: ¦true } }",
    "`complete` must be a mapping",
  ],
  "a selection in a path of the state": [
    `{ match: kv.a, class: readonly, ${GET}, ignore: [¦"items[id=7].at"] }`,
    "`items[id=7].at` selects by a value, which only a reference can; write `[]` for every element",
  ],
};

test("a rule says how each of its reads is taken", () => {
  const one = "absent_when: { error: [Gone], result: 'No *' }, extract: { a: '(?s)^x(.*)$' }";
  const two = "pages: { cursor: $.page.at, next: $snapshot.meta.next, items: data.rows }, complete: { whole: true, of: { n: null } }";
  const rule = `{ match: kv.a, class: readonly, snapshot: { one: { tool: kv.get, ${one} }, two: { tool: kv.get, ${two} } } }`;
  expect(policyOf(`${HEAD}  - ${rule}\n`).rules[0]?.snapshot).toMatchObject({
    reads: [
      { name: "one", absentWhen: ["gone"], absentResults: ["No *"], extract: { a: "(?s)^x(.*)$" } },
      {
        name: "two",
        absentWhen: [],
        pages: { cursor: "$.page.at", next: "$snapshot.meta.next", items: "data.rows" },
        complete: { whole: true, of: { n: null } },
      },
    ],
  });
});

describe("of what a rule says of its reads it is told where it is wrong:", () => {
  for (const [what, [rule, message]] of Object.entries(WRONG)) {
    test(what, () => {
      const { place, text } = marked(`  - ${rule}`);
      const [first = "", ...others] = problemsOfRule(text);
      expect(first).toStartWith(`${place}: `);
      expect(first).toContain(message);
      expect(others).toEqual([]);
    });
  }
});

test.each(["[]", "{ result: [] }", "{ error: [] }", "{ error: [], result: [] }"])("a rule says that no answer is absence: %s", (none) => {
  const rule = `{ match: kv.a, class: readonly, snapshot: { tool: kv.get, absent_when: ${none} } }`;
  const snapshot = policyOf(`${HEAD}  - ${rule}\n`).rules[0]?.snapshot;
  expect(snapshot).toMatchObject({ absentWhen: [], absentResults: [] });
  expect(snapshot && "tool" in snapshot && knowsAbsence(snapshot)).toBe(true);
});
