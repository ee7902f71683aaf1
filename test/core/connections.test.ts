// Which calls build on which, what does a halt stand in the way of, and what will a thing look like with some of its paths put back?
import { expect, test } from "bun:test";
import { createBlocks } from "../../src/core/blocks.ts";
import { type ConnectedAction, dependentsOf, findConnections } from "../../src/core/connections.ts";
import type { Json } from "../../src/core/json.ts";
import { overlay } from "../../src/core/overlay.ts";
import type { PathStep } from "../../src/core/template.ts";
import { write } from "./plan-actions.ts";

const call = (seq: number, facts: Partial<ConnectedAction> = {}): ConnectedAction => ({
  id: `${seq}`,
  seq,
  resources: [],
  args: {},
  result: undefined,
  stands: true,
  ...facts,
});

/** Who builds on whom, as `newer<older`. */
const pairs = (actions: readonly ConnectedAction[]) => {
  const connections = findConnections(actions);
  return actions.flatMap(({ id }) => connections.usesOf(id).map(({ newer, older }) => `${newer}<${older}`));
};

test.each<[Json, boolean]>([
  ["c-1", true],
  ["n1", true],
  ["/srv/a", true],
  ["a\\b", true],
  ["ada@example", true],
  ["123", true],
  [100, true],
  [-2024, true],
  [{ deep: ["c-1"] }, true],
  ["pro", false],
  ["12", false],
  [99, false],
  [1234.5, false],
  [true, false],
  [null, false],
  ["", false],
  ["7", false],
  ["order 66", false],
  ["2026-11-30", false],
  ["2026-11-30T10:00:00Z", false],
  ["x1".repeat(151), false],
])("a later call that is given %j is taken to use what an earlier one brought: %j", (value, connected) => {
  expect(pairs([call(1, { result: { value } }), call(2, { args: { value } })])).toEqual(connected ? ["2<1"] : []);
});

test("only the call that brought a value first counts, not one that was given it, nor one that changed nothing", () => {
  const id = "c-1";
  const brings = { result: { id } };
  const uses = { args: { id } };
  expect(pairs([call(1, brings), call(2, { ...uses, ...brings }), call(3, uses)])).toEqual(["2<1", "3<1"]);
  expect(pairs([call(1, { ...uses, ...brings }), call(2, uses)])).toEqual([]);
  expect(pairs([call(1, { ...brings, stands: false }), call(2, brings), call(3, uses)])).toEqual([]); // a read had shown it
  expect(pairs([call(1, brings), call(2, { ...uses, stands: false })])).toEqual([]);
});

test("calls on one thing are a chain, which passes over what doesn't stand; dependents are found through it", () => {
  const on = (seq: number, resources: readonly string[], stands = true) => call(seq, { resources, stands });
  const actions = [on(1, ["a"]), on(2, ["a", "b"], false), on(3, ["b"]), on(4, ["a", "c"]), on(5, ["c", "a"]), on(6, ["d"])];
  expect(pairs(actions)).toEqual(["4<1", "5<4"]);
  const connections = findConnections(actions);
  expect([...dependentsOf(connections, ["1"])].sort()).toEqual(["4", "5"]);
  expect([...dependentsOf(connections, ["1", "4"])]).toEqual(["5"]);
  expect([...dependentsOf(connections, ["6", "3"])]).toEqual([]);
});

const step = (seq: number, resource: string) => write({ id: `${seq}`, seq, resources: [resource] });

test("P3: a halt stops all that is older; keeping going, or for want of a server, what is connected to it, through others too", () => {
  const connections = findConnections([
    call(1, { result: { id: "c-1" } }),
    call(2, { args: { id: "c-1" }, resources: ["b"] }),
    call(3, { resources: ["b"] }),
    call(4, { resources: ["z"] }),
  ]);
  for (const [keepGoing, reason, stopped] of [
    [false, "changed-since", [1, 2, 4]],
    [true, "changed-since", [1, 2]],
    [false, "server-unavailable", [1, 2]],
  ] as const) {
    const blocks = createBlocks({ keepGoing, connections });
    expect(blocks.of(step(2, "b"))).toBeUndefined();
    blocks.add(step(3, "b"), reason);
    blocks.carryOn(step(2, "b"));
    const found = [step(1, "a"), step(2, "b"), step(4, "z")].filter((action) => blocks.of(action)?.seq === 3);
    expect(found.map(({ seq }) => seq)).toEqual([...stopped]);
  }
});

const path = (...names: (string | number)[]): readonly PathStep[] =>
  names.map((name) => (typeof name === "string" ? { kind: "member", name } : { kind: "index", index: name }));

test.each<[Json, Json, readonly (readonly PathStep[])[] | undefined, Json]>([
  [{ a: 1, b: 2 }, { a: 9, b: 8 }, [path("a")], { a: 9, b: 2 }],
  [{ a: 1, b: 2 }, { a: 9 }, undefined, { a: 9 }],
  [{ a: { x: 1, y: 2 } }, { a: { x: 9, y: 8 } }, [path("a", "x")], { a: { x: 9, y: 2 } }],
  [{ a: 1, b: 2 }, { b: 8 }, [path("a")], { b: 2 }],
  [{ l: [{ v: 1 }, { v: 2 }] }, { l: [{ v: 9 }] }, [path("l", 0, "v")], { l: [{ v: 9 }] }],
  [{ a: 1 }, { a: { x: 9 } }, [path("a", "x")], { a: { x: 9 } }],
  ["text", { a: 9 }, [path("a")], { a: 9 }],
])("%j with what %j has at some paths", (now, source, paths, wanted) => {
  expect(overlay(now, source, paths)).toEqual(wanted);
});
