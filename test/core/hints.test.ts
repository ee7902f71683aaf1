// What does a server say in hints, as far as it can be read?
import { expect, test } from "bun:test";
import { checkHints } from "../../src/core/hint-check.ts";
import { effectOf, readEffect, toolHints, undoByOf } from "../../src/core/hints.ts";
import type { Json } from "../../src/core/json.ts";
import { loadManifestText } from "../../src/manifest/load.ts";

test("of annotations only the hints that are true or false are read", () => {
  expect(toolHints({ title: "Get", readOnlyHint: true, destructiveHint: "no", openWorldHint: false })).toEqual({
    readOnlyHint: true,
    openWorldHint: false,
  });
  expect(toolHints({ title: "Get" })).toBeUndefined();
  expect(toolHints(null)).toBeUndefined();
});

test("what a result says of its effect is read from its _meta alone, each text cut to what a person reads, and reads the same once recorded", () => {
  const said = {
    version: 2,
    effect: "x".repeat(600),
    sideEffects: [{ description: "one" }, "two", 3, null],
    undoBy: 1_900_000_000,
    more: {},
  };
  const effect = effectOf({ content: [], _meta: { "hatp/journal": said } });
  expect(effect).toEqual({ version: "2", effect: "x".repeat(500), sideEffects: "one; two; 3", undoBy: "2030-03-17T17:46:40.000Z" });
  expect(readEffect({ ...effect })).toEqual(effect);
  for (const nothing of [undefined, "text", { _meta: {} }, { _meta: { "hatp/journal": "text" } }, { "hatp/journal": said }])
    expect(effectOf(nothing as Json)).toBeUndefined();
});

test.each([
  ["2030-01-02T03:04:05Z", "2030-01-02T03:04:05.000Z"],
  ["2030-01-02T03:04:05", "2030-01-02T03:04:05.000Z"],
  ["2030-01-02T03:04:05+02:00", "2030-01-02T01:04:05.000Z"],
  ["2030-01-02", "2030-01-02T00:00:00.000Z"],
  [1_900_000_000_000, "2030-03-17T17:46:40.000Z"],
  ["2030-13-45", undefined],
  ["1", undefined],
  ["in a week", undefined],
  [1e300, undefined],
])("undoBy %p is the moment %p", (undoBy, moment) => {
  const found = undoByOf(readEffect({ undoBy }));
  expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(moment);
});

test.each([
  [{ irreversible: true }, true],
  [{ reversible: false }, true],
  [{ reversible: true, effect: "x" }, undefined],
  [{ irreversible: "yes", effect: "x" }, undefined],
])("%p says that it is final: %p", (said, final) => {
  expect(readEffect(said)?.irreversible).toBe(final as true);
});

test("defaults that a library wrote for every tool of a server are no reason to doubt its reads; one that was chosen is", () => {
  const loading = loadManifestText('version: 1\nservers: { s: { command: s } }\ntools: [{ match: "s.*", class: readonly }]', {
    directory: "/",
    env: "any",
  });
  if (loading.kind === "invalid") throw new Error("the manifest is invalid");
  const defaults = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  const doubted = (...annotations: Json[]) =>
    checkHints(loading.policy, new Map([["s", annotations.map((each, at) => ({ name: `t${at}`, annotations: each }))]])).map(
      ({ message }) => message.match(/`[^`]+`/g),
    );
  expect(doubted(defaults, defaults, {})).toEqual([]);
  expect(doubted(defaults, { readOnlyHint: true })).toEqual([["`s.t0`"]]);
  expect(doubted({ ...defaults, openWorldHint: false }, { destructiveHint: true })).toEqual([["`s.t0`", "`s.t1`"]]);
});
