// Is a JSON file of a client's edited in one place, and in no other byte?
import { describe, expect, test } from "bun:test";
import type { Change } from "../../../src/clients/formats/document.ts";
import { edit, expectEdit, openText, restore, whyRefused, written } from "../../support/client-documents.ts";

const wrap: readonly Change[] = [
  { kind: "set", path: ["command"], value: "/opt/synartesis" },
  { kind: "set", path: ["args"], value: ["proxy", "--", "npx", "-y", "notes"] },
];
const NOTES = ["mcpServers", "notes"];

const COMMENTED = `{
  // what I use
  "mcpServers": {
    "notes": {
      "command": "npx", // by npx
      /* two words */ "args": ["-y", "notes"] // the last
    }, // notes end
    "empty": {},
  },
  "theme": "dark"
}
`;

describe("a member gets another value", () => {
  test("P1: every other byte stays: comments, order, a comma at the end", async () => {
    const after = COMMENTED.replace('"npx",', '"/opt/synartesis",').replace('["-y", "notes"]', '["proxy", "--", "npx", "-y", "notes"]');
    await expectEdit("jsonc", COMMENTED, NOTES, wrap, after);
  });

  test("P1: a byte order mark and line ends of two characters stay", async () => {
    const text = `\uFEFF${COMMENTED.replaceAll("\n", "\r\n")}`;
    const { document, patch } = edit(await openText("jsonc", text), NOTES, ...wrap, { kind: "set", path: ["env"], value: { A: "" } });
    const lines = written(document).split("\n");
    expect(lines.every((line, index) => line.endsWith("\r") || index === lines.length - 1)).toBe(true);
    expect(written(document).startsWith("\uFEFF{\r\n  // what I use\r\n")).toBe(true);
    expect(written(restore(document, patch).document)).toBe(text);
  });

  test("a file in one line stays in one line", async () => {
    await expectEdit(
      "json",
      `{"mcpServers":{"notes":{"command":"npx","args":["-y","notes"]}},"n":1.50}`,
      NOTES,
      [...wrap, { kind: "set", path: ["env"], value: { A: "" } }],
      `{"mcpServers":{"notes":{"command":"/opt/synartesis","args":["proxy","--","npx","-y","notes"],"env":{"A":""}}},"n":1.50}`,
    );
  });

  test("a list in lines stays in lines, indented as it was", async () => {
    await expectEdit(
      "json",
      `{\n\t"mcpServers": {\n\t\t"notes": {\n\t\t\t"args": [\n\t\t\t\t"-y"\n\t\t\t]\n\t\t}\n\t}\n}`,
      NOTES,
      [{ kind: "set", path: ["args"], value: ["a", "b"] }],
      `{\n\t"mcpServers": {\n\t\t"notes": {\n\t\t\t"args": [\n\t\t\t\t"a",\n\t\t\t\t"b"\n\t\t\t]\n\t\t}\n\t}\n}`,
    );
  });

  test("what is put in front of a list leaves the rest as it is written, with its comments", async () => {
    await expectEdit(
      "jsonc",
      `{ "s": { "a": { "args": [\n  // first\n  "-y", // yes\n  "notes"\n] } } }`,
      ["s", "a"],
      [{ kind: "set", path: ["args"], value: ["proxy", "npx", "-y", "notes"] }],
      `{ "s": { "a": { "args": [\n  // first\n  "proxy",\n  "npx",\n  "-y", // yes\n  "notes"\n] } } }`,
    );
  });

  test("a mapping is changed member by member, so that what stays keeps its comments", async () => {
    await expectEdit(
      "jsonc",
      `{ "s": { "a": { "env": {\n  "ONE": "1", // the first\n  "TWO": "2"\n} } } }`,
      ["s", "a"],
      [{ kind: "set", path: ["env"], value: { ONE: "1", THREE: "3" } }],
      `{ "s": { "a": { "env": {\n  "ONE": "1", // the first\n  "THREE": "3"\n} } } }`,
    );
  });

  test("a key written with escapes is the key that it spells, and __proto__ is a key like any other", async () => {
    await expectEdit(
      "json",
      `{"s":{"__proto__":{"\\u0063ommand":"npx"}}}`,
      ["s", "__proto__"],
      [{ kind: "set", path: ["command"], value: "x" }],
      `{"s":{"__proto__":{"\\u0063ommand":"x"}}}`,
    );
  });
});

