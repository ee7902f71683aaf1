// Is a YAML file of a client's edited in one place, and in no other byte?
import { describe, expect, test } from "bun:test";
import type { Change } from "../../../src/clients/formats/document.ts";
import { edit, expectEdit, openText, restore, whyRefused, written } from "../../support/client-documents.ts";

const NOTES = ["extensions", "notes"];
const wrap: readonly Change[] = [
  { kind: "set", path: ["cmd"], value: "/opt/synartesis" },
  { kind: "set", path: ["args"], value: ["proxy", "--", "npx", "-y", "notes"] },
];
const clear: Change = { kind: "set", path: ["envs", "BUN_OPTIONS"], value: "" };

const BLOCKS = `# mine
GOOSE_MODEL: x # the model
extensions:
  dev: {enabled: true, type: builtin} # ours
  notes: # notes
    type: stdio
    cmd: npx # by npx
    args:
    - -y   # yes
    # between
    - notes
    # behind the list

    envs:
      TOKEN: 'it''s' # secret
    description: >-
      keeps
      notes
    timeout: 300
  last: &shared
    enabled: false
more: *shared
`;

describe("an entry in lines", () => {
  test("P1: every other byte stays: comments, order, folded texts, anchors elsewhere", async () => {
    const after = BLOCKS.replace("cmd: npx", "cmd: /opt/synartesis")
      .replace("- -y   # yes", '- proxy\n    - "--"\n    - npx\n    - -y   # yes')
      .replace("# secret\n", "# secret\n      BUN_OPTIONS: ''\n");
    await expectEdit("yaml", BLOCKS, NOTES, [...wrap, clear], after);
  });

  test("P1: a byte order mark and line ends of two characters stay", async () => {
    const text = `\uFEFF${BLOCKS.replaceAll("\n", "\r\n")}`;
    const { document, patch } = edit(await openText("yaml", text), NOTES, ...wrap, clear, { kind: "set", path: ["uri"], value: ["a"] });
    const lines = written(document).split("\n");
    expect(lines.every((line, index) => line.endsWith("\r") || index === lines.length - 1)).toBe(true);
    expect(written(restore(document, patch).document)).toBe(text);
  });

  test("lists keep how far in they stand, and new ones follow them", async () => {
    await expectEdit(
      "yaml",
      "extensions:\n    notes:\n        cmd: npx\n        args:\n          - -y\n",
      NOTES,
      [...wrap, { kind: "set", path: ["env_keys"], value: ["A"] }, { kind: "set", path: ["envs"], value: { A: "1" }, after: "cmd" }],
      'extensions:\n    notes:\n        cmd: /opt/synartesis\n        envs:\n            A: "1"\n        args:\n          - proxy\n          - "--"\n          - npx\n          - -y\n          - notes\n        env_keys:\n          - A\n',
    );
  });

  test("a folded text, an empty value and an empty mapping get values", async () => {
    await expectEdit(
      "yaml",
      "s:\n  a:\n    cmd: |\n      npx\n    args:\n    envs: {}\n    x: 1",
      ["s", "a"],
      [
        { kind: "set", path: ["cmd"], value: "yes" },
        { kind: "set", path: ["args"], value: ["a: b"] },
        { kind: "set", path: ["envs", "A"], value: "1e3" },
      ],
      's:\n  a:\n    cmd: "yes"\n    args:\n      - "a: b"\n    envs: { A: "1e3" }\n    x: 1',
    );
  });

  test("members that are added at one place, to a mapping and behind it, stand where they belong", async () => {
    const changes: Change[] = [
      { kind: "set", path: ["url"], value: "x", after: "envs" },
      { kind: "set", path: ["envs", "B"], value: "2" },
    ];
    await expectEdit(
      "yaml",
      "s:\n  a:\n    envs:\n      A: 'b'\n",
      ["s", "a"],
      changes,
      "s:\n  a:\n    envs:\n      A: 'b'\n      B: '2'\n    url: x\n",
    );
  });

  test("a member is taken away, the last one too", async () => {
    const member: Change = { kind: "remove", path: ["description"] };
    await expectEdit("yaml", BLOCKS, NOTES, [member], BLOCKS.replace("    description: >-\n      keeps\n      notes\n", ""));
    await expectEdit("yaml", "s:\n  a:\n    x: 1 # one\n", ["s", "a"], [{ kind: "remove", path: ["x"] }], "s:\n  a:\n    {} # one\n");
  });
});

