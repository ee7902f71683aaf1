// What a manifest says, and everything that can be wrong with one.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests hold variables
import { describe, expect, test } from "bun:test";
import { loadManifestText } from "../../src/manifest/load.ts";
import { processorTime } from "../support/patience.ts";
import { HEAD, marked, OPTIONS, policyOf, problemsOf, problemsOfRule } from "./texts.ts";

const UPDATE = [
  "  - match: kv.set",
  "    class: reversible",
  "    snapshot: { tool: kv.get, args: { key: $.key }, absent_when: Not Found }",
  "    inverse: { tool: kv.set, args: { key: $.key, value: $snapshot.value } }",
].join("\n");

describe("a manifest", () => {
  test("gives its servers and rules", () => {
    const policy = policyOf(`
version: 1
servers:
  kv:
    command: ./server
    args: ["--port", "8080", ""]
    env: { TOKEN: "\${TOKEN}", NONE: "" }
    cwd: sub
    failed_when: "Failed: *"
  web: { url: "https://example.test/mcp", headers: { Authorization: "Bearer \${TOKEN}" } }
  mail: { via: { client: claude-code, file: "~/.claude.json", name: mail } }
tools:
${UPDATE}
    ignore: [updated_at, "items[].etag"]
    resource: "key:$.key"
    failed_when: ["Error: *"]
  - { match: "kv.send_*", class: irreversible }
  - { match: web.query, class: readonly, gate: on_write }
`);
    expect(policy.servers.map(({ name, source, position }) => [name, source, position.line])).toEqual([
      [
        "kv",
        {
          kind: "command",
          command: "./server",
          args: ["--port", "8080", ""],
          env: { TOKEN: "${TOKEN}", NONE: "" },
          cwd: "/srv/project/sub",
        },
        4,
      ],
      ["web", { kind: "url", url: "https://example.test/mcp", headers: { Authorization: "Bearer ${TOKEN}" } }, 10],
      ["mail", { kind: "via", client: "claude-code", file: "~/.claude.json", name: "mail" }, 11],
    ]);
    const [set, send, query] = policy.rules;
    expect(set?.snapshot).toMatchObject({ server: "kv", tool: "get", absentWhen: ["not found"], position: { line: 15, column: 23 } });
    expect(set?.ignore.map((reference) => reference.text)).toEqual(["updated_at", "items[].etag"]);
    expect(set?.resource).toHaveLength(1);
    expect(set?.failedWhen).toEqual(["Error: *", "Failed: *"]);
    expect(set?.position).toEqual({ line: 13, column: 5 });
    expect([set?.gate, send?.gate, query?.gate]).toEqual(["never", "always", "on_write"]);
  });

  test("may begin with a byte order mark, have CRLF, use anchors, and need no tools", () => {
    expect(problemsOf(`\uFEFF${HEAD}${UPDATE}\n`.replaceAll("\n", "\r\n"))).toEqual([]);
    const shared =
      '  - { match: kv.a, class: readonly, failed_when: &f ["Error: *"] }\n  - { match: kv.b, class: readonly, failed_when: *f }\n';
    expect(policyOf(HEAD + shared).rules.map((rule) => rule.failedWhen)).toEqual([["Error: *"], ["Error: *"]]);
    expect(policyOf("version: 1\nservers: { kv: { command: node } }\n").rules).toEqual([]);
  });

  test("binds an approval to the rule as written", () => {
    const digest = (rule: string) => policyOf(HEAD + rule).rules[0]?.digest;
    expect(digest(UPDATE)).toBe(digest(`# a comment\n${UPDATE}`) ?? "");
    expect(digest(UPDATE)).not.toBe(digest(`${UPDATE}\n    gate: always`) ?? "");
  });

  test("may name tools with dots, and a compensation without a snapshot", () => {
    const rule = policyOf(
      `${HEAD}  - match: kv.a.b\n    class: compensable\n    inverse: { tool: kv.a.c, args: $result }\n    observe: { tool: kv.get, args: { id: $result.id } }\n`,
    ).rules[0];
    expect(rule?.inverse).toMatchObject([{ server: "kv", tool: "a.c", args: { kind: "reference" } }]);
    expect(rule?.observe).toMatchObject({ absentWhen: [] });
  });
});