describe("a member is added", () => {
  test("behind the one that it shall follow, and behind that one's comment", async () => {
    const after = COMMENTED.replace("// by npx\n", '// by npx\n      "type": "stdio",\n');
    await expectEdit("jsonc", COMMENTED, NOTES, [{ kind: "set", path: ["type"], value: "stdio", after: "command" }], after);
  });

  test("behind the last one, whose comment stays behind it", async () => {
    const after = COMMENTED.replace("// the last", ', // the last\n      "env": {\n        "A": ""\n      }').replace("] , //", "], //");
    await expectEdit("jsonc", COMMENTED, NOTES, [{ kind: "set", path: ["env"], value: { A: "" } }], after);
  });

  test("between braces with nothing in them", async () => {
    const after = COMMENTED.replace('"empty": {}', '"empty": {\n      "command": "x"\n    }');
    await expectEdit("jsonc", COMMENTED, ["mcpServers", "empty"], [{ kind: "set", path: ["command"], value: "x" }], after);
  });

  test("between braces with nothing but a comment in them", async () => {
    await expectEdit(
      "jsonc",
      `{ "s": { "a": { /* nothing yet */ } } }`,
      ["s", "a"],
      [{ kind: "set", path: ["command"], value: "x" }],
      `{ "s": { "a": { /* nothing yet */\n  "command": "x"\n } } }`,
    );
  });
});

describe("a member is taken away", () => {
  test("the comments around it stay", async () => {
    const after = COMMENTED.replace('"command": "npx", //', "//");
    await expectEdit("jsonc", COMMENTED, NOTES, [{ kind: "remove", path: ["command"] }], after);
  });

  test("a comment of a line before it stays a comment of that line", async () => {
    await expectEdit(
      "jsonc",
      `{ "s": { "a": {\n  // c\n  "x": 1 /* d */,  "y": 2 } } }`,
      ["s", "a"],
      [{ kind: "remove", path: ["x"] }],
      `{ "s": { "a": {\n  // c\n   /* d */  "y": 2 } } }`,
    );
  });

  test("the last one takes the comma before it along", async () => {
    await expectEdit("json", `{"s":{"a":{"x":1,"y":2}}}`, ["s", "a"], [{ kind: "remove", path: ["y"] }], `{"s":{"a":{"x":1}}}`);
    await expectEdit("json", `{"s":{"a":{"x":1, "y":2}}}`, ["s", "a"], [{ kind: "remove", path: ["x"] }], `{"s":{"a":{"y":2}}}`);
    await expectEdit(
      "json",
      `{"s":{"a":{\n  "x":1,\n  "y":2\n}}}`,
      ["s", "a"],
      [{ kind: "remove", path: ["y"] }],
      `{"s":{"a":{\n  "x":1\n}}}`,
    );
  });
});

