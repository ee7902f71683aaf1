// Do the servers of the clients on a machine come under guard in a few keys, with nothing else about them changed, and only where a person says so?
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/documents.ts";
import { type EmulatedTerminal, emulateTerminal } from "../support/emulator.ts";
import { BUN, EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";
import { answer, CTRL_C, CTRL_U, ENTER, ESCAPE, TOOLS, UP } from "../support/wizard-desk.ts";

setDefaultTimeout(60_000);

const server = (name: string) => join(ROOT, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");

interface Machine extends Disposable {
  readonly sandbox: Sandbox;
  readonly manifest: string;
  /** The files of two clients, as they are now. */
  files(): readonly string[];
}

/** A home with the filesystem and the memory server in Claude Code, and the same filesystem server in Cursor; unless it is whole, also those that raise questions. */
function machine(isWhole = true): Machine {
  const sandbox = makeSandbox();
  const home = join(sandbox.folder, "home");
  mkdirSync(join(home, "files"));
  const files = { command: "node", args: [server("filesystem"), join(home, "files")] };
  const memory = { command: "node", args: [server("memory")], env: { MEMORY_FILE_PATH: join(home, "memory.jsonl"), API_TOKEN: "s3cret" } };
  const broken = {
    command: "node",
    args: ["-e", "console.error('no licence found for', process.argv.at(-1)); process.exit(3)", "--", "--token=s3cret"],
  };
  const claude = join(home, ".claude.json");
  const cursor = join(home, ".cursor", "mcp.json");
  mkdirSync(join(home, ".cursor"));
  writeFileSync(claude, JSON.stringify({ numStartups: 7, mcpServers: { files, "my memory": memory } }, null, 2));
  const folderless = { command: "node", args: [server("filesystem")] };
  const pages = { command: BUN, args: [join(ROOT, "test/support/listed-server.ts"), sandbox.write("tools.json", JSON.stringify(TOOLS))] };
  const more = isWhole ? {} : { broken, folderless, pages };
  writeFileSync(cursor, `// mine\n${JSON.stringify({ mcpServers: { files, ...more } }, null, 4)}\n`);
  return {
    ...{ sandbox, manifest: join(home, ".synartesis", "synartesis.yaml") },
    files: () => [claude, cursor].map((file) => readFileSync(file, "utf8")),
    [Symbol.dispose]: () => sandbox[Symbol.dispose](),
  };
}

function open({ sandbox }: Machine, words = "", columns = 100): EmulatedTerminal {
  return emulateTerminal(sandbox, `"$0" init ${words}; echo "ended with $?"`, EXECUTABLE, { columns });
}

async function ended(terminal: EmulatedTerminal, code: number): Promise<string> {
  await terminal.child.exited;
  await until("its end is told", () => /^ended with \d/m.test(terminal.text()));
  expect(terminal.text()).toContain(`ended with ${code}`);
  return terminal.text();
}

test("P1: two clients with servers that shipped policies cover are guarded with three keys, and given back byte for byte", async () => {
  using at = machine();
  const before = at.files();
  await using terminal = open(at);
  await answer(terminal, "Which servers shall be guarded?", ENTER);
  await answer(terminal, "Write this?", ENTER);
  await answer(terminal, "Put the proxy in front of them in Claude Code, Cursor?", ENTER);
  const text = await ended(terminal, 0);
  expect(text).not.toContain("files: 0 tools");
  const shown = text.slice(0, text.indexOf("Put the proxy in front"));
  for (const words of ["Claude Code  ~/.claude.json", "Cursor  ~/.cursor/mcp.json", '"--server"']) expect(shown).toContain(words);
  expect(text).toContain("covered by the policy for @modelcontextprotocol/server-filesystem");
  expect(text).toContain("0 errors");
  expect(terminal.bytes()).not.toContain("s3cret");
  expect(readFileSync(at.manifest, "utf8")).toContain("via:");
  for (const file of at.files()) expect(file).toContain('"--server"');
  expect((await at.sandbox.run("disconnect", "--all", "--yes")).code).toBe(0);
  expect(at.files()).toEqual([...before]);
});

const QUESTIONS = ["Which servers shall be guarded?", "can't be listed", "which folders", "update_page", "frobnicate", "Write this?"];
for (const [stop, question] of QUESTIONS.entries()) {
  test(`P1: Ctrl-C at "${question}" changes no client and no manifest`, async () => {
    using at = machine(false);
    const before = at.files();
    await using terminal = open(at);
    for (const each of QUESTIONS.slice(0, stop)) await answer(terminal, each, ENTER);
    await answer(terminal, question, CTRL_C);
    expect(await ended(terminal, 130)).toContain("nothing was changed");
    expect(existsSync(at.manifest)).toBe(false);
    expect(at.files()).toEqual([...before]);
    expect(terminal.bytes()).not.toContain("s3cret");
  });
}

test("Ctrl-C at the question about the clients leaves the manifest that was written, and the clients as they were; Escape there writes it anew", async () => {
  using at = machine();
  const before = at.files();
  await using terminal = open(at, "--client cursor", 40);
  await answer(terminal, "Which servers", ENTER);
  await answer(terminal, "Write this?", ENTER);
  await answer(terminal, "Put the proxy", ESCAPE);
  await answer(terminal, "Write this?", ENTER);
  await answer(terminal, "Put the proxy", CTRL_C);
  expect(await ended(terminal, 130)).toContain("was written");
  expect(readFileSync(at.manifest, "utf8").match(/^ {2}files:$/gm)).toHaveLength(1);
  expect(at.files()).toEqual([...before]);
});

test("a server whose command names no folder is guarded in the folders that a person says, or that --root does", async () => {
  using at = machine();
  at.sandbox.write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { files: { command: "node", args: [server("filesystem")] } } }));
  const before = at.files();
  await using terminal = open(at, "--client cursor", 60);
  await answer(terminal, "Which servers", ENTER);
  await answer(terminal, "which folders does it work in?", `/not/there${ENTER}`);
  await until("it says what is wrong", () => terminal.text().includes("there is no folder /not/there"));
  terminal.type(`${CTRL_U}~/files${ENTER}`);
  await answer(terminal, "Write this?", CTRL_C);
  await ended(terminal, 130);
  await using again = open(at, "--client cursor", 60);
  await answer(again, "You stopped here before", ENTER);
  await answer(again, "Write this?", ENTER);
  // What may be changed is seen whole, however narrow it is.
  expect(again.text().replace(/\n\+ {5}/g, "")).toContain(`"${at.sandbox.env["HOME"]}/files"`);
  await answer(again, "Put the proxy", CTRL_C);
  await ended(again, 130);
  expect(readFileSync(at.manifest, "utf8")).toContain(`args: ["companion", "files", "--root", "${at.sandbox.env["HOME"]}/files"]`);
  const piped = await at.sandbox.run("init", "--guard", "cursor/files", "--manifest", "other.yaml");
  expect([piped.code, piped.out]).toEqual([1, expect.stringContaining("needs to know which folders")]);
  const told = await at.sandbox.run("init", "--guard", "cursor/files", "--root", "home/files", "--manifest", "other.yaml");
  expect(told.code).toBe(0);
  expect(at.files()).toEqual([...before]);
});