describe("P5: a manifest is refused, with line and column, for", () => {
  const whole: Record<string, [string, string]> = {
    "nothing in it": ["# only a comment\n", "1:1: the manifest is empty"],
    "a root that is text": ["just text\n", "1:1: a manifest must be a mapping, found a string"],
    "a root that is a list": ["- version: 1\n", "1:1: a manifest must be a mapping, found a list"],
    "no version": ["servers: { kv: { command: x } }\n", "1:1: `version` is missing"],
    "another version": ["version: 2\nservers: { kv: { command: x } }\n", "1:10: `version` must be 1: this build reads version 1, found 2"],
    "a version as text": [
      'version: "1"\nservers: { kv: { command: x } }\n',
      '1:10: `version` must be 1: this build reads version 1, found the string "1"',
    ],
    "no servers": ["version: 1\nservers: {}\n", "2:10: at least one server"],
    "an unknown key": [
      "version: 1\nservers: { kv: { command: x } }\ntoolz: []\n",
      "3:1: unknown key `toolz` in a manifest (did you mean `tools`?)",
    ],
    "a hidden server of a client's": [
      "version: 1\nservers: { kv: { via: { client: c, file: f, name: n }, hidden: true }, a: { command: x } }\n",
      "2:64: a server that a client starts can't be `hidden`",
    ],
    "nothing but hidden servers": ["version: 1\nservers: { kv: { command: x, hidden: true } }\n", "2:10: every server is `hidden`"],
    "a duplicate key": [
      "version: 1\nservers: { kv: { command: x } }\nversion: 1\n",
      "3:1: duplicate key `version` (the first is in line 1)",
    ],
    "a duplicate server": [
      "version: 1\nservers:\n  kv: { command: x }\n  kv: { command: x }\n",
      "4:3: duplicate key `kv` (the first is in line 3)",
    ],
    "a tab": ["version: 1\nservers:\n\tkv:\n", "3:1: a tab is used as indentation"],
    "an unclosed brace": ["version: 1\nservers:\n  kv: { command: x\ntools: []\n", "4:1: Flow map"],
    "a second document": [`${HEAD.replace("tools:\n", "")}---\nversion: 1\n`, "5:1: a second document begins here"],
    "a directive": [`%YAML 1.1\n---\n${HEAD.replace("tools:\n", "")}`, "1:1: a `%YAML` directive"],
    "a merge key": ["version: 1\nservers:\n  kv:\n    <<: { command: x }\n", "4:5: merge keys"],
    "a tag": ["version: 1\nservers:\n  kv: { command: !!str x }\n", "3:24: tags like"],
    "a tag of its own": ["version: 1\nservers:\n  kv: { command: !x y }\n", "3:18: tags are not used here"],
    "a word that is a boolean to some": [
      "version: 1\nservers:\n  kv: { command: on }\n",
      '3:18: `on` is true or false to some YAML readers, and text to others (write "on" if it is text, else true)',
    ],
    "such a word as a key": ["version: 1\nservers:\n  kv: { command: x, env: { no: a } }\n", "3:28: `no` is true or false"],
    "a number for a key": [
      "version: 1\nservers:\n  kv: { command: x, env: { 1: a } }\n",
      '3:28: a key must be a string; `1` is a number (write "1")',
    ],
    "a list for a key": ["version: 1\nservers:\n  ? [a]\n  : { command: x }\n", "3:5: a key must be a string"],
    "an alias without an anchor": ["version: 1\nservers:\n  kv: *x\n", "3:7: the alias `*x` has no anchor"],
    "an alias of what contains it": ["version: 1\nservers: &x\n  kv: *x\n", "3:7: the alias `*x` refers to what contains it"],
    "a number where text belongs": [
      "version: 1\nservers:\n  kv: { command: x, args: [8080] }\n",
      '3:28: an entry of `args` must be a string, found the number 8080 (write "8080")',
    ],
    "a boolean where text belongs": [
      "version: 1\nservers:\n  kv: { command: x, env: { DEBUG: true } }\n",
      '3:35: `DEBUG` must be a string, found the boolean true (write "true")',
    ],
    "a command that is a list": [
      "version: 1\nservers:\n  kv: { command: [node, x] }\n",
      "3:18: `command` must be a string, found a list (put the program here",
    ],
    "args that are text": ["version: 1\nservers:\n  kv: { command: x, args: a b }\n", "3:27: `args` must be a list, found a string"],
    "tools that are a mapping": [`${HEAD}  match: kv.get\n`, "6:3: `tools` must be a list, found a mapping"],
    "a server's name with a dot": ["version: 1\nservers:\n  my.kv: { command: x }\n", "3:3: a server's name can't contain a dot"],
    "a server's name with __": ["version: 1\nservers:\n  a__b: { command: x }\n", "3:3: a server's name can't contain `__`: `a__b`"],
    "a server named __proto__": [
      "version: 1\nservers:\n  __proto__: { command: x }\n",
      "3:3: a server's name can't contain `__`: `__proto__`",
    ],
    "a server's name with a space": ["version: 1\nservers:\n  my kv: { command: x }\n", "3:3: a server's name consists of"],
    "a server without a source": [
      "version: 1\nservers:\n  kv: { args: [] }\n",
      "3:3: server `kv` must have exactly one of `command`, `url`, `via`; found none",
    ],
    "a server with two": [
      'version: 1\nservers:\n  kv: { command: x, url: "http://x" }\n',
      "3:3: server `kv` must have exactly one of `command`, `url`, `via`; found `command` and `url`",
    ],
    "headers beside a command": ["version: 1\nservers:\n  kv: { command: x, headers: {} }\n", "3:21: `headers` doesn't go with `command`"],
    "an address that is none": ["version: 1\nservers:\n  kv: { url: example }\n", "3:14: `url` must be an http or https address"],
    "a variable that is malformed": ['version: 1\nservers:\n  kv: { command: x, args: ["${A-B}"] }\n', "3:28: malformed variable `${A-B}`"],
    "a home directory in cwd": ["version: 1\nservers:\n  kv: { command: x, cwd: ~/x }\n", "3:26: `~` isn't expanded"],
    "nesting without end": [`version: 1\nservers: ${"[".repeat(200)}${"]".repeat(200)}\n`, "2:110: nested more than 100 levels deep"],
  };
  for (const [name, [text, expected]] of Object.entries(whole)) {
    test(name, () => expect(problemsOf(text)[0] ?? "loaded").toStartWith(expected));
  }

  // The bar marks where the problem has to be found.
  const rules: Record<string, [string, string]> = {
    "an unknown class": [
      "  - { match: kv.get, class: ¦Readonly }",
      "`class` must be one of readonly, reversible, compensable, irreversible; found `Readonly` (did you mean `readonly`?)",
    ],
    "an unknown gate": ["  - { match: kv.get, class: readonly, gate: ¦sometimes }", "`gate` must be one of always, never, on_write"],
    "__proto__ as a key": ["  - { match: kv.get, class: readonly, ¦__proto__: {} }", "unknown key `__proto__` in a rule"],
    "a confirmation where nothing is undone": [
      '  - { match: kv.get, class: readonly, ¦confirm: { tool: "kv.keys" } }',
      "a readonly rule must not have `confirm`",
    ],
    "a confirmation by what isn't known beforehand": [
      '  - { match: kv.put, class: compensable, inverse: { tool: "kv.del" }, confirm: { tool: "kv.keys", args: { id: ¦"$result.id" } } }',
      "`$result.id` is not available in a confirmation (it is read before the call:",
    ],
    "a pattern without a server": [
      "  - { match: ¦get, class: readonly }",
      "`match` must be qualified, as server.tool; found `get` (did you mean `kv.get`?)",
    ],
    "a server that isn't declared": ["  - { match: ¦crm.get, class: readonly }", "server `crm` is not declared (declared: kv)"],
    "the same pattern twice": [
      "  - { match: kv.get, class: readonly }\n  - { match: ¦kv.get, class: readonly }",
      "duplicate pattern `kv.get` (the first is in line 6)",
    ],
    "a reversible rule without an inverse": ["  - ¦{ match: kv.set, class: reversible }", "a reversible rule needs an `inverse`"],
    "an inverse on a read": [
      "  - { match: kv.get, class: readonly, ¦inverse: { tool: kv.set } }",
      "a readonly rule must not have `inverse`",
    ],
    "an inverse that is a pattern": [
      '  - { match: kv.a, class: compensable, inverse: { tool: ¦"kv.*" } }',
      "the tool of an inverse must be one tool, not a pattern; found `kv.*`",
    ],
    "an inverse on another server": ["  - { match: kv.a, class: compensable, inverse: { tool: ¦x.b } }", "server `x` is not declared"],
    "$result in a snapshot": [
      "  - { match: kv.a, class: reversible, inverse: { tool: kv.b }, snapshot: { tool: kv.c, args: { k: ¦$result.k } } }",
      "`$result.k` is not available in a snapshot",
    ],
    "$snapshot without one": [
      "  - { match: kv.a, class: compensable, inverse: { tool: kv.b, args: { k: ¦$snapshot.k } } }",
      "`$snapshot.k`: the rule declares no `snapshot`",
    ],
    "a malformed reference": [
      '  - { match: kv.a, class: compensable, inverse: { tool: kv.b, args: { k: [x, ¦"$snap.value"] } } }',
      "unknown reference `$snap.value`",
    ],
    "args that are text": [
      '  - { match: kv.a, class: compensable, inverse: { tool: kv.b, args: ¦"$.a and $.b" } }',
      "`args` must be a mapping of arguments",
    ],
    "absence that matches everything": [
      '  - { match: kv.a, class: reversible, inverse: { tool: kv.b }, snapshot: { tool: kv.c, absent_when: ¦"" } }',
      "`absent_when` must not be empty",
    ],
    "an empty list of failures": [
      "  - { match: kv.a, class: reversible, inverse: { tool: kv.b }, snapshot: { tool: kv.c }, failed_when: ¦[] }",
      "`failed_when` must not be empty",
    ],
    "a failure that matches everything": [
      '  - { match: kv.a, class: readonly, failed_when: ¦"*" }',
      "`failed_when` would match every result",
    ],
    "a path to ignore with a dollar": ["  - { match: kv.a, class: readonly, ignore: [¦$.at] }", "write the path without `$`"],
    "an id past 2^53": [
      "  - { match: kv.a, class: compensable, inverse: { tool: kv.b, args: { id: ¦9007199254740993 } } }",
      "`9007199254740993` is a number and would be read as 9007199254740992",
    ],
    "a digest that is a number": [
      "  - { match: kv.a, class: compensable, inverse: { tool: kv.b, args: { id: ¦61e9540 } } }",
      '`61e9540` is a number here, and not a finite one (write "61e9540" if it is text',
    ],
    "a number that prints otherwise": [
      "  - { match: kv.a, class: compensable, inverse: { tool: kv.b, args: { id: ¦007 } } }",
      "`007` is a number and would be read as 7",
    ],
    NaN: [
      "  - { match: kv.a, class: compensable, inverse: { tool: kv.b, args: { id: ¦.nan } } }",
      "`.nan` is a number here, and not a finite one",
    ],
  };
  for (const [name, [rule, expected]] of Object.entries(rules)) {
    test(name, () => {
      const { place, text } = marked(rule);
      expect(problemsOfRule(text)[0] ?? "loaded").toStartWith(`${place}: ${expected}`);
    });
  }

  test("everything that is wrong at once, in the order of the file", () => {
    expect(
      problemsOfRule("  - { match: get, class: nope }\n  - { match: kv.a, clas: readonly }").map((problem) => problem.split(": ")[0]),
    ).toEqual(["6:14", "6:26", "7:5", "7:20"]);
  });

  test("aliases that expand without end, quickly", () => {
    const lines = ["a: &a0 [x, x, x, x, x, x, x, x, x]"];
    for (let depth = 1; depth < 30; depth++)
      lines.push(
        `a${depth}: &a${depth} [${Array(9)
          .fill(`*a${depth - 1}`)
          .join(", ")}]`,
      );
    const spent = processorTime();
    expect(problemsOf(lines.join("\n"))[0]).toContain("aliases expand to more than a million values");
    expect(spent()).toBeLessThan(1000);
  });

  test("nesting that would overflow the parser's stack", () => {
    expect(problemsOf(`version: ${"[".repeat(20_000)}`)).toEqual(["1:1: the file is nested too deeply to be read"]);
  });

  test("bytes that are no UTF-8, and UTF-16 by its name", () => {
    const bytes = new TextEncoder().encode("version: 1\n# caf?\n");
    bytes[16] = 0xff;
    expect(problemsOf(bytes)[0]).toStartWith("2:6: the file is not valid UTF-8: byte 0xFF");
    expect(problemsOf(new Uint8Array(Buffer.from("\uFEFFversion: 1\n", "utf16le")))[0]).toContain("UTF-16");
    expect(problemsOf(new Uint8Array(Buffer.from("version: 1\n", "utf16le")))[0]).toContain("UTF-16");
  });
});

test("a variable that isn't set stops nobody but who starts its server: it is handed on with its place", () => {
  const text = 'version: 1\nservers:\n  kv: { command: x, env: { A: "a${NOPE}" } }\n  b: { command: y, args: ["${TOKEN}"] }\n';
  const loading = loadManifestText(text, OPTIONS);
  expect(loading.kind === "loaded" && loading.unset).toMatchObject([
    { server: "kv", line: 3, column: 31, message: "the environment variable `NOPE` is not set" },
  ]);
});

test("variables that are set, even to nothing, are no problem, and with env any, neither are those that aren't", () => {
  const text = (name: string) => 'version: 1\nservers:\n  kv: { command: x, env: { A: "${NAME} $HOME" } }\n'.replace("NAME", name);
  expect(problemsOf(text("EMPTY"))).toEqual([]);
  expect(problemsOf(text("NOPE"), { directory: "/", env: "any" })).toEqual([]);
  expect(problemsOf(text("N-O"), { directory: "/", env: "any" })).toHaveLength(1);
  const inherited = loadManifestText(text("toString"), OPTIONS);
  expect(inherited.kind === "loaded" && inherited.unset).toHaveLength(1);
});
