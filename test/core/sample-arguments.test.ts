// What is made up from a tool's inputSchema: what it requires, in a form that it takes.
import { describe, expect, test } from "bun:test";
import Ajv from "ajv";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { sampleArguments, withArgument } from "../../src/core/sample-arguments.ts";

function made(schema: Json): JsonObject {
  let count = 0;
  return sampleArguments(schema, () => `text-${++count}`);
}
const madeFor = (property: Json) => made({ type: "object", properties: { it: property }, required: ["it"] })["it"];

describe("a call that is made up", () => {
  test("has the members that are required, and no others", () => {
    const schema = { type: "object", properties: { id: { type: "string" }, limit: { type: "integer" } }, required: ["id"] };
    expect(made(schema)).toEqual({ id: "text-1" });
    expect([made({}), made(true), made({ type: "object" })]).toEqual([{}, {}, {}]);
  });

  const cases: Readonly<Record<string, readonly [schema: Json, value: Json]>> = {
    "takes what the schema says is the only value": [{ const: 7 }, 7],
    "takes an example before a default, and that before a choice": [{ examples: ["e"], default: "d", enum: ["a", "d", "e"] }, "e"],
    "takes a default": [{ type: "boolean", default: false }, false],
    "takes the first choice": [{ enum: ["a", "b"] }, "a"],
    "keeps to the least": [{ type: "integer", minimum: 5 }, 5],
    "goes beyond what it has to be more than": [{ type: "integer", exclusiveMinimum: 5 }, 6],
    "keeps to the most": [{ type: "number", maximum: -2 }, -2],
    "keeps to multiples": [{ type: "integer", minimum: 7, multipleOf: 5 }, 10],
    "makes a text long enough": [{ type: "string", minLength: 10 }, "text-1xxxx"],
    "makes a text short enough": [{ type: "string", maxLength: 3 }, "t-1"],
    "makes as many elements as there have to be": [{ type: "array", items: { type: "string" }, minItems: 2 }, ["text-1", "text-2"]],
    "takes a type that isn't null": [{ type: ["null", "boolean"] }, true],
    "takes a choice of schemas that isn't null": [{ anyOf: [{ type: "null" }, { type: "integer" }] }, 1],
    "adds up what several schemas say": [
      {
        allOf: [
          { properties: { a: { type: "integer" } }, required: ["a"] },
          { properties: { b: { type: "null" } }, required: ["b"] },
        ],
      },
      { a: 1, b: null },
    ],
  };
  test.each(Object.entries(cases))("%s", (_name, [schema, value]) => {
    expect(madeFor(schema)).toEqual(value);
  });

  test("is what a validator accepts, through references too", () => {
    const schema = {
      type: "object",
      $defs: { node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } }, required: ["name"] } },
      properties: { nodes: { type: "array", minItems: 1, items: { $ref: "#/$defs/node" } }, when: { type: "string", format: "date-time" } },
      required: ["nodes", "when"],
      additionalProperties: false,
    };
    const validate = new Ajv({ formats: { "date-time": (text: string) => !Number.isNaN(Date.parse(text)) } }).compile(schema);
    expect([validate(made(schema)), validate.errors]).toEqual([true, null]);
  });

  test("ends where a schema requires itself", () => {
    const schema = {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] } },
      $ref: "#/$defs/node",
    };
    expect(JSON.stringify(made(schema)).length).toBeLessThan(1000);
  });
});

test("an argument is put in its place, beside what is there", () => {
  const place = [
    { kind: "member", name: "do" },
    { kind: "member", name: "what" },
  ] as const;
  expect(withArgument({ a: 1, do: { b: 2 } }, place, "set")).toEqual({ a: 1, do: { b: 2, what: "set" } });
  expect(withArgument({}, place, "set")).toEqual({ do: { what: "set" } });
});
