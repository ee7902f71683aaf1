import { expect, test } from "bun:test";
import { readSavedTools } from "../../src/draft/saved-tools.ts";

function read(text: string) {
  return readSavedTools(new TextEncoder().encode(text));
}

function reasonOf(text: string): string {
  const saved = read(text);
  return saved.kind === "unreadable" ? saved.reason : "";
}

test("the result of tools/list, the whole reply and the bare list are one and the same", () => {
  const tools = '[{"name":"get_a","inputSchema":{"type":"object"}},{"name":"set_a"}]';
  const expected = { kind: "tools", tools: [{ name: "get_a" }, { name: "set_a", inputSchema: {} }] };
  for (const text of [
    tools,
    `{"tools":${tools}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"tools":${tools}}}`,
    `{"tools":${tools},"package":"p"}`,
  ])
    expect(read(text)).toMatchObject(expected);
  expect(read("[]")).toEqual({ kind: "tools", tools: [] });
});

test("what isn't such a list says why, once, and is never taken half", () => {
  expect(reasonOf("")).toBe("isn't JSON in UTF-8");
  expect(reasonOf("[{]")).toBe("isn't JSON in UTF-8");
  expect(readSavedTools(new Uint8Array([0x22, 0xff, 0x22]))).toMatchObject({ kind: "unreadable", reason: "isn't JSON in UTF-8" });
  for (const text of ["null", "{}", '{"tools":{}}', '{"result":{}}', '{"error":{}}', "3"])
    expect(reasonOf(text)).toStartWith("has no list of tools");
  expect(reasonOf('[{"name":"a"},{"title":"b"}]')).toBe("has a tool without a name: the 2nd of the list");
  expect(reasonOf('[{"name":"a"},3]')).toBe("has a tool without a name: the 2nd of the list");
  expect(reasonOf('[{"name":"a\\u202e"},{"name":"b"},{"name":"a\\u202e"}]')).toBe('lists two tools of the name "a\\u202e"');
});