test("an entry between braces", async () => {
  await expectEdit(
    "yaml",
    `extensions: {notes: {cmd: npx, args: [-y, "notes"], envs: {}}, b: {}} # one\n`,
    NOTES,
    [...wrap, clear, { kind: "set", path: ["type"], value: "stdio" }, { kind: "remove", path: ["nothing"] }],
    'extensions: {notes: {cmd: /opt/synartesis, args: ["proxy", "--", "npx", -y, "notes"], envs: { BUN_OPTIONS: "" }, type: stdio}, b: {}} # one\n',
  );
  await expectEdit("yaml", "s: {a: {x: 1, y: 2}}", ["s", "a"], [{ kind: "remove", path: ["y"] }], "s: {a: {x: 1}}");
  await expectEdit("yaml", "s: {a: {x: 1, y: 2}}", ["s", "a"], [{ kind: "remove", path: ["x"] }], "s: {a: {y: 2}}");
});

describe("an edit is taken back", () => {
  test("P3: what somebody changed in the same entry stays", async () => {
    const { document, patch } = edit(await openText("yaml", BLOCKS), NOTES, ...wrap, clear);
    const change = (text: string) => text.replace("# by npx\n", "# by npx\n    cwd: /tmp\n").replace("GOOSE_MODEL: x", "GOOSE_MODEL: y");
    const restored = restore(await openText("yaml", change(written(document))), patch);
    expect(written(restored.document)).toBe(change(BLOCKS));
    expect(restored).toMatchObject({ exact: false, kept: [] });
  });

  test("P3: a file that the client has written anew, with another indentation, gets the values that were there", async () => {
    const text = BLOCKS.replace("&shared", "").replace("*shared", "x");
    const { document, patch } = edit(await openText("yaml", text), NOTES, ...wrap, clear);
    const anew = Bun.YAML.stringify(Bun.YAML.parse(written(document)), null, 3);
    const restored = restore(await openText("yaml", anew), patch);
    expect(Bun.YAML.parse(written(restored.document))).toEqual(Bun.YAML.parse(text));
  });
});

describe("refused with its place", () => {
  const set: Change = { kind: "set", path: ["cmd"], value: "x" };

  test("what is used in two places at once, or has a tag", async () => {
    expect(await whyRefused("yaml", "s:\n  a: &x\n    cmd: npx\n  b: *x\n", ["s", "a"], set)).toMatch(/^3:5: `&x` is used elsewhere too/);
    expect(await whyRefused("yaml", "s:\n  a: &x\n    cmd: npx\n  b: *x\n", ["s", "b"], set)).toMatch(/^4:6: `\*x` stands for/);
    expect(await whyRefused("yaml", "s:\n  a:\n    args: [1, {b: &x c}]\n", ["s", "a"], set)).toMatch(/^3:\d+: `&x` is used/);
    expect(await whyRefused("yaml", "d: &d {x: 1}\ns:\n  a:\n    <<: *d\n    cmd: npx\n", ["s", "a"], set)).toMatch(/^4:5: merge keys/);
    expect(await whyRefused("yaml", "s:\n  a:\n    cmd: !env npx\n", ["s", "a"], set)).toMatch(/^3:\d+: the tag `!env`/);
    expect(await whyRefused("yaml", "s: &s\n  a: {}\n", ["s", "a"], set)).toMatch(/`&s` is used/);
    expect(await whyRefused("yaml", "s:\n  a:\n    ? cmd\n    : npx\n", ["s", "a"], set)).toMatch(/can't be changed with certainty/);
  });

  test("what is no YAML, two equal keys and two documents among it", async () => {
    expect(await whyRefused("yaml", "s:\n  a: 1\n  a: 2\n", ["s", "a"], set)).toMatch(/^3:3: this is no YAML: map keys must be unique/);
    expect(await whyRefused("yaml", "s: [\n", ["s", "a"], set)).toMatch(/this is no YAML/);
    expect(await whyRefused("yaml", "s:\n  a: {}\n---\ns:\n  a: {}\n", ["s", "a"], set)).toMatch(/this is no YAML/);
  });
});
