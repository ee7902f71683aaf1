// Whatever somebody writes into a manifest: is it read, or refused with a place and a reason, at once? Never a crash, never a hang.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { compileTemplate } from "../../src/core/compile-template.ts";
import type { Json } from "../../src/core/json.ts";
import { readIgnoredPath, readReference } from "../../src/core/reference.ts";
import { referencesIn } from "../../src/core/references-in.ts";
import { resolve } from "../../src/core/template.ts";
import { writeTemplate } from "../../src/core/write-template.ts";
import { loadManifest } from "../../src/manifest/load.ts";
import { processorTime } from "../support/patience.ts";
import { ROOT } from "../support/sandbox.ts";
import { HEAD, OPTIONS } from "./texts.ts";

/** One reading may take so much of a processor, in milliseconds: far more than any needs, far less than what backtracking would take. */
const LONGEST = 2000;

function inTime<T>(work: () => T): T {
  const spent = processorTime();
  const made = work();
  expect(spent()).toBeLessThan(LONGEST);
  return made;
}

/** What references are made of, and what they are mixed up with. */
const PIECES = [
  "$",
  "$.",
  "$snapshot",
  "$result.",
  "$current",
  "$item",
  "$$",
  ".",
  "..",
  "[",
  "]",
  "[]",
  "[0]",
  "[-1]",
  "[99999999999]",
  "[id=",
  "[id=$.id]",
];
const MORE = [
  '[a="b c"]',
  '["a',
  '"]',
  "\\",
  "=",
  "a",
  "größe",
  "a-b_c",
  " ",
  "\n",
  "{",
  "}",
  "$" + "{HOME}",
  "😀",
  "\ud800",
  "\0",
  "__proto__",
  "7",
  "for_each",
];

/** The value in which random references look for something. */
const VALUE: Json = { a: [{ id: 1, a: ["x"] }, { id: 2 }], id: 1, "a-b_c": { größe: null }, __proto__: { a: 1 } };

test("5,000 random references are read or refused with a reason, and a read one is written as it was and either resolves or says why", () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...PIECES, ...MORE), fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 12 });
  let read = 0;
  fc.assert(
    fc.property(text, ([first = "", ...others]) => {
      const written = [first, ...others].join("");
      inTime(() => {
        const reference = readReference(`$${written}`, 0);
        expect(reference.kind === "invalid" ? reference.reason : reference.reference.text).not.toBe("");
        readIgnoredPath(written);
        const compiled = compileTemplate({ here: [written] });
        if (compiled.kind === "invalid") {
          for (const { path, reason } of compiled.problems) expect([path, reason === ""]).toEqual([["here", 0], false]);
          return;
        }
        if (referencesIn(compiled.template).length > 0) read++;
        expect(writeTemplate(compiled.template)).toEqual({ here: [written] });
        const resolution = resolve(compiled.template, { args: VALUE, snapshot: VALUE, current: VALUE });
        if (resolution.kind === "missing") expect(["unbound", "absent"]).toContain(resolution.why);
      });
    }),
    { numRuns: 5000 },
  );
  expect(read).toBeGreaterThan(200);
});

test("references as long as a manifest, nested as deep as one can be written, take no more than their length", () => {
  for (const long of [
    `$.a${".a".repeat(100_000)}`,
    `$.a${"[".repeat(100_000)}`,
    `$.a${"[a=$.a".repeat(20_000)}`,
    "$".repeat(100_001),
    `$.a["${"\\".repeat(100_000)}`,
  ])
    inTime(() => compileTemplate(long));
});

