// What a policy says that its servers can't do.
import { expect, test } from "bun:test";
import { checkPolicy } from "../../src/core/policy-check.ts";
import { loadManifestText } from "../../src/manifest/load.ts";

function findings(rules: string, tools: readonly string[] = ["get", "set"]): readonly string[] {
  const text = `version: 1\nservers:\n  kv: { command: node }\ntools:\n${rules}`;
  const loading = loadManifestText(text, { directory: "/", env: {} });
  if (loading.kind === "invalid") throw new Error(loading.problems.map((problem) => problem.message).join("; "));
  return checkPolicy(loading.policy, new Map([["kv", tools]])).map(
    ({ severity, position, message, hint }) => `${severity} ${position.line}: ${message}${hint === undefined ? "" : ` (${hint})`}`,
  );
}
const ALL = "  - { match: kv.*, class: irreversible }\n";

test("a tool that the server lacks is an error, with its line and a near name", () => {
  const rule =
    '  - match: "kv.set"\n    class: reversible\n    snapshot: { tool: "kv.gett", absent_when: gone }\n    inverse: { tool: "kv.sett", args: { v: "$snapshot.v" } }\n';
  expect(findings(ALL + rule)).toEqual([
    "error 8: snapshot of `kv.set`: server `kv` has no tool `gett` (did you mean `get`?)",
    "error 9: inverse of `kv.set`: server `kv` has no tool `sett` (did you mean `set`?)",
  ]);
});

test("a name that matches nothing is an error, a pattern a warning", () => {
  expect(findings(`${ALL}  - { match: kv.gte, class: readonly }\n  - { match: "kv.list_*", class: readonly }\n`)).toEqual([
    "error 6: `kv.gte` matches no tool (did you mean `kv.get`?)",
    "warning 7: `kv.list_*` matches no tool",
  ]);
});

test("P5: tools that no rule mentions are named, since they are held", () => {
  expect(findings("  - { match: kv.get, class: readonly }\n", ["get", "set", "drop"])).toEqual([
    "warning 3: no rule mentions these 2 tools of `kv`, so every call is held for a person: `set`, `drop`",
  ]);
});

test("an irreversible rule that nobody is asked about is a warning", () => {
  expect(findings("  - { match: kv.*, class: irreversible, gate: never }\n")[0]).toStartWith(
    "warning 5: `kv.*` is irreversible and has `gate: never`",
  );
});

test("P5: a gate on writes that doesn't say where the statement is is a warning", () => {
  expect(findings(`${ALL}  - { match: kv.set, class: irreversible, gate: on_write }\n`)).toEqual([
    expect.stringContaining("warning 6: `kv.set` has `gate: on_write` without `sql`"),
  ]);
  const named = "gate: on_write, sql: { statement: $.sql, dialect: sqlite }";
  expect(findings(`${ALL}  - { match: kv.set, class: irreversible, ${named} }\n`)).toEqual([]);
});

test("P3: a snapshot or an observe that has no words for absence is a warning, whatever the class", () => {
  const rule = (kind: string, reads: string) =>
    `  - { match: kv.set, class: ${kind}, ${reads}, inverse: { tool: kv.set, args: { v: $.v } } }\n`;
  expect(findings(ALL + rule("reversible", "snapshot: { tool: kv.get }"))[0]).toStartWith(
    "warning 6: snapshot of `kv.set` has no `absent_when`",
  );
  expect(findings(ALL + rule("compensable", "observe: { tool: kv.get }"))[0]).toStartWith("warning 6: observe of `kv.set` has no");
  expect(findings(ALL + rule("compensable", "observe: { tool: kv.get, absent_when: gone }"))).toEqual([]);
  expect(findings(ALL + rule("compensable", "snapshot: { tool: kv.get }"))[0]).toStartWith("warning 6: snapshot of `kv.set` has no");
  expect(findings(ALL + rule("compensable", "snapshot: { tool: kv.get, absent_when: [] }"))).toEqual([]);
  expect(findings(ALL + rule("reversible", "snapshot: { tool: kv.get, absent_when: [] }"))).toEqual([]);
});

test("two equally specific patterns are a warning where they differ", () => {
  const found = findings(
    "  - { match: kv.*et, class: irreversible }\n  - { match: kv.ge*, class: readonly }\n  - { match: kv.set, class: readonly }\n",
  );
  expect(found).toHaveLength(1);
  expect(found[0]).toContain("the stricter, `kv.*et`, governs");
  expect(findings("  - { match: kv.*et, class: readonly }\n  - { match: kv.ge*, class: readonly }\n")).toEqual([]);
});

test("a policy that fits says nothing, and a server that wasn't asked is not judged", () => {
  expect(findings(ALL)).toEqual([]);
  const loading = loadManifestText("version: 1\nservers:\n  kv: { command: x }\ntools:\n  - { match: kv.nope, class: readonly }\n", {
    directory: "/",
    env: {},
  });
  expect(loading.kind === "loaded" && checkPolicy(loading.policy, new Map())).toEqual([]);
});

test("with several servers, names that clients refuse and servers that can be confused are warnings with what to do", () => {
  const check = (servers: readonly string[], tools: readonly string[]) => {
    const declared = servers.map((server) => `  ${server}: { command: node }\n`).join("");
    const loading = loadManifestText(`version: 1\nservers:\n${declared}tools:\n  - { match: "*.*", class: readonly }\n`, {
      directory: "/",
      env: {},
    });
    if (loading.kind === "invalid") throw new Error(loading.problems.map((problem) => problem.message).join("; "));
    const found = checkPolicy(loading.policy, new Map(servers.map((server) => [server, tools])));
    return found.map(({ severity, position, message, hint }) => `${severity} ${position.line}: ${message} (${hint})`);
  };
  const long = "x".repeat(62);
  expect(check(["a", "b"], ["ok", "x".repeat(61), long])).toEqual([
    `warning 3: with all servers behind one entry, some clients won't offer what \`a\` has: \`a__${long}\` has 65 characters, more than 64 (shorten the server's name, or give it an entry of its own: \`proxy --server a\`)`,
    `warning 4: with all servers behind one entry, some clients won't offer what \`b\` has: \`b__${long}\` has 65 characters, more than 64 (shorten the server's name, or give it an entry of its own: \`proxy --server b\`)`,
  ]);
  expect(check(["a", "b"], ["with.dot"])).toContain(
    "warning 3: some clients won't offer what `a` has, by the server's own name for it: `with.dot` has characters other than letters, digits, `_` and `-` (undefined)",
  );
  expect(check(["a"], [long])).toEqual([]);
  expect(check(["a", "a_"], ["ok"])).toEqual([
    'warning 4: the servers "a" and "a_" can\'t stand behind one entry: a tool named `a___x` could be either one\'s (rename one of them)',
  ]);
});
