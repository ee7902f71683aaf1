// Is a TOML file of a client's edited in one place, in whatever shape its tables are, and in no other byte?
import { describe, expect, test } from "bun:test";
import type { Change } from "../../../src/clients/formats/document.ts";
import { edit, expectEdit, openText, restore, whyRefused, written } from "../../support/client-documents.ts";

const NOTES = ["mcp_servers", "notes"];
const wrap: readonly Change[] = [
  { kind: "set", path: ["command"], value: "/opt/synartesis" },
  { kind: "set", path: ["args"], value: ["proxy", "--", "npx", "-y", "notes"] },
];
const clear: Change = { kind: "set", path: ["env", "BUN_OPTIONS"], value: "" };

const TABLES = `# mine
model = "o3" # the model

[mcp_servers.notes] # notes
command = "npx" # by npx
args = [
  "-y", # yes
  "notes",
]

# its variables
[mcp_servers.notes.env]
TOKEN = 'se"cret'

[profiles.fast]
model = "mini"
`;

describe("an entry in a table of its own", () => {
  test("P1: every other byte stays: comments, order, other tables", async () => {
    const after = TABLES.replace('"npx"', '"/opt/synartesis"')
      .replace('  "-y", # yes', '  "proxy",\n  "--",\n  "npx",\n  "-y", # yes')
      .replace("'se\"cret'\n", "'se\"cret'\nBUN_OPTIONS = ''\n");
    await expectEdit("toml", TABLES, NOTES, [...wrap, clear], after);
  });

  test("P1: a byte order mark and line ends of two characters stay", async () => {
    const text = `\uFEFF${TABLES.replaceAll("\n", "\r\n")}`;
    const { document, patch } = edit(await openText("toml", text), NOTES, ...wrap, clear, { kind: "set", path: ["cwd"], value: "/" });
    const lines = written(document).split("\n");
    expect(lines.every((line, index) => line.endsWith("\r") || index === lines.length - 1)).toBe(true);
    expect(written(restore(document, patch).document)).toBe(text);
  });

  test("a member is added behind the one that it shall follow, and behind that one's comment", async () => {
    const after = TABLES.replace("# by npx\n", '# by npx\nenv_vars = ["HOME"]\n');
    await expectEdit("toml", TABLES, NOTES, [{ kind: "set", path: ["env_vars"], value: ["HOME"], after: "command" }], after);
  });

  test("variables that have no table yet are written in one line", async () => {
    await expectEdit(
      "toml",
      '[mcp_servers.notes]\ncommand = "npx"',
      NOTES,
      [{ kind: "set", path: ["env"], value: { BUN_OPTIONS: "", "a b": "1" } }],
      '[mcp_servers.notes]\ncommand = "npx"\nenv = { BUN_OPTIONS = "", "a b" = "1" }',
    );
  });

  test("a table below it is taken away as a whole, and comes back where it was", async () => {
    await expectEdit(
      "toml",
      TABLES,
      NOTES,
      [{ kind: "remove", path: ["env"] }],
      TABLES.replace("\n[mcp_servers.notes.env]\nTOKEN = 'se\"cret'", ""),
    );
    const { document, patch } = edit(await openText("toml", TABLES), NOTES, { kind: "remove", path: ["env"] });
    const theirs = written(document).replace('"npx"', '"bunx"');
    const restored = restore(await openText("toml", theirs), patch);
    expect(restored.exact).toBe(false);
    expect(Bun.TOML.parse(written(restored.document))).toEqual(Bun.TOML.parse(TABLES.replace('"npx"', '"bunx"')));
    expect(written(restored.document)).toContain("\n[mcp_servers.notes.env]\nTOKEN = 'se\"cret'\n");
  });
});

