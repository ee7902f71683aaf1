import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { disguisedEnvelope, duplicateKeys } from "../../src/wire/ambiguity.ts";
import {
  appendToString,
  dropElements,
  elementsOf,
  insertMember,
  memberSpan,
  membersOf,
  prependToString,
  replaceMember,
} from "../../src/wire/splice.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
const at = (text: string, ...path: string[]) => {
  const span = memberSpan(bytesOf(text), path);
  return span && textOf(bytesOf(text).subarray(span.start, span.end));
};

describe("memberSpan", () => {
  test("finds what JSON.parse finds, at any path of any value, however it is printed", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 1, "\t\r\n "), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), undefined, indent);
        const visit = (value: unknown, path: string[]) => {
          const found = at(text, ...path);
          expect(found === undefined ? undefined : JSON.parse(found)).toEqual(value);
          if (typeof value !== "object" || value === null || Array.isArray(value)) return;
          for (const [key, member] of Object.entries(value)) visit(member, [...path, key]);
        };
        visit(JSON.parse(text), []);
      }),
    );
  });

  test("takes the last of two equal keys, and reads keys through their escapes", () => {
    expect(at('{"a":1,"\\u0061":2}', "a")).toBe("2");
    expect(at('{"é\\"":[1, {"x":"]}"}] }', 'é"')).toBe('[1, {"x":"]}"}]');
  });

  test("finds nothing in bytes that are no JSON, and never throws", () => {
    for (const text of ["", "{", '{"a"', '{"a":', '{"a":1', '{"a":"', '{"a":1 "b":2}', "]", '{"a":}', "{,}"])
      expect(at(text, "a")).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom("a", ""), (bytes, key) => {
        memberSpan(bytes, [key]);
        memberSpan(bytes, []);
        duplicateKeys(bytes);
        elementsOf(bytes);
      }),
    );
  });

  test("gets through a nesting of 100,000 levels", () => {
    const deep = `${'{"a":['.repeat(50_000)}1${"]}".repeat(50_000)}`;
    expect(at(`{"x":${deep},"id":5}`, "id")).toBe("5");
    expect(duplicateKeys(bytesOf(deep))).toBe(false);
  });
});

describe("splicing", () => {
  test("changes one place and leaves every other byte as it was", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.json({ maxDepth: 3 }), fc.json(), (before, after, value) => {
        const text = `{"b": ${before},\r\n "id"\t:${value} ,"c":{"s":"t\\u00e9"},"n":${after}}`;
        const put = (id: string, s: string) => `{"b": ${before},\r\n "id"\t:${id} ,"c":{"s":${s}},"n":${after}}`;
        expect(textOf(replaceMember(bytesOf(text), ["id"], bytesOf("77")))).toBe(put("77", '"t\\u00e9"'));
        expect(textOf(appendToString(bytesOf(text), ["c", "s"], 'ü"\n'))).toBe(put(value, '"t\\u00e9ü\\"\\n"'));
      }),
    );
  });

  test("inserts into empty and filled objects", () => {
    expect(textOf(insertMember(bytesOf('{"a":{ }}'), ["a"], 'k"', bytesOf("1")))).toBe('{"a":{ "k\\"":1}}');
    expect(textOf(insertMember(bytesOf('{"a":{"b":2}}'), ["a"], "k", bytesOf("1")))).toBe('{"a":{"b":2,"k":1}}');
    expect(textOf(insertMember(bytesOf('{"a":2} '), [], "k", bytesOf("1")))).toBe('{"a":2,"k":1} ');
  });

  test("says so where there is no such place", () => {
    expect(replaceMember(bytesOf('{"a":1}'), ["b"], bytesOf("1"))).toBeUndefined();
    expect(insertMember(bytesOf('{"a":[]}'), ["a"], "k", bytesOf("1"))).toBeUndefined();
    expect(appendToString(bytesOf('{"a":1}'), ["a"], "x")).toBeUndefined();
  });

  test("takes a list apart", () => {
    expect(elementsOf(bytesOf(' [ 1,"]", {"a":[2]} ,[] ]')).map(textOf)).toEqual(["1", '"]"', '{"a":[2]}', "[]"]);
    expect(elementsOf(bytesOf("[]"))).toEqual([]);
  });
});

describe("P5: what another reader could read differently", () => {
  test("is found at any depth, through escapes, and in another case where the protocol gives the names", () => {
    for (const text of [
      '{"method":"ping","method":"tools/call"}',
      '{"method":"ping","\\u006dethod":"tools/call"}',
      '{"method":"ping","Method":"tools/call"}',
      '{"params":{"name":"a","arguments":{"x":[{"k":1,"k":1}]}}}',
      '{"params":{"name":"a","NAME":"b"}}',
      '{"params":{"arguments":1,"argument\\u017f":2}}',
      '{"a":{"":1,"":2}}',
    ]) {
      expect([text, duplicateKeys(bytesOf(text))]).toEqual([text, true]);
    }
  });

  test("is not seen where there is nothing of the kind", () => {
    expect(duplicateKeys(bytesOf('{"a":{"b":"b","c":["b",{"b":1},{"b":":"}]},"d":{"e":{"Path":1,"path":2}}}'))).toBe(false);
    fc.assert(
      fc.property(fc.json(), (json) => {
        const depthBelowProtocol = `[[${JSON.stringify(JSON.parse(json))}]]`;
        expect(duplicateKeys(bytesOf(depthBelowProtocol))).toBe(false);
      }),
    );
  });

  test("an envelope's key in another case is a disguise even alone", () => {
    expect(disguisedEnvelope({ id: 1, Method: "tools/call" })).toBe(true);
    expect(disguisedEnvelope({ jsonrpc: "2.0", id: 1, method: "x", params: {}, result: 1, error: 1, extra: 1 })).toBe(false);
  });
});

test("text is put in front of a string without touching how the rest of it is written", () => {
  const bytes = bytesOf('{"a":{"name":"\\u0067et"},"n":1}');
  expect(textOf(prependToString(bytes, ["a", "name"], 'x"__'))).toBe('{"a":{"name":"x\\"__\\u0067et"},"n":1}');
  expect(prependToString(bytes, ["n"], "x")).toBeUndefined();
  expect(prependToString(bytes, ["none"], "x")).toBeUndefined();
});

test("the members of an object come with the bytes of their values; of two equal ones the last", () => {
  const members = membersOf(bytesOf('{"r":{"a": 1.0 ,"b":[1, 2],"\\u0061":"z"}}'), ["r"]);
  expect(members.map(([name, value]) => [name, textOf(value)])).toEqual([
    ["a", '"z"'],
    ["b", "[1, 2]"],
  ]);
  expect(membersOf(bytesOf('{"r":[1]}'), ["r"])).toEqual([]);
  expect(membersOf(bytesOf("{}"), ["r"])).toEqual([]);
});

test("dropElements leaves what JSON.parse would leave, and nothing where there is no array", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.func(fc.boolean()), fc.constantFrom(undefined, 1), (list, isDropped, indent) => {
      const bytes = bytesOf(JSON.stringify({ a: { list }, b: 1 }, undefined, indent));
      const left = JSON.parse(JSON.stringify(list)).filter((_: unknown, index: number) => !isDropped(index));
      expect(JSON.parse(textOf(dropElements(bytes, ["a", "list"], isDropped)) ?? "")).toEqual({ a: { list: left }, b: 1 });
    }),
  );
  expect(dropElements(bytesOf('{"a":{}}'), ["a"], () => true)).toBeUndefined();
});