describe("an edit is taken back", () => {
  test("P3: what somebody changed elsewhere meanwhile stays", async () => {
    const { document, patch } = edit(await openText("jsonc", COMMENTED), NOTES, ...wrap);
    const theirs = written(document).replace('"dark"', '"light" // better').replace('"empty": {}', '"more": {"command": "y"}');
    const restored = restore(await openText("jsonc", theirs), patch);
    expect(written(restored.document)).toBe(
      COMMENTED.replace('"dark"', '"light" // better').replace('"empty": {}', '"more": {"command": "y"}'),
    );
    expect(restored.exact).toBe(true);
  });

  test("P3: what somebody changed in the same entry stays, and our members are as they were", async () => {
    const { document, patch } = edit(await openText("jsonc", COMMENTED), NOTES, ...wrap, { kind: "set", path: ["env"], value: { A: "" } });
    const theirs = written(document).replace("// by npx", '// by npx\n      "cwd": "/tmp", // mine');
    const restored = restore(await openText("jsonc", theirs), patch);
    expect(written(restored.document)).toBe(COMMENTED.replace("// by npx", '// by npx\n      "cwd": "/tmp", // mine'));
    expect(restored).toMatchObject({ exact: false, kept: [] });
  });

  test("P3: a member of ours that somebody changed stays as they made it, and is named", async () => {
    const { document, patch } = edit(await openText("jsonc", COMMENTED), NOTES, ...wrap, { kind: "set", path: ["env"], value: { A: "" } });
    const theirs = written(document).replace('"/opt/synartesis"', '"/usr/bin/other"').replace('"A": ""', '"A": "", "MINE": "1"');
    const restored = restore(await openText("jsonc", theirs), patch);
    expect(written(restored.document)).toContain('"command": "/usr/bin/other"');
    expect(written(restored.document)).toContain('"env": {\n        "MINE": "1"\n      }');
    expect(restored.kept).toEqual([["env"], ["command"]]);
  });

  test("P3: a file that the client has written anew gets the values that were there", async () => {
    const { document, patch } = edit(await openText("jsonc", COMMENTED), NOTES, ...wrap, { kind: "remove", path: ["nothing"] });
    const anew = JSON.stringify({
      theme: "light",
      mcpServers: { notes: { args: wrap[1]?.kind === "set" ? wrap[1].value : [], command: "/opt/synartesis" } },
    });
    expect(document.entries(["mcpServers"])).toMatchObject({ kind: "entries" });
    const restored = restore(await openText("json", anew), patch);
    expect(JSON.parse(written(restored.document))).toEqual({
      theme: "light",
      mcpServers: { notes: { args: ["-y", "notes"], command: "npx" } },
    });
  });

  test("P3: a member that was taken away comes back behind the one that it followed", async () => {
    const { document, patch } = edit(await openText("jsonc", COMMENTED), NOTES, { kind: "remove", path: ["args"] });
    const theirs = written(document).replace('"npx"', '"bunx"');
    const restored = restore(await openText("jsonc", theirs), patch);
    expect(written(restored.document)).toContain('"command": "bunx", // by npx\n');
    expect(restored.document.entries(["mcpServers"])).toMatchObject({
      entries: [{ name: "notes", value: { command: "bunx", args: ["-y", "notes"] } }, { name: "empty" }],
    });
  });

  test("null is a value: what was null comes back, and a null of ours goes", async () => {
    const { document, patch } = edit(
      await openText("json", `{"s":{"a":{"x":null,"y":1}}}`),
      ["s", "a"],
      { kind: "set", path: ["x"], value: 1 },
      { kind: "set", path: ["y"], value: null },
      { kind: "set", path: ["z"], value: null },
    );
    const theirs = written(document).replace('"y"', '"theirs":2,"y"');
    expect(written(restore(await openText("json", theirs), patch).document)).toBe(`{"s":{"a":{"x":null,"theirs":2,"y":1}}}`);
  });

  test("an entry that is no longer there is gone", async () => {
    const { patch } = edit(await openText("jsonc", COMMENTED), NOTES, ...wrap);
    expect((await openText("jsonc", `{"mcpServers": {}}`)).restore(patch)).toEqual({ kind: "gone" });
  });
});

