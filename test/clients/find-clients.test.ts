// Are the clients' files found where each client looks, and their servers read as each would start them?
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ClientServer, clientFiles, findClients, readServers } from "../../src/clients/find-clients.ts";
import { clientNamed, type Surroundings } from "../../src/clients/registry.ts";
import { startOf } from "../../src/clients/start-of.ts";
import { HOME_SECRET, makeClientHome } from "../support/client-home.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-clients-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const around = (told: Partial<Surroundings> = {}): Surroundings => ({ env: {}, home, cwd: home, platform: "linux", ...told });

function write(name: string, text: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function serversOf(told: Partial<Surroundings> = {}, only?: string): Promise<readonly ClientServer[]> {
  const files = findClients(around(told), only === undefined ? undefined : clientNamed(only));
  const all: ClientServer[] = [];
  for (const file of files) {
    const read = await readServers(file);
    if (read.kind !== "read") throw new Error(`${file.path}: ${read.reason}`);
    all.push(...read.servers);
  }
  return all;
}

describe("the files of clients", () => {
  test("all twelve are found in a home, and each server's command, arguments and variables are those that stand there", async () => {
    const files = makeClientHome(home, { command: "/bin/server", args: ["--state", "a b"] });
    const servers = await serversOf();
    const started = servers.filter(({ reach, disabled }) => reach.kind === "command" && !disabled);
    expect(started.map(({ file }) => file.client.id)).toEqual([...files.keys()]);
    for (const { file, reach, wrapping } of started) {
      expect([file.path, wrapping]).toEqual([files.get(file.client.id) ?? "", undefined]);
      expect(reach).toMatchObject({ command: "/bin/server", args: ["--state", "a b"], env: { TOKEN: HOME_SECRET } });
    }
    expect(started.map(({ name }) => name)).toContain("my notes / 2.0");
  });

  test("an entry that is switched off, or that is the client's own, is told from one that is started", async () => {
    makeClientHome(home, { command: "/bin/server", args: [] });
    const servers = await serversOf();
    expect(servers.filter(({ disabled }) => disabled).map(({ name }) => name)).toEqual(["switched.off"]);
    const own = servers.filter(({ reach }) => reach.kind === "none");
    expect(own.map(({ name, reach }) => [name, reach.kind === "none" && reach.reason])).toEqual([
      ["from-an-extension", `it is one of the client's own ("extension")`],
      ["developer", `it is one of the client's own ("builtin")`],
    ]);
  });

  test("a Mac has them elsewhere, and variables move them", () => {
    const mac = write("Library/Application Support/Claude/claude_desktop_config.json", "{}");
    expect(findClients(around({ platform: "darwin" })).map(({ path }) => path)).toEqual([mac]);
    const moved = [write("cc/.claude.json", "{}"), write("cx/config.toml", "")];
    const env = { CLAUDE_CONFIG_DIR: join(home, "cc"), CODEX_HOME: join(home, "cx") };
    expect([...new Set(findClients(around({ env })).map(({ path }) => path))]).toEqual(moved);
  });

  test("a project's files are those of the nearest folder above that has any, and its servers know the folder", async () => {
    write("work/.mcp.json", '{"mcpServers":{"outer":{"command":"x"}}}');
    write("work/app/.vscode/mcp.json", '{"servers":{"inner":{"command":"x"}}}');
    const servers = await serversOf({ cwd: join(home, "work/app/src") });
    expect(servers.map(({ name, project, file }) => [name, project, file.scope])).toEqual([
      ["outer", join(home, "work"), "project"],
      ["inner", join(home, "work/app"), "project"],
    ]);
  });

  test("servers that a person has for one project only are read with that project's folder", async () => {
    write(
      ".claude.json",
      '{"projects":{"/p/one":{"mcpServers":{"notes":{"command":"x"}}},"/p/two":{"history":[]}},"mcpServers":{"notes":{"command":"y"}}}',
    );
    const servers = await serversOf({}, "claude-code");
    expect(servers.map(({ path, project }) => [path, project])).toEqual([
      [["mcpServers", "notes"], undefined],
      [["projects", "/p/one", "mcpServers", "notes"], "/p/one"],
    ]);
  });

  test("profiles of an editor are found", async () => {
    const path = write(".config/Code/User/profiles/-5f/mcp.json", '{"servers":{"a":{"command":"x"}}}');
    expect((await serversOf()).map(({ file, name }) => [file.path, name])).toEqual([[path, "a"]]);
  });

  test("a file that a manifest names is read as its client reads it, with ~ for the home", async () => {
    write(".claude.json", '{"mcpServers":{"notes":{"command":"x"}}}');
    const client = clientNamed("claude-code");
    if (client === undefined) throw new Error("no such client");
    const files = clientFiles(client, "~/.claude.json", around({ cwd: "/" }));
    expect(files.map(({ scope, path }) => [scope, path])).toEqual([
      ["user", join(home, ".claude.json")],
      ["local", join(home, ".claude.json")],
    ]);
  });

  test("a broken file says where, and comments are a fault where the client takes none", async () => {
    write(".config/Claude/claude_desktop_config.json", '{\n  // mine\n  "mcpServers": {}\n}');
    write(".cursor/mcp.json", '{"mcpServers": {');
    const reads = await Promise.all(findClients(around()).map(readServers));
    expect(reads.map((read) => read.kind === "unreadable" && /^line [12], column \d+: /.test(read.reason))).toEqual([true, true]);
  });
});

describe("a wrapped entry", () => {
  test("is told by its words, whatever the program's place; the command behind it is the server's", async () => {
    const args = ["proxy", "--server", "notes", "--manifest", "/m.yaml", "--", "npx", "-y", "x", "--", "proxy"];
    write(".cursor/mcp.json", JSON.stringify({ mcpServers: { mine: { command: "/opt/a b/synartesis", args } } }));
    const [server] = await serversOf();
    expect(server?.wrapping).toEqual({ program: ["/opt/a b/synartesis"], server: "notes", manifest: "/m.yaml" });
    expect(server?.reach).toMatchObject({ kind: "command", command: "npx", args: ["-y", "x", "--", "proxy"] });
  });

  test("without a command of its own the server is the manifest's", async () => {
    write(
      ".config/opencode/opencode.json",
      JSON.stringify({ mcp: { n: { type: "local", command: ["synartesis", "proxy", "--server=n"] } } }),
    );
    const [server] = await serversOf();
    expect([server?.reach, server?.wrapping]).toEqual([
      { kind: "manifest" },
      { program: ["synartesis"], server: "n", manifest: undefined },
    ]);
  });

  test("another program's proxy is not ours", async () => {
    write(".cursor/mcp.json", JSON.stringify({ mcpServers: { n: { command: "mitm", args: ["proxy", "--server", "x", "--", "y"] } } }));
    expect((await serversOf())[0]?.wrapping).toBeUndefined();
  });
});

describe("what a client starts", () => {
  const command = (args: readonly string[]) =>
    ({ kind: "command", command: "run", args, env: {}, cwd: undefined, passed: [], clientOnly: undefined }) as const;
  const filled = (variables: "shell" | "editor" | "dollar" | "braces" | "none", ...args: string[]) => {
    const start = startOf(command(args), { around: around({ env: { A: "1" } }), variables, project: "/p/app" });
    return start.kind === "command" ? start.args : start;
  };

  test("has its variables filled in as that client does it", () => {
    expect(filled("shell", `\${A}\${B:-two}`, "$A", `\${env:A}`)).toEqual(["1two", "$A", `\${env:A}`]);
    expect(filled("editor", `\${env:A}-\${env:B}`, `\${workspaceFolder}/x`, `\${userHome}`, `\${A}`)).toEqual([
      "1-",
      "/p/app/x",
      home,
      `\${A}`,
    ]);
    expect(filled("dollar", `$A \${A} $B`)).toEqual(["1 1 $B"]);
    expect(filled("braces", "{env:A}{env:B}", "{A}")).toEqual(["1", "{A}"]);
    expect(filled("none", `\${A}`, "$A")).toEqual([`\${A}`, "$A"]);
  });

  test("what only the client knows is named", () => {
    expect(filled("editor", `--token=\${input:token}`)).toEqual({ kind: "client-only", what: `\${input:token}` });
    expect(filled("shell", `\${B}`)).toEqual({ kind: "client-only", what: `\${B}` });
    expect(filled("braces", "{file:~/.token}")).toEqual({ kind: "client-only", what: "{file:~/.token}" });
  });
});
