// How a server gets into a manifest that somebody has written.
import { describe, expect, test } from "bun:test";
import { extendManifest } from "../../src/manifest/extend-manifest.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { type Addition, newManifest } from "../../src/manifest/new-manifest.ts";

const ADDITION: Addition = {
  server: { name: "kv", command: "node", args: ["server.js", "--flag: yes"], env: { TOKEN: 'a"b #c' } },
  rulesYaml: ['# a comment\n- match: "kv.get"\n  class: readonly', '- match: "kv.*"\n  class: irreversible'],
};
function extended(text: string, addition = ADDITION): string {
  const extension = extendManifest(text, addition);
  if (extension.kind === "refused") throw new Error(extension.reason);
  return extension.text;
}
function refusal(text: string): string {
  const extension = extendManifest(text, ADDITION);
  return extension.kind === "refused" ? extension.reason : extension.text;
}
function names(text: string): readonly string[] {
  const loading = loadManifestText(text, { directory: "/", env: "any" });
  if (loading.kind === "invalid") throw new Error(loading.problems[0]?.message);
  return [...loading.policy.servers.map((server) => server.name), ...loading.policy.rules.map((rule) => rule.match)];
}
/** Tells whether every line of the one stands in the other, in the same order. */
function keepsEveryLine(before: string, after: string): boolean {
  const lines = after.split("\n");
  let position = 0;
  return before.split("\n").every((line) => {
    position = lines.indexOf(line, position) + 1;
    return position > 0;
  });
}

const OWN = `# mine
version: 1

servers:
    # the first
    crm:
        command: node   # inside
        # a comment on crm
    # a comment on servers

# about the tools
tools:

    - match: "crm.get"
      class: readonly
    # - match: "crm.later"

# the end
`;

describe("a manifest is extended", () => {
  test("in its own indentation, and every line stays where it was", () => {
    const text = extended(OWN);
    expect(text).toContain(
      '    # a comment on servers\n    kv:\n        command: "node"\n        args: ["server.js", "--flag: yes"]\n        env:\n            TOKEN: "a\\"b #c"\n\n# about the tools\n',
    );
    expect(text).toContain(
      '    # - match: "crm.later"\n\n    # a comment\n    - match: "kv.get"\n      class: readonly\n\n    - match: "kv.*"\n',
    );
    expect(keepsEveryLine(OWN, text)).toBe(true);
    expect(names(text)).toEqual(["crm", "kv", "crm.get", "kv.get", "kv.*"]);
  });

  test("by exactly what was added: without it the old bytes are left", () => {
    const text = extended(OWN);
    const server = text.slice(text.indexOf("    kv:\n"), text.indexOf("\n# about the tools"));
    const rules = text.slice(text.indexOf("\n    # a comment\n"), text.indexOf("\n# the end"));
    expect(text.replace(server, "").replace(rules, "")).toBe(OWN);
  });

  test("with its line ends, its byte order mark, and without a last newline if it had none", () => {
    const windows = `\uFEFF${OWN.replaceAll("\n", "\r\n")}`;
    const text = extended(windows);
    expect(text.startsWith("\uFEFF# mine\r\n")).toBe(true);
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect(extended("version: 1\nservers:\n  a:\n    command: x\ntools:\n- match: a.b\n  class: readonly")).toEndWith(
      'class: readonly\n\n# a comment\n- match: "kv.get"\n  class: readonly\n\n- match: "kv.*"\n  class: irreversible',
    );
  });

  test("where its tools are an empty list, or missing, or stand before the servers", () => {
    expect(extended("version: 1\ntools: [] # none\nservers:\n  a: { command: x }\n")).toStartWith(
      'version: 1\ntools: # none\n  # a comment\n  - match: "kv.get"',
    );
    expect(names(extended("version: 1\ntools: []\nservers:\n  a: { command: x }\n"))).toEqual(["a", "kv", "kv.get", "kv.*"]);
    expect(names(extended("version: 1\nservers:\n  a: { command: x }\n# end"))).toEqual(["a", "kv", "kv.get", "kv.*"]);
  });

  test("where its tools are missing, whatever stands behind the servers", () => {
    for (const end of ["\n", "", "\n# end\n", "\n  # inside\n\n# end"]) {
      const before = `version: 1\nservers:\n  a:\n    command: x${end}`;
      const text = extended(before);
      expect(names(text)).toEqual(["a", "kv", "kv.get", "kv.*"]);
      expect(keepsEveryLine(before, text)).toBe(true);
    }
    expect(names(extended("servers:\n  a:\n    command: x\nversion: 1\n"))).toEqual(["a", "kv", "kv.get", "kv.*"]);
  });

  test("where its servers stand between braces, and no byte elsewhere changes", () => {
    for (const servers of ["{ a: { command: x } }", "{a: {command: x}}", "{ a: { command: x }, }", "{\n  a: { command: x }, # one\n  }"]) {
      const text = extended(`version: 1\nservers: ${servers}\n`);
      expect(names(text)).toEqual(["a", "kv", "kv.get", "kv.*"]);
      const added = ', kv: { command: "node", args: ["server.js", "--flag: yes"], env: { TOKEN: "a\\"b #c" } }';
      expect(text.replace(added, "")).toStartWith(`version: 1\nservers: ${servers}\n`);
    }
    expect(names(extended("version: 1\nservers:\n  a: { command: x, env: { A: b } } # one\n"))).toEqual(["a", "kv", "kv.get", "kv.*"]);
  });

  test("behind a text of several lines", () => {
    expect(
      names(extended("version: 1\nservers:\n  a:\n    command: x\n    args:\n      - |\n        one\n\n        two\n\ntools: []\n")),
    ).toContain("kv");
  });

  test("again and again", () => {
    const second = { server: { ...ADDITION.server, name: "on" }, rulesYaml: ['- match: "on.x"\n  class: readonly'] };
    expect(
      names(extended(extended(newManifest(ADDITION), second), { ...second, server: { ...second.server, name: "c" }, rulesYaml: [] })),
    ).toEqual(["kv", "on", "c", "kv.get", "kv.*", "on.x"]);
  });
});

describe("nothing is changed", () => {
  test("where the server is declared already", () => {
    expect(refusal(newManifest(ADDITION))).toContain("`kv` is declared already");
  });

  test("where braces or brackets leave no line to insert", () => {
    expect(refusal("{ version: 1, servers: { a: { command: x } } }\n")).toContain("written with braces");
    expect(refusal("version: 1\nservers:\n  a: { command: x }\ntools: [{ match: a.b, class: readonly }]\n")).toContain(
      "written with brackets",
    );
  });

  test("where the manifest, or the result, would not load", () => {
    expect(refusal("version: 2\n")).toContain("has to be right first: line 1:");
    const wrong = extendManifest(OWN, { ...ADDITION, rulesYaml: ["- match: nope\n  class: readonly"] });
    expect(wrong.kind === "refused" && wrong.reason).toMatch(/would not load: (?!line)/);
  });
});

test("a new manifest loads, whatever stands in the command", () => {
  const server = { name: "off", command: "C:\\x y: #z", args: ["-", "[", "é\u0000\u2028\t", "no"], env: { no: "1e5" } };
  const loading = loadManifestText(newManifest({ server, rulesYaml: ["# only a comment"] }), { directory: "/d", env: {} });
  expect(loading.kind === "loaded" && loading.policy).toMatchObject({
    servers: [{ name: "off", source: { kind: "command", command: server.command, args: server.args, env: server.env, cwd: "/d" } }],
    rules: [],
  });
});
