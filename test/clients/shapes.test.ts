// Is an entry's command changed in the way in which each client says one, and back?
import { describe, expect, test } from "bun:test";
import type { EntryShape } from "../../src/clients/registry.ts";
import { commandChanges, type EntryChange, readEntry, unwrapChanges } from "../../src/clients/shapes.ts";
import { unwrap, wrap } from "../../src/clients/wrapping.ts";
import type { JsonObject } from "../../src/core/json.ts";

const WRAPPING = { program: ["/bin/synartesis"], server: "n", manifest: "/m.yaml" };

function changed(entry: JsonObject, changes: readonly EntryChange[]): JsonObject {
  const copy = JSON.parse(JSON.stringify(entry));
  for (const { path, value } of changes) {
    const holder = path.slice(0, -1).reduce((at, key) => at[key], copy);
    if (value === undefined) delete holder[path.at(-1) ?? ""];
    else holder[path.at(-1) ?? ""] = value;
  }
  return copy;
}

describe("an entry", () => {
  const entries: readonly (readonly [EntryShape, JsonObject])[] = [
    ["common", { command: "npx", args: ["-y", "x"], timeout: 3 }],
    ["common", { command: "npx", args: [], env: { A: "1", BUN_OPTIONS: "--smol" } }],
    ["common", { transport: { type: "stdio", command: "npx", args: ["x"] }, autoApprove: [] }],
    ["common", { command: { path: "npx", args: ["x"], env: { A: "1" } }, settings: {} }],
    ["codex", { command: "npx", args: ["x"], env_vars: ["A"] }],
    ["goose", { type: "stdio", cmd: "npx", args: ["x"], envs: { A: "1" } }],
    ["goose", { enabled: true, config: { type: "stdio", cmd: "npx", args: ["x"] } }],
    ["opencode", { type: "local", command: ["npx", "x"], environment: { A: "1" } }],
  ];

  test.each(entries)("of the shape %s runs the proxy with the very same command behind it, and its own again", (shape, entry) => {
    const own = readEntry(entry, shape);
    if (own.kind !== "command") throw new Error("no command");
    const words = [own.command, ...own.args];
    const wrapped = changed(entry, commandChanges(entry, shape, wrap(WRAPPING, words), { env: {}, passed: [] }));
    const read = readEntry(wrapped, shape);
    if (read.kind !== "command") throw new Error("no command");
    expect(unwrap([read.command, ...read.args])).toEqual({ wrapping: WRAPPING, inner: words });
    expect(read.env).toEqual({ BUN_OPTIONS: "", BUN_BE_BUN: "", ...own.env });
    expect(changed(wrapped, unwrapChanges(wrapped, shape, words))).toEqual(entry);
  });

  test("with an address becomes one with a command; its secrets become variables, and nothing of the address stays", () => {
    const entry = { type: "http", url: "https://a.example/mcp", headers: { Authorization: "Bearer x" }, timeout: 4 };
    const words = wrap(WRAPPING, undefined);
    expect(changed(entry, commandChanges(entry, "common", words, { env: { N_AUTHORIZATION: "Bearer x" }, passed: [] }))).toEqual({
      ...{ type: "stdio", timeout: 4, command: "/bin/synartesis", args: ["proxy", "--server", "n", "--manifest", "/m.yaml"] },
      env: { BUN_OPTIONS: "", BUN_BE_BUN: "", N_AUTHORIZATION: "Bearer x" },
    });
    const codex = { url: "https://a.example/mcp", bearer_token_env_var: "TOKEN" };
    expect(readEntry(codex, "codex")).toMatchObject({ fromVariables: [{ header: "Authorization", variable: "TOKEN", before: "Bearer " }] });
    const become = changed(codex, commandChanges(codex, "codex", words, { env: {}, passed: ["TOKEN"] }));
    expect([Object.keys(become), become["env_vars"]]).toEqual([["command", "args", "env", "env_vars"], ["TOKEN"]]);
  });

  test("that isn't understood says why", () => {
    const reason = (entry: JsonObject, shape: EntryShape = "common") => {
      const reach = readEntry(entry, shape);
      return reach.kind === "none" ? reach.reason : reach.kind;
    };
    expect(reason({ command: "x", args: "a b" })).toBe("its args are no list of texts");
    expect(reason({ command: "x", env: { A: 1 } })).toBe("its variables are no texts");
    expect(reason({ command: "x", url: "https://a.example" })).toBe("it has a command and an address");
    expect(reason({ command: "x" }, "opencode")).toBe("its command is no list of texts");
    expect(reason({})).toBe("it has no command and no address");
  });
});