/** A rule with every kind of key; what is mutated besides the shipped policies. */
const RULES = `  - match: "kv.set"
    class: reversible
    snapshot:
      one: { tool: kv.get, args: { key: "$.key" }, absent_when: { error: [gone], result: ["No *"] }, extract: { a: "(?s)^x(.*)$" } }
      two: { tool: kv.list, pages: { cursor: "$.c", next: "$snapshot.n", items: rows }, complete: { whole: true } }
    inverse:
      - { tool: kv.set, args: { key: "$.key", a: "$snapshot.one.a", t: "$snapshot.two.rows[id=$.id].t" } }
      - { tool: kv.set, for_each: "$snapshot.two.rows[]", args: { key: "$item.id", all: { for_each: "$item.tags[]", item: { n: "$item" } } } }
    ignore: [two.at, "two.rows[].at"]
    identity: ["two.rows[].sku"]
    when_absent: { class: irreversible, gate: always }
  - match: "kv.do"
    by: "$.method"
    cases: { add: { class: compensable, commutes: true, inverse: { tool: kv.do, args: { by: { from: "$.by", negate: true } } } }, see: { class: readonly } }
`;

const SOURCES: readonly string[] = [
  HEAD + RULES,
  ...readdirSync(join(ROOT, "manifests"))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => readFileSync(join(ROOT, "manifests", name), "utf8")),
];

type Mutation = (text: string, at: number, piece: string) => string;

/** What a slip of the hand, a bad merge or a bad tool does to a text. */
const MUTATIONS: readonly Mutation[] = [
  (text, at, piece) => text.slice(0, at) + piece + text.slice(at),
  (text, at, piece) => text.slice(0, at) + piece + text.slice(at + piece.length),
  (text, at) => text.slice(0, at) + text.slice(at + 1 + (at % 7)),
  (text, at) => text.slice(0, at),
  (text, at) => withLines(text, (lines, line) => lines.toSpliced(line, 1), at),
  (text, at) => withLines(text, (lines, line) => lines.toSpliced(line, 0, lines[line] ?? ""), at),
  (text, at) => withLines(text, (lines, line) => lines.with(line, ` ${lines[line]}`), at),
  (text, at) => withLines(text, (lines, line) => lines.with(line, (lines[line] ?? "").trimStart()), at),
  (text, at, piece) =>
    withLines(text, (lines, line) => lines.with(line, (lines[line] ?? "").replace(/"[^"]*"/, JSON.stringify(piece))), at),
  (text, at, piece) => withLines(text, (lines, line) => lines.with(line, (lines[line] ?? "").replace(/\w+:/, `${piece}:`)), at),
  (text, at) => withLines(text, (lines, line) => lines.with(line, (lines[line] ?? "").replace(/: .*/, ": null")), at),
];

function withLines(text: string, change: (lines: readonly string[], line: number) => readonly string[], at: number): string {
  const lines = text.split("\n");
  return change(lines, at % lines.length).join("\n");
}

test("the rule that is mutated is a manifest as it stands", () => {
  for (const source of SOURCES)
    expect(loadManifest(new TextEncoder().encode(source), { ...OPTIONS, env: "any" })).toMatchObject({ kind: "loaded" });
});

test("P5: 500 mutated manifests load, or are refused with line and column inside of the text, and with words", () => {
  const piece = fc.oneof(
    fc.constantFrom(...PIECES, ...MORE, "&a", "*a", "!!x", "---", "- ", "? ", "|", "<<", "tool", "extract", "by", "item"),
    fc.string({ maxLength: 4 }),
  );
  const step = fc.tuple(fc.constantFrom(...MUTATIONS), fc.nat(), piece);
  let refused = 0;
  fc.assert(
    fc.property(fc.constantFrom(...SOURCES), fc.array(step, { minLength: 1, maxLength: 4 }), (source, steps) => {
      const mutated = steps.reduce((text, [mutate, at, put]) => mutate(text, at % (text.length + 1), put), source);
      const loading = inTime(() => loadManifest(new TextEncoder().encode(mutated), { ...OPTIONS, env: "any" }));
      if (loading.kind === "loaded") return;
      refused++;
      expect(loading.problems).not.toBeEmpty();
      const lines = mutated.split("\n");
      for (const { line, column, message } of loading.problems) {
        expect(line).toBeWithin(1, lines.length + 1);
        expect(column).toBeWithin(1, (lines[line - 1] ?? "").length + 2);
        expect(message.trim()).not.toBe("");
      }
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(150);
});