describe("the entries of a mapping", () => {
  test("are shown with their values to the digit, their texts and their lines", async () => {
    const document = await openText("json", `{\n "s": {\n  "a": {"t": 1.50,\n   "n": 12345678901234567890}, "b": 3 }}`);
    const entries = document.entries(["s"]);
    expect(JSON.stringify(entries)).toContain('"value":{"t":1.50,"n":12345678901234567890}');
    expect(entries).toMatchObject({
      entries: [
        {
          kind: "entry",
          name: "a",
          line: 3,
          members: [
            { name: "t", text: '"t": 1.50' },
            { name: "n", line: 4 },
          ],
        },
        { kind: "entry", name: "b", members: [], value: 3 },
      ],
    });
  });

  test("are none where there is no mapping, and where the file is empty", async () => {
    expect((await openText("json", "{}")).entries(["a", "b"])).toEqual({ kind: "entries", entries: [] });
    expect((await openText("json", " \n")).entries(["a"])).toEqual({ kind: "entries", entries: [] });
  });

  test("one that stands there twice is refused, and the others are not", async () => {
    const document = await openText("json", `{"s":{"a":{"x":1},"a":{"x":2},"b":{"x":1},"c":{"x":1,"x":1}}}`);
    expect(document.entries(["s"])).toMatchObject({
      entries: [
        { kind: "refused", name: "a", problem: { line: 1, column: 19 } },
        { kind: "entry", name: "b" },
        { kind: "refused", name: "c" },
      ],
    });
    expect(document.edit(["s", "b"], [{ kind: "set", path: ["x"], value: 2 }]).kind).toBe("edited");
  });
});

describe("refused with its place", () => {
  const set: Change = { kind: "set", path: ["command"], value: "x" };

  test("two equal keys on the way, of which readers take the last", async () => {
    expect(await whyRefused("json", `{"s":{"a":{}},\n"s":{"a":{}}}`, ["s", "a"], set)).toMatch(/^2:1: `s` stands there twice/);
    expect(await whyRefused("json", `{"s":{"a":{"env":{"A":"1","A":"2"}}}}`, ["s", "a"], set)).toMatch(/^1:27: `A` stands there twice/);
    expect(await whyRefused("json", `{"s":{"a":{"command":"1","\\u0063ommand":"2"}}}`, ["s", "a"], set)).toMatch(/^1:26: `command` stands/);
  });

  test("a text that is no JSON", async () => {
    expect(await whyRefused("json", `{"s":\n  {"a": {,}}}`, ["s", "a"], set)).toMatch(/^2:10: this is no JSON/);
    expect(await whyRefused("json", `{"s": {"a": {}}`, ["s", "a"], set)).toMatch(/this is no JSON: close brace expected/);
    expect(await whyRefused("jsonc", `{"s": {"a": {}}} /* not closed`, ["s", "a"], set)).toMatch(/this is no JSON/);
    expect(await whyRefused("jsonc", `{"s": {"a": {}}} {}`, ["s", "a"], set)).toMatch(/this is no JSON/);
  });

  test("comments and commas where the client takes none", async () => {
    expect(await whyRefused("json", `{"s": {"a": {}}} // c`, ["s", "a"], set)).toMatch(/^1:18: there is a comment/);
    expect(await whyRefused("json", `{"s": {"a": {},}}`, ["s", "a"], set)).toMatch(/this is no JSON/);
  });

  test("another encoding than UTF-8", async () => {
    const utf16 = new Uint8Array(Buffer.from(`\uFEFF{"s":{"a":{}}}`, "utf16le"));
    expect(await whyRefused("json", utf16, ["s", "a"], set)).toMatch(/UTF-16/);
    expect(await whyRefused("json", new Uint8Array([0x7b, 0xff, 0x7d]), ["s", "a"], set)).toMatch(/^1:2: .*not valid UTF-8/);
  });

  test("a place that is no mapping, and an entry that isn't there", async () => {
    expect(await whyRefused("json", `{"s":[]}`, ["s", "a"], set)).toMatch(/^1:6: `s` is no mapping/);
    expect(await whyRefused("json", `{"s":{"a":"text"}}`, ["s", "a"], set)).toMatch(/^1:11: `a` is no mapping/);
    expect(await whyRefused("json", `{"s":{}}`, ["s", "a"], set)).toMatch(/`s.a` is not there/);
    expect(await whyRefused("json", `${"[".repeat(200_000)}`, ["s", "a"], set)).toMatch(/nests too deeply|no JSON/);
  });
});
