// What may a rule say of its reads, and of what it takes from them, and what does it get wrong, where?
import { describe, expect, test } from "bun:test";
import { marked, problemsOfRule } from "./texts.ts";

const GET = "snapshot: { tool: kv.get, args: { key: $.key } }";

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
  "a selection in a path of the state": [
    `{ match: kv.a, class: readonly, ${GET}, ignore: [¦"items[id=7].at"] }`,
    "`items[id=7].at` selects by a value, which only a reference can; write `[]` for every element",
  ],
};

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
