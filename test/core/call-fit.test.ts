// Does a rule send what the tools take, and put back what a call can change? By the servers' schemas.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json.ts";
import { checkPaths, type ToolSchemas } from "../../src/core/path-check.ts";
import { HEAD, policyOf } from "../manifest/texts.ts";

const text = { type: "string" };
const object = (properties: JsonObject, required: readonly string[] = [], more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required,
  ...more,
});

const GET: ToolSchemas = {
  name: "get",
  inputSchema: object({ id: text, deep: { type: "boolean" } }, ["id"], { additionalProperties: false }),
  outputSchema: object({ id: text, name: text, tags: { type: "array", items: text }, size: { type: "integer" } }),
};
const SET: ToolSchemas = {
  name: "set",
  inputSchema: object(
    { id: text, name: text, tags: { type: "array", items: text }, limit: { type: "number" }, note: { type: ["string", "null"] } },
    ["id"],
  ),
  outputSchema: object({ id: text, at: { type: "integer" } }),
};

/** Each finding as `severity line: message`, without what all begin and end with. */
function findings(rule: string, tools: readonly ToolSchemas[] = [GET, SET]): readonly string[] {
  return checkPaths(policyOf(`${HEAD}  - ${rule}\n`), new Map([["kv", tools]])).map(({ position, severity, message }) => {
    expect(message).toEndWith(", by the schemas that the server lists");
    return `${severity} ${position.line}: ${message.slice("rule of `kv.set`: ".length, message.lastIndexOf(", by"))}`;
  });
}

const rule = (read: string, args: string, more = "") =>
  `{ match: kv.set, class: reversible, snapshot: { tool: kv.get, args: { ${read} } }, inverse: { tool: kv.set, args: { ${args} } }${more} }`;
const WHOLE = "id: $.id, name: $snapshot.name, tags: $snapshot.tags";

test("a rule that sends what the tools take, and puts back what the state has, is right", () => {
  expect(findings(rule("id: $.id", WHOLE))).toEqual([]);
  expect(findings(rule("id: $.id, deep: true", `${WHOLE}, limit: $result.at, note: null`))).toEqual([]);
  expect(findings(rule("id: 'x-$.id'", "id: $.id, name: $snapshot.name, tags: ['a', $snapshot.name]"))).toEqual([]);
});

test("an argument that a tool needs and isn't sent is an error; one that the agent may leave out is a warning", () => {
  expect(findings(rule("deep: true", WHOLE))).toEqual(["error 6: `kv.get` needs the argument `id`"]);
  expect(findings(rule("id: $.name", WHOLE))).toEqual(["warning 6: `kv.get` needs the argument `id`, and a call may leave out `$.name`"]);
  expect(findings(rule("id: { from: $.name, missing: x }", WHOLE))).toEqual([]);
});

test("an argument that a tool doesn't know is an error where the tool says that it takes no others, else a warning", () => {
  expect(findings(rule("id: $.id, dep: true", WHOLE))).toEqual(["error 6: `kv.get` takes no argument `dep`"]);
  expect(findings(rule("id: $.id", `${WHOLE}, etag: x`))).toEqual(["warning 6: `kv.set` takes no argument `etag`"]);
  const others = [GET, { ...SET, inputSchema: object({ id: text }, ["id"], { additionalProperties: true }) }];
  expect(findings(rule("id: $.id", `${WHOLE}, etag: x`), others)).toEqual([]);
});

test("a value of another type than the tool takes is an error where the rule itself writes it, and a warning where it is read", () => {
  expect(findings(rule("id: 5", WHOLE))).toEqual(["error 6: `kv.get` takes a string as `id`, and is sent a number"]);
  expect(findings(rule("id: $.id, deep: 'yes'", WHOLE))).toEqual(["error 6: `kv.get` takes a boolean as `deep`, and is sent a string"]);
  expect(findings(rule("id: $.tags", WHOLE))).toContain("warning 6: `kv.get` takes a string as `id`, and is sent an array");
  expect(findings(rule("id: $.id", `${WHOLE}, note: $snapshot.size`))).toEqual([
    "warning 6: `kv.set` takes a string or null as `note`, and is sent an integer",
  ]);
});

test("types are compared inside of what is sent, too", () => {
  const nested = { name: "set", inputSchema: object({ of: object({ id: text }) }) };
  const inner = "{ match: kv.set, class: compensable, inverse: { tool: kv.set, args: { of: { id: [] } } } }";
  expect(findings(inner, [nested])).toEqual(["error 6: `kv.set` takes a string as `of.id`, and is sent an array"]);
});

test("P3: what a call can change and the inverse doesn't put back is named", () => {
  expect(findings(rule("id: $.id", "id: $.id"))).toEqual([
    "warning 6: the inverse doesn't put back `name`, `tags`, which a call can change",
  ]);
  expect(findings(rule("id: $.id", "id: $.id, name: $snapshot.name", ", ignore: [tags]"))).toEqual([]);
  const silent = [{ name: "get", inputSchema: GET.inputSchema }, SET];
  expect(findings(rule("id: $.id", WHOLE), silent)).toEqual([
    "warning 6: the inverse doesn't put back `limit`, `note`, which a call can change",
  ]);
});

test("what a check reads, sends and expects is compared as well", () => {
  const check =
    "{ match: kv.set, class: irreversible, verify: [{ name: x, read: { tool: kv.get, args: { di: $.id } }, expect: { at: $result.att } }] }";
  expect(findings(check)).toEqual([
    "warning 6: there is no `$result.att`",
    "error 6: `kv.get` takes no argument `di`",
    "error 6: `kv.get` needs the argument `id`",
  ]);
});

test("cases that the argument never has, and values without a case, are named, and each case is checked as a rule", () => {
  const method = { name: "set", inputSchema: object({ id: text, method: { enum: ["create", "update", "drop"] } }) };
  const cases = `{ match: kv.set, by: $.method, cases: { create: { class: irreversible }, updat: ${rule("ids: $.id", "id: $.id, method: update").replace("match: kv.set, ", "")} } }`;
  expect(findings(cases, [GET, method])).toEqual([
    "warning 6: `$.method` is never `updat`",
    "warning 6: no case for `update`, `drop`, so such calls are held for a person",
    "error 6: `kv.get` takes no argument `ids`",
    "error 6: `kv.get` needs the argument `id`",
  ]);
});

test("P5: what a variant of a rule sends is checked, and what it has from its rule is said once", () => {
  const variant = ", when_present: { inverse: { tool: kv.set, args: { id: $.id, nam: $snapshot.name, tags: $snapshot.tags } } }";
  expect(findings(rule("id: 5", WHOLE, variant))).toEqual([
    "error 6: `kv.get` takes a string as `id`, and is sent a number",
    "warning 6: `kv.set` takes no argument `nam`",
  ]);
});