describe("an entry in another shape", () => {
  test("dotted keys", async () => {
    await expectEdit(
      "toml",
      "mcp_servers.notes.command = 'npx' # c\nmcp_servers.notes.args = []\nmcp_servers.notes.env.A = '1'\nx = 1\n",
      NOTES,
      [...wrap, clear, { kind: "set", path: ["cwd"], value: "it's" }],
      "mcp_servers.notes.command = '/opt/synartesis' # c\nmcp_servers.notes.args = ['proxy', '--', 'npx', '-y', 'notes']\n" +
        "mcp_servers.notes.env.A = '1'\nmcp_servers.notes.env.BUN_OPTIONS = ''\nmcp_servers.notes.cwd = \"it's\"\nx = 1\n",
    );
  });

  test("one table for all servers, with braces and dotted keys in it", async () => {
    await expectEdit(
      "toml",
      '[mcp_servers]\nnotes = { command = "npx", args = [ "-y" ], env.A = "1" } # one\nother.command = "x"\n',
      NOTES,
      [...wrap, clear, { kind: "remove", path: ["nothing"] }],
      '[mcp_servers]\nnotes = { command = "/opt/synartesis", args = [ "proxy", "--", "npx", "-y", "notes" ], env.A = "1", env.BUN_OPTIONS = "" } # one\nother.command = "x"\n',
    );
    await expectEdit(
      "toml",
      "mcp_servers = { notes = {} }\n",
      NOTES,
      [{ kind: "set", path: ["command"], value: "x" }],
      'mcp_servers = { notes = { command = "x" } }\n',
    );
    await expectEdit("toml", "s = { a = { x = 1, y = 2 } }\n", ["s", "a"], [{ kind: "remove", path: ["y"] }], "s = { a = { x = 1 } }\n");
    await expectEdit("toml", "s = { a = { x = 1, y = 2 } }\n", ["s", "a"], [{ kind: "remove", path: ["x"] }], "s = { a = { y = 2 } }\n");
  });

  test("quoted names with dots, and texts of several lines", async () => {
    await expectEdit(
      "toml",
      `[mcp_servers . "my.notes"]\ncommand = '''\nnpx'''\n"a\\u0072gs" = ["""\none""", 'two']\n`,
      ["mcp_servers", "my.notes"],
      [
        { kind: "set", path: ["command"], value: "x\u007f" },
        { kind: "set", path: ["args"], value: ["a"] },
      ],
      `[mcp_servers . "my.notes"]\ncommand = "x\\u007f"\n"a\\u0072gs" = ["a"]\n`,
    );
  });

  test("tables that stand apart from each other are put back member by member", async () => {
    const text = '[mcp_servers.notes.env]\nA = "1"\n[other]\nx = 1\n[mcp_servers.notes]\ncommand = "npx"\n';
    const { document, patch } = edit(await openText("toml", text), NOTES, clear, { kind: "set", path: ["command"], value: "x" });
    expect(written(document)).toBe(text.replace('"1"\n', '"1"\nBUN_OPTIONS = ""\n').replace('"npx"', '"x"'));
    expect(written(restore(document, patch).document)).toBe(text);
    expect(await whyRefused("toml", "a.x.p = 1\nb = 1\na.x.q = 2\n", ["a", "x"], { kind: "set", path: ["p"], value: null })).toMatch(
      /TOML can't hold/,
    );
    expect(await whyRefused("toml", "a.x.p.r = 1\nb = 1\na.x.p.q = 2\n", ["a", "x"], { kind: "remove", path: ["p"] })).toMatch(
      /stand apart/,
    );
  });
});

describe("an edit is taken back", () => {
  test("P3: what somebody changed in the same entry stays", async () => {
    const { document, patch } = edit(await openText("toml", TABLES), NOTES, ...wrap, clear);
    const change = (text: string) =>
      text.replace("# by npx\n", "# by npx\nstartup_timeout_sec = 10.0 # slow\n").replace('"mini"', '"maxi"');
    const restored = restore(await openText("toml", change(written(document))), patch);
    expect(written(restored.document)).toBe(change(TABLES));
    expect(restored).toMatchObject({ exact: false, kept: [] });
  });
});

describe("refused with its place", () => {
  test("what is no TOML, two equal keys among it", async () => {
    expect(await whyRefused("toml", "a = 1\n[s]\na.x = 1\na.x = 2\n", ["s", "a"])).toMatch(
      /^4:\d+: this is no TOML: defining a key multiple times/,
    );
    expect(await whyRefused("toml", "[s.a]\ncommand = npx\n", ["s", "a"])).toMatch(/^2:\d+: this is no TOML/);
  });

  test("a list of tables, and an entry that has only tables below it", async () => {
    const set: Change = { kind: "set", path: ["command"], value: "x" };
    expect(await whyRefused("toml", "[[s.a]]\ncommand = 'npx'\n", ["s", "a"], set)).toMatch(/^1:5: `a` is no mapping/);
    expect(await whyRefused("toml", "[s.a.env]\nA = '1'\n", ["s", "a"], set)).toMatch(/only tables below it/);
    expect(await whyRefused("toml", "[s.a]\n[s.a.command]\nA = '1'\n", ["s", "a"], set)).toMatch(/a table of its own/);
  });
});
