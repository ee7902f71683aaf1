// Which keys stand for the things that a call touches.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileTemplate } from "../../src/core/compile-template.ts";
import type { Json } from "../../src/core/json.ts";
import type { Rule } from "../../src/core/policy.ts";
import { normalizePath, resourcesOf } from "../../src/core/resource.ts";
import type { Bindings } from "../../src/core/template.ts";

function resources(texts: readonly string[], bindings: Bindings, args?: Json): readonly string[] {
  const resource = texts.map((text) => {
    const compiled = compileTemplate(text);
    if (compiled.kind === "invalid") throw new Error(text);
    return compiled.template;
  });
  const rule: Rule = {
    match: "fs.x",
    class: "reversible",
    gate: "never",
    resource,
    ignore: [],
    failedWhen: [],
    position: { line: 1, column: 1 },
    digest: "",
  };
  return resourcesOf(rule, "fs", bindings, args === undefined ? undefined : { server: "fs", tool: "read", args }) ?? ["(too many)"];
}

describe("resources", () => {
  test("are texts with the server's name, sorted, each once", () => {
    expect(resources(["file:$.to", "file:$.from"], { args: { from: "a", to: "b" } })).toEqual(["fs:file:a", "fs:file:b"]);
    expect(resources(["file:$.to", "file:$.from"], { args: { from: "./a", to: "a" } })).toEqual(["fs:file:a"]);
  });

  test("of writing a file and of moving it meet, however the path is written", () => {
    const [written] = resources(["file:$.path"], { args: { path: "/d/./x/../a.txt" } });
    expect(resources(["file:$.source", "file:$.destination"], { args: { source: "/d//a.txt", destination: "/d/b.txt" } })).toContain(
      written ?? "",
    );
  });

  test("come one for each element of a list", () => {
    expect(resources(["entity:$.entities[].name"], { args: { entities: [{ name: "Ada" }, { name: "Bob" }] } })).toEqual([
      "fs:entity:Ada",
      "fs:entity:Bob",
    ]);
    expect(resources(["$.names"], { args: { names: ["x", 7] } })).toEqual(["fs:7", "fs:x"]);
  });

  test("are at most ten thousand: more are no names, however they would come about", () => {
    const list = Array.from({ length: 10_000 }, (_, index) => index);
    expect(resources(["$.p[]"], { args: { p: list } })).toHaveLength(10_000);
    expect(resources(["$.p[]", "one more"], { args: { p: list } })).toEqual(["(too many)"]);
    expect(resources(["$.p[]"], { args: { p: [...list, "one more"] } })).toEqual(["(too many)"]);
    expect(resources(["x:$.p[]/$.p[]/$.p[]"], { args: { p: list } })).toEqual(["(too many)"]);
  });

  test("that can't be named yet are left out; where none is left it is the read that shows the state", () => {
    expect(resources(["c:$result.id", "c:$.id"], { args: { id: 1 } })).toEqual(["fs:c:1"]);
    expect(resources(["c:$result.id"], { args: {} }, { b: 1, a: "./x" })).toEqual(['fs:read:{"a":"x","b":1}']);
    expect(resources(["c:$result.id"], { args: {}, result: { id: "c-1" } }, {})).toEqual(["fs:c:c-1"]);
    expect(resources([], { args: {} })).toEqual([]);
  });
});

describe("a path", () => {
  test("is written in one way", () => {
    const ways: Record<string, string> = {
      "./a": "a",
      "a//b": "a/b",
      "a/./b": "a/b",
      "a/x/../b": "a/b",
      "/a/../../b": "/b",
      "../a": "../a",
      "a/../../b": "../b",
      "file:./a": "file:a",
      "file:/x//y/": "file:/x/y",
      "customer:c-1": "customer:c-1",
      "./a:b": "a:b",
    };
    for (const [written, normal] of Object.entries(ways)) expect(normalizePath(written)).toBe(normal);
  });

  test("once normal stays as it is", () => {
    const segment = fc.constantFrom(".", "..", "a", "b:c", "", "ä");
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const normal = normalizePath(segments.join("/"));
        expect(normalizePath(normal)).toBe(normal);
      }),
    );
  });
});
