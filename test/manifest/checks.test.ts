// What may a rule ask before and after a call, and what does it get wrong?
import { expect, test } from "bun:test";
import { HEAD, marked, policyOf, problemsOfRule } from "./texts.ts";

const UPDATE = "snapshot: { tool: kv.get, args: { key: $.key } }, inverse: { tool: kv.set, args: { key: $.key, value: $snapshot.value } }";
const READ = "read: { tool: kv.get, args: { key: $.key }, absent_when: [gone] }";

test("a rule requires something before, and verifies something after, also where nothing can undo it", () => {
  const checks = `require: [{ name: it is free, ${READ}, absent: true }], verify: [{ name: it is booked, ${READ}, expect: { by: $.who, id: $result.id } }]`;
  const [rule] = policyOf(`${HEAD}  - { match: kv.book, class: irreversible, ${checks} }\n`).rules;
  expect(rule?.require).toMatchObject([{ name: "it is free", read: { tool: "get", absentWhen: ["gone"] }, expect: undefined }]);
  expect(rule?.verify).toMatchObject([{ name: "it is booked", expect: { kind: "object" } }]);
});

test("a rule with a snapshot may compare with what was there", () => {
  const check = (name: string) => `${name}: [{ name: same owner, ${READ}, expect: { owner: $snapshot.owner } }]`;
  expect(problemsOfRule(`  - { match: kv.set, class: reversible, ${UPDATE}, ${check("require")}, ${check("verify")} }`)).toEqual([]);
});

test("what a read has to show may be a text, a number or a list", () => {
  for (const value of ["OK", "5", "[1, 2]", "true"])
    expect(problemsOfRule(`  - { match: kv.send, class: irreversible, verify: [{ name: x, ${READ}, expect: ${value} }] }`)).toEqual([]);
});

const irreversible = (keys: string) => `  - { match: kv.send, class: irreversible, ${keys} }`;
const WRONG: [what: string, rule: string, message: string][] = [
  [
    "checks of a read",
    `  - { match: kv.get, class: readonly, ¦verify: [{ name: x, ${READ}, expect: a }] }`,
    "a readonly rule must not have `verify`",
  ],
  ["no name", irreversible(`verify: [¦{ ${READ}, expect: a }]`), "`name` is missing in a check"],
  ["no read", irreversible("verify: [¦{ name: x, expect: a }]"), "`read` is missing in a check"],
  ["one check that is no list", irreversible(`verify: ¦{ name: x, ${READ}, expect: a }`), "`verify` must be a list, found a mapping"],
  ["nothing expected", irreversible(`verify: [¦{ name: x, ${READ} }]`), "a check says neither `expect` nor `absent`"],
  ["an empty expectation", irreversible(`verify: [{ name: x, ${READ}, ¦expect: {} }]`), "`expect` names nothing"],
  ["an expectation left blank", irreversible(`verify: [{ name: x, ${READ}, expect: ¦null }]`), "`expect` must be a value, found nothing"],
  ["both", irreversible(`verify: [{ name: x, ${READ}, expect: a, ¦absent: true }]`), "a check has either `expect` or `absent`"],
  [
    "absence that can't be told",
    irreversible("verify: [{ name: x, read: { tool: kv.get }, ¦absent: true }]"),
    "`absent` needs `absent_when`",
  ],
  [
    "absence that is said never to be told",
    irreversible("verify: [{ name: x, read: { tool: kv.get, absent_when: [] }, ¦absent: true }]"),
    "`absent` needs `absent_when`",
  ],
  ["a name twice", irreversible(`verify: [{ name: x, ${READ}, expect: a }, ¦{ name: x, ${READ}, expect: b }]`), "two checks are named `x`"],
  [
    "a result before the call",
    irreversible(`require: [{ name: x, ${READ}, expect: { id: ¦$result.id } }]`),
    "`$result.id` is not available in a requirement",
  ],
  [
    "a snapshot that isn't taken",
    irreversible("verify: [{ name: x, read: { tool: kv.get, args: { id: ¦$snapshot.id } }, expect: a }]"),
    "`$snapshot.id`: the rule declares no `snapshot`",
  ],
  [
    "the present state",
    `  - { match: kv.set, class: reversible, ${UPDATE}, verify: [{ name: x, ${READ}, expect: ¦$current.a }] }`,
    "`$current.a` is not available in a verification",
  ],
  ["an unknown server", irreversible("verify: [{ name: x, read: { tool: ¦other.get }, expect: a }]"), "server `other` is not declared"],
  ["an unknown key", irreversible(`verify: [{ name: x, ${READ}, ¦expects: a }]`), "unknown key `expects` in a check"],
];

test.each(WRONG)("P5: %s is an error at its place", (_, rule, message) => {
  const { place, text } = marked(rule);
  expect(problemsOfRule(text).find((problem) => problem.startsWith(`${place}: ${message}`)) ?? problemsOfRule(text)).toBeString();
});
