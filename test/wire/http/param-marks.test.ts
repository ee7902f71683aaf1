// Which marks for headers does a schema have, and which are against the rules (MCP 2026-07-28, "Schema Extension")?
import { expect, test } from "bun:test";
import { readParamMarks } from "../../../src/wire/http/param-marks.ts";

const MARKED = { type: "string", "x-mcp-header": "X" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more }) as never; // any JSON will do

test("marked arguments are found at any depth of properties, by the names of their headers", () => {
  const schema = object({
    region: { type: "string", "x-mcp-header": "Region" },
    deep: { type: "object", properties: { limit: { type: "integer", "x-mcp-header": "LIMIT" } } },
    "x-mcp-header": { type: "string", default: { "x-mcp-header": "no mark" } },
  });
  expect(readParamMarks(schema)).toEqual({
    kind: "marks",
    marks: [
      { path: ["region"], header: "mcp-param-region" },
      { path: ["deep", "limit"], header: "mcp-param-limit" },
    ],
  });
  for (const none of [undefined, null, [], {}, object({})]) expect(readParamMarks(none as never)).toEqual({ kind: "marks", marks: [] });
});

const BROKEN: readonly (readonly [string, unknown, string])[] = [
  ["on the whole", object({}, { "x-mcp-header": "X" }), "x-mcp-header stands where"],
  ["on an element", object({ list: { type: "array", items: MARKED } }), "list.items.x-mcp-header stands where"],
  [
    "in one case of several",
    object({ a: { oneOf: [{ type: "object", properties: { b: MARKED } }] } }),
    "a.oneOf.b.x-mcp-header stands where",
  ],
  ["in a definition", object({ a: { $ref: "#/$defs/d" } }, { $defs: { d: MARKED } }), "$defs.d.x-mcp-header stands where"],
  ["where a pattern fits", object({}, { patternProperties: { "^a": MARKED } }), "patternProperties.^a.x-mcp-header stands where"],
  ["on a number", object({ a: { type: "number", "x-mcp-header": "A" } }), "a.x-mcp-header marks what is neither"],
  ["on several types", object({ a: { type: ["string", "null"], "x-mcp-header": "A" } }), "a.x-mcp-header marks what is neither"],
  ["with an empty name", object({ a: { type: "string", "x-mcp-header": "" } }), "a.x-mcp-header is no name"],
  ["with a name of two lines", object({ a: { type: "string", "x-mcp-header": "A\r\nB" } }), "a.x-mcp-header is no name"],
  ["with a number for a name", object({ a: { type: "string", "x-mcp-header": 1 } }), "a.x-mcp-header is no name"],
  ["with a name that is taken", object({ a: MARKED, b: { type: "string", "x-mcp-header": "x" } }), "share the header mcp-param-x"],
];
test.each(BROKEN)("a mark %s breaks the rules", (_, schema, why) => {
  const read = readParamMarks(schema as never);
  expect(read).toMatchObject({ kind: "broken", why: expect.stringContaining(why) });
});
