// What do a policy's rules read that isn't there, by the schemas of the servers?
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json.ts";
import { checkPaths, type ToolSchemas } from "../../src/core/path-check.ts";
import { HEAD, policyOf } from "../manifest/texts.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const STATE = object({
  name: { type: "string" },
  etag: { type: "string" },
  tags: { type: "array", items: { type: "string" } },
  items: { type: "array", items: object({ sku: {} }) },
});
/** Arguments of which nothing is said, and that are in no state. */
const ANY: JsonObject = { n: {}, e: {}, s: {}, r: {}, i: {}, j: {}, a: {}, b: {} };
const TOOLS: readonly ToolSchemas[] = [
  { name: "get", inputSchema: object({ id: { type: "string" } }), outputSchema: STATE },
  { name: "set", inputSchema: object({ id: { type: "string" }, by: { type: "integer" }, ...ANY }), outputSchema: object({ rev: {} }) },
  { name: "raw", inputSchema: {} },
];

/** Each finding as `line: message`, without what all end in. */
function findings(rule: string, tools = TOOLS): readonly string[] {
  return checkPaths(policyOf(`${HEAD}  - ${rule}\n`), new Map([["kv", tools]])).map(({ position, severity, message }) => {
    expect(severity).toBe("warning");
    expect(message).toEndWith(", by the schemas that the server lists");
    return `${position.line}: ${message.slice(0, message.lastIndexOf(", by"))}`;
  });
}

const READ = "match: kv.set, class: reversible, snapshot: { tool: kv.get, args: { id: $.id } }";

test("paths that the schemas have, or say nothing of, are right", () => {
  const inverse = "inverse: { tool: kv.set, args: { n: $snapshot.name, e: $current.etag, s: '$snapshot.items[].sku', r: $result.rev } }";
  const paths = "ignore: [etag, 'items[].sku.x'], sets: [tags], identity: ['items[].sku']";
  expect(findings(`{ ${READ}, ${inverse}, ${paths} }`)).toEqual([]);
  expect(findings("{ match: kv.raw, class: compensable, inverse: { tool: kv.raw, args: { a: $.a, r: $result.r } } }")).toEqual([]);
});

test("a path that a schema denies is named, whatever it is in, once for each tool", () => {
  const inverse = "inverse: { tool: kv.set, args: { n: $snapshot.nam, e: $current.tag, i: $.idd, j: $.idd, r: 'r$result.rv' } }";
  const paths = "ignore: [updated], sets: [lables], identity: ['items[].id']";
  expect(findings(`{ ${READ}, ${inverse}, ${paths}, resource: "x:$.key" }`)).toEqual([
    "6: rule of `kv.set`: there is no `$snapshot.nam`",
    "6: rule of `kv.set`: there is no `$current.tag`",
    "6: rule of `kv.set`: there is no `$.idd`",
    "6: rule of `kv.set`: there is no `$result.rv`",
    "6: rule of `kv.set`: there is no `$.key`",
    "6: rule of `kv.set`: `updated` isn't in the state",
    "6: rule of `kv.set`: `items[].id` isn't in the state",
    "6: rule of `kv.set`: `lables` isn't in the state",
  ]);
});

test("a set that is no list, and a negated text, are named", () => {
  const inverse = "inverse: { tool: kv.set, args: { by: { from: $.by, negate: true }, id: { from: $.id, negate: true } } }";
  expect(findings(`{ ${READ}, ${inverse}, sets: [name] }`)).toEqual([
    "6: rule of `kv.set`: `$.id` is negated, and is no number but string",
    "6: rule of `kv.set`: `name` is no list but string, so it can't be one of `sets`",
  ]);
});

test("a schema that lets other members be, or is put together of several, denies nothing", () => {
  const rule = "{ match: kv.set, class: compensable, inverse: { tool: kv.set, args: { a: $result.a, b: $.b } } }";
  const denying = [{ name: "set", inputSchema: object({}), outputSchema: object({}) }];
  expect(findings(rule, denying)).toHaveLength(4);
  const others = object({}, { additionalProperties: true });
  expect(findings(rule, [{ name: "set", inputSchema: others, outputSchema: object({}, { allOf: [] }) }])).toEqual([]);
});

test("P5: a statement that isn't where the rule looks for it is an error", () => {
  const found = (statement: string) => {
    const rule = `{ match: kv.set, class: irreversible, gate: on_write, sql: { statement: ${statement}, dialect: sqlite } }`;
    return checkPaths(policyOf(`${HEAD}  - ${rule}\n`), new Map([["kv", TOOLS]])).map(({ severity, message }) => `${severity}: ${message}`);
  };
  expect(found("$.query")).toEqual([
    "error: rule of `kv.set`: there is no `$.query`, which `sql` names, by the schemas that the server lists",
  ]);
  expect(found("$.s")).toEqual([]);
});