test("P3: a manifest that gets a server of the same name meanwhile keeps it; ours gets another name, and what was answered holds", async () => {
  using at = machine(false);
  await using terminal = open(at, "--guard pages");
  await answer(terminal, "update_page", ENTER);
  await answer(terminal, "frobnicate", UP + ENTER);
  await answer(terminal, "Write this?", "");
  const theirs = 'version: 1\nservers:\n  pages:\n    command: "their own"\ntools: []\n';
  at.sandbox.write("home/.synartesis/synartesis.yaml", theirs);
  terminal.type(ENTER);
  await until("it says so", () => terminal.text().includes("was changed meanwhile"));
  await answer(terminal, "Write this?", ENTER);
  await answer(terminal, "Put the proxy", CTRL_C);
  await ended(terminal, 130);
  const manifest = readFileSync(at.manifest, "utf8");
  expect(manifest).toContain('command: "their own"');
  expect(manifest).toMatch(/match: "pages-cursor.update_page"\n(?: *#.*\n)* *class: reversible/);
});

test("the servers of the project that one stands in can be guarded too, and are only where somebody says so", async () => {
  using at = machine();
  const file = at.sandbox.write(
    "home/code/.mcp.json",
    JSON.stringify({ mcpServers: { ours: { command: "node", args: [server("memory")] } } }),
  );
  const before = readFileSync(file, "utf8");
  const here = { ...at, sandbox: { ...at.sandbox, folder: join(at.sandbox.folder, "home/code") } };
  await using terminal = open(here, "--client claude-code");
  await answer(terminal, "ours (in the project ~/code)", ENTER);
  await answer(terminal, "Write this?", CTRL_C);
  expect(await ended(terminal, 130)).toMatch(/Which servers shall be guarded\?.*\n.*files, Claude Code: my memory\n/);
  const named = Bun.spawnSync([EXECUTABLE, "init", "--guard", "ours", "--connect"], { cwd: here.sandbox.folder, env: at.sandbox.env });
  expect(named.exitCode).toBe(0);
  expect(readFileSync(file, "utf8")).toContain('"--server"');
  const out = Bun.spawnSync([EXECUTABLE, "disconnect", "--all", "--project", "--yes"], { cwd: here.sandbox.folder, env: at.sandbox.env });
  expect([out.exitCode, readFileSync(file, "utf8")]).toEqual([0, before]);
});

test("P6: a script says everything by options; what it doesn't say isn't done", async () => {
  using at = machine(false);
  const before = at.files();
  const silent = await at.sandbox.run("init");
  expect([silent.code, silent.err]).toEqual([2, expect.stringContaining("--guard NAME")]);
  const one = await at.sandbox.json<{ servers: { server: string; policy: string }[]; connected: unknown[] }>(
    "init",
    "--guard",
    "my memory",
  );
  expect(one).toMatchObject({ servers: [{ name: "my memory", server: "my-memory", policy: "memory" }], connected: [] });
  expect(at.files()).toEqual([...before]);
  const wrong = await at.sandbox.run("init", "--guard", "my memry");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('did you mean "my memory"?')]);
  const all = await at.sandbox.run("init", "--yes");
  expect(all.code).toBe(1);
  expect(all.out).toContain("Cursor: broken: not guarded");
  expect(at.files()[1]).toContain('"--server"');
});

test("nothing chosen is nothing written", async () => {
  using at = machine();
  await using terminal = open(at, "--client cursor");
  await answer(terminal, "Which servers", " ");
  await until("it is off", () => terminal.text().includes("◻"));
  terminal.type(ENTER);
  expect(await ended(terminal, 1)).toContain("nothing was written");
  expect(existsSync(at.manifest)).toBe(false);
});
