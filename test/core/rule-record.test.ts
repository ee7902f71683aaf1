// What survives of a rule in the journal? Enough to undo by it on another day: it has to come back as it went in.
import { expect, test } from "bun:test";
import { parseJson, printJson } from "../../src/core/json.ts";
import type { Policy, Rule } from "../../src/core/policy.ts";
import { recordRule, ruleRecordFrom, storedRule } from "../../src/core/rule-record.ts";
import { loadManifestText } from "../../src/manifest/load.ts";

const TEXT = `version: 1
servers: { s: { command: s } }
tools:
  - match: "s.set"
    class: reversible
    snapshot: { tool: "s.get", args: { id: "$.id" }, absent_when: ["Not Found"] }
    inverse: { tool: "s.set", args: { id: "$.id", to: "$snapshot.value" } }
    ignore: [updated_at, "items[].etag"]
    failed_when: ["Error: *"]
  - match: "s.make"
    class: compensable
    inverse: { tool: "s.drop", args: { id: "$result.id" } }
    observe: { tool: "s.get", args: { id: "$result.id" }, absent_when: ["gone"] }
  - { match: "s.send", class: irreversible }
  - match: "s.add"
    class: compensable
    commutes: true
    snapshot: { tool: "s.get", args: { id: "$.id" }, absent_when: ["gone"] }
    inverse: { tool: "s.add", args: { id: "$.id", tag: "$current.etag", note: "costs $$5", by: { from: "$.by", negate: true } } }
    sets: [tags]
    identity: ["items[].sku"]
    undo: { within: 2h, side_effects: "a notice", cost: "$1", remedy: "call them" }
  - match: "s.clear"
    class: reversible
    snapshot: { tool: "s.get" }
    inverse: [{ tool: "s.open", args: { id: "$.id" } }, { for_each: "$snapshot.items[]", tool: "s.set", args: { id: "$item.id" } }]
  - { match: "s.whole", class: reversible, snapshot: { tool: "s.get" }, inverse: { tool: "s.set", args: { to: "$snapshot" } } }
  - { match: "s.listed", class: reversible, snapshot: { tool: "s.get" }, inverse: { tool: "s.set", args: { to: "$snapshot" } }, sets: [tags] }
  - { match: "s.tagged", class: reversible, snapshot: { tool: "s.get" }, inverse: { tool: "s.set", args: { to: "$snapshot", tag: "$current.etag" } } }
`;

function ruleOf(match: string): Rule {
  const loading = loadManifestText(TEXT, { directory: "/", env: {} });
  if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
  const policy: Policy = loading.policy;
  const found = policy.rules.find((rule) => rule.match === match);
  if (found === undefined) throw new Error(match);
  return found;
}

test("a rule keeps what undo goes by, and comes back from its JSON text as it was", () => {
  const record = recordRule(ruleOf("s.set"));
  expect(record).toMatchObject({ match: "s.set", line: 4, gate: "never", absentWhen: ["not found"], failedWhen: ["Error: *"] });
  expect(record.ignore.map(({ text }) => text)).toEqual(["updated_at", "items[].etag"]);
  expect(ruleRecordFrom(parseJson(printJson(storedRule(record))))).toEqual(record);
});

test("a rule keeps its inverse unresolved, how states are merged, and what undoing comes with", () => {
  const rule = ruleOf("s.add");
  const record = recordRule(rule);
  expect(record).toMatchObject({
    inverse: [{ server: "s", tool: "add", args: rule.inverse?.[0]?.args }],
    commutes: true,
    undo: { within: 7_200_000, sideEffects: "a notice", cost: "$1", remedy: "call them" },
  });
  expect(record.sets?.map(({ text }) => text)).toEqual(["tags"]);
  expect(record.identity?.map(({ text }) => text)).toEqual(["items[].sku"]);
  expect(ruleRecordFrom(parseJson(printJson(storedRule(record))))).toEqual(record);
});

test("inverse and paths are stored as a policy writes them, and what a rule doesn't say isn't stored", () => {
  const args = { id: "$.id", tag: "$current.etag", note: "costs $$5", by: { from: "$.by", negate: true } };
  expect(storedRule(recordRule(ruleOf("s.add")))).toMatchObject({
    inverse: { server: "s", tool: "add", args },
    ignore: [],
    sets: ["tags"],
    identity: ["items[].sku"],
  });
  expect(Object.keys(storedRule(recordRule(ruleOf("s.send"))))).toEqual(["match", "line", "gate", "ignore", "absentWhen", "failedWhen"]);
});

test("an inverse of several calls comes back as it was, repeated ones too", () => {
  const record = recordRule(ruleOf("s.clear"));
  expect(storedRule(record)).toMatchObject({
    inverse: [
      { server: "s", tool: "open", args: { id: "$.id" } },
      { server: "s", tool: "set", args: { id: "$item.id" }, forEach: "$snapshot.items[]" },
    ],
  });
  expect(ruleRecordFrom(parseJson(printJson(storedRule(record))))).toEqual(record);
});

test("a record of the version before, which kept no inverse and whole references, is read as one that says nothing of it", () => {
  const at = { namespace: "snapshot", steps: [{ kind: "member", name: "at" }], text: "at" };
  const older = { match: "s.set", line: 4, gate: "never", ignore: [at], absentWhen: ["gone"], failedWhen: [] };
  expect<unknown>(ruleRecordFrom(older)).toEqual(older);
  expect<unknown>(ruleRecordFrom({ ...older, ignore: ["at"] })).toEqual(older);
});

test("a state is the very text only where a rule reads and names nothing in it", () => {
  expect(["s.whole", "s.listed", "s.tagged"].map((match) => recordRule(ruleOf(match)).asText)).toEqual([true, undefined, undefined]);
});

test("the words for absence are those of the read that shows the state, an observation's where there is no snapshot", () => {
  expect(recordRule(ruleOf("s.make")).absentWhen).toEqual(["gone"]);
  expect(recordRule(ruleOf("s.send"))).toMatchObject({ gate: "always", absentWhen: [], ignore: [] });
});

test("P5: a call that no rule matched is recorded as such, and as gated", () => {
  const record = recordRule("unmentioned");
  expect(record).toEqual({ match: null, line: null, gate: "always", ignore: [], absentWhen: [], failedWhen: [] });
  expect(ruleRecordFrom(parseJson(printJson(storedRule(record))))).toEqual(record);
});

test.each([[null], ["s.set"], [[]]])("what is no record is a bug, not an empty rule: %p", (stored) => {
  expect(() => ruleRecordFrom(stored)).toThrow(TypeError);
});
