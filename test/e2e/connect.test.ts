// Does a person's agent come under guard by one command, with nothing else about it changed, and out again without a trace?
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { HOME_SECRET, makeClientHome } from "../support/client-home.ts";
import { until } from "../support/documents.ts";
import { makeHttpNotes } from "../support/http-notes.ts";
import { BUN, EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";
import { atTerminal } from "../support/terminal.ts";
import { treeOf } from "../support/tree.ts";

const NOTES_SERVER = join(ROOT, "test/support/notes-server.ts");

interface ConnectDocument {
  readonly manifest: string;
  readonly written: boolean;
  readonly servers: readonly {
    readonly client: string;
    readonly name: string;
    readonly result: string;
    readonly server: string | null;
    readonly reason: string | null;
  }[];
}

interface World extends Sandbox {
  readonly home: string;
  readonly files: ReadonlyMap<string, string>;
  /** The arguments of the server. */
  readonly args: readonly string[];
}

/** A sandbox whose home has all twelve clients, each with the notes server. */
function makeWorld(): World {
  const sandbox = makeSandbox();
  const home = join(sandbox.folder, "home");
  sandbox.write("state.json", JSON.stringify({ next: 1, notes: { a: "first" }, sent: [] }));
  const args = [NOTES_SERVER, "--state", join(sandbox.folder, "state.json")];
  return { ...sandbox, home, args, files: makeClientHome(home, { command: BUN, args }) };
}

function fileOf(world: World, client: string): string {
  const path = world.files.get(client);
  if (path === undefined) throw new Error(`no file of ${client}`);
  return path;
}

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

/** Starts what a client's entry says, as the client would. */
function startEntry(sandbox: Sandbox, { command, args, env }: Entry): Promise<Agent> {
  return Agent.start({ ...sandbox, env: { ...sandbox.env, ...env } }, args, [command]);
}

describe("connect", () => {
  test("P1: wraps the servers of all twelve clients in place; what the agent sees is the same, and disconnect gives back every byte", async () => {
    using world = makeWorld();
    const before = treeOf(world.home);
    const modes = [...world.files.values()].map((path) => statSync(path).mode);
    const ended = await world.run("connect", "--all");
    expect([ended.code, ended.err]).toEqual([0, ""]);
    expect(ended.out).not.toContain(HOME_SECRET);
    expect(readFileSync(join(world.home, ".synartesis/synartesis.yaml"), "utf8")).not.toContain(HOME_SECRET);
    expect(statSync(join(world.home, ".synartesis/connections.json")).mode & 0o777).toBe(0o600);
    for (const [client, path] of world.files) expect([client, readFileSync(path, "utf8").includes(EXECUTABLE)]).toEqual([client, true]);

    const entry: Entry = JSON.parse(readFileSync(fileOf(world, "claude-desktop"), "utf8")).mcpServers["my notes / 2.0"];
    const direct = await startEntry(world, { command: BUN, args: world.args, env: {} });
    const guarded = await startEntry(world, entry);
    expect((await guarded.request("tools/list")).result).toEqual((await direct.request("tools/list")).result);
    expect(textOf(await guarded.call("get", { key: "a" }))).toContain("first");
    await guarded.end();
    await direct.end();
    const record = ["--journal", join(world.home, ".synartesis/journal.db")];
    expect((await world.json<{ runs: readonly unknown[] }>("list", ...record)).runs).toHaveLength(1);

    const again = await world.json<ConnectDocument>("connect", "--all");
    expect([...new Set(again.servers.map(({ result }) => result))].sort()).toEqual(["left", "unchanged"]);
    const out = await world.run("disconnect", "--all");
    expect([out.code, out.err]).toEqual([0, ""]);
    expect(out.out).not.toContain(HOME_SECRET);
    const after = Object.entries(treeOf(world.home)).filter(([name]) => !name.startsWith(".synartesis"));
    expect(Object.fromEntries(after)).toEqual(before);
    expect([...world.files.values()].map((path) => statSync(path).mode)).toEqual(modes);
    expect(readFileSync(join(world.home, ".synartesis/connections.json"), "utf8")).not.toContain(HOME_SECRET);
  });

  test("gives one policy to a server that several clients start alike, and finds it again", async () => {
    using world = makeWorld();
    const first = await world.json<ConnectDocument>("connect", "cursor", "--yes");
    const second = await world.json<ConnectDocument>("connect", "claude-desktop", "--yes");
    expect([first, second].map(({ servers: [server] }) => [server?.result, server?.server])).toEqual([
      ["connected", "memory"],
      ["connected", "memory"],
    ]);
    expect(readFileSync(first.manifest, "utf8").match(/^ {2}\S+:$/gm)).toEqual(["  memory:"]);
  });

  test("with --dry-run shows the change of each entry without its secrets, and writes nothing", async () => {
    using world = makeWorld();
    const before = treeOf(world.folder);
    const shown = await world.run("connect", "codex", "--dry-run");
    expect(shown.code).toBe(0);
    expect(shown.out).toContain(`- "command": ${JSON.stringify(BUN)}`);
    expect(shown.out).toContain(`+ "command": ${JSON.stringify(EXECUTABLE)}`);
    expect(shown.out).not.toContain(HOME_SECRET);
    expect(treeOf(world.folder)).toEqual(before);
  });

  test("names a server that doesn't start and a file that can't be read, and wraps the others", async () => {
    using world = makeWorld();
    writeFileSync(fileOf(world, "zed"), '{ "context_servers": { "a": {');
    const cursor = fileOf(world, "cursor");
    const text = readFileSync(cursor, "utf8");
    writeFileSync(cursor, text.replace('"mcpServers": {', '"mcpServers": { "gone": { "command": "no-such-program-here" },'));
    const ended = await world.run("connect", "--all", "--json");
    expect(ended.code).toBe(1);
    const document = JSON.parse(ended.out) as ConnectDocument & { unreadable: readonly { client: string }[] };
    const gone = document.servers.find(({ name }) => name === "gone");
    expect([gone?.result, gone?.reason]).toMatchObject(["skipped", expect.stringContaining("it can't be started here")]);
    expect(document.unreadable.map(({ client }) => client)).toEqual(["zed"]);
    expect(document.servers.filter(({ result }) => result === "connected")).toHaveLength(11);
    expect(readFileSync(cursor, "utf8")).toContain('"gone": { "command": "no-such-program-here" },');
  });

  test("P7: repeats no secret that a server prints which doesn't start, nor does check", async () => {
    using world = makeSandbox();
    const secrets = ["s3cret-of-an-argument", "s3cret-of-a-variable"];
    const script = 'console.error("refused:", process.env.API_TOKEN, ...process.argv.slice(2)); process.exit(3)';
    const server = { command: BUN, args: [world.write("refuses.js", script), `--key=${secrets[0]}`], env: { API_TOKEN: secrets[1] } };
    world.write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { notes: server } }));
    world.write(
      "synartesis.yaml",
      `version: 1\nservers:\n  notes:\n    via: { client: cursor, file: "~/.cursor/mcp.json", name: notes }\n`,
    );
    for (const words of [
      ["connect", "cursor", "--manifest", "other.yaml"],
      ["connect", "cursor", "--manifest", "other.yaml", "--json"],
      ["check"],
    ]) {
      const { out, err } = await world.run(...words);
      expect(out + err).toContain("refused:");
      expect(secrets.filter((secret) => (out + err).includes(secret))).toEqual([]);
    }
  });

  test("in a pipe wants to be told which client; names that aren't there are bad usage", async () => {
    using world = makeWorld();
    const [none, client, server] = [
      await world.run("connect"),
      await world.run("connect", "cursr"),
      await world.run("connect", "cursor", "--server", "no"),
    ];
    expect([none.code, client.code, server.code]).toEqual([2, 2, 2]);
    expect(none.err).toContain("claude-code");
    expect(client.err).toContain("cursor");
    expect(server.err).toContain("memory");
  });

  test("wraps a server that only its client can start with the policy that was made for it by name, and none before", async () => {
    using world = makeWorld();
    const path = fileOf(world, "vscode");
    writeFileSync(path, readFileSync(path, "utf8").replace('"--state"', `"--token=\${input:token}", "--state"`));
    const before = readFileSync(path);
    const no = await world.run("connect", "vscode", "--yes");
    expect([no.code, no.out]).toMatchObject([1, expect.stringContaining(`it needs \${input:token}, which only VS Code knows`)]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect((await world.run("init", "notes", "--", BUN, ...world.args)).code).toBe(0);
    expect((await world.run("connect", "vscode", "--yes")).code).toBe(0);
    expect(readFileSync(path, "utf8")).toContain(`"--token=\${input:token}"`);
    expect((await world.run("disconnect", "vscode")).code).toBe(0);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("doesn't call an entry wrapped that starts nothing any more", async () => {
    using world = makeWorld();
    const path = fileOf(world, "cursor");
    expect((await world.run("connect", "cursor", "--yes")).code).toBe(0);
    const connected = readFileSync(path, "utf8");
    for (const [written, what] of [
      [EXECUTABLE, "/gone/synartesis"],
      [join(world.home, ".synartesis/synartesis.yaml"), "/gone/synartesis.yaml"],
    ] as const) {
      writeFileSync(path, connected.replaceAll(JSON.stringify(written), JSON.stringify(what)));
      const again = await world.json<ConnectDocument & { servers: readonly { hint: string }[] }>("connect", "cursor");
      const [server] = again.servers;
      expect([server?.result, server?.reason]).toEqual(["skipped", `it is wrapped, but ${what} isn't there`]);
      expect(Bun.spawnSync(["sh", "-c", server?.hint ?? ""], { env: world.env, cwd: world.folder }).exitCode).toBe(0);
      expect(readFileSync(path, "utf8")).toBe(connected);
    }
    expect((await world.run("connect", "cursor")).code).toBe(0);
  });

  test("in a project's own files only where that is asked for", async () => {
    using world = makeWorld();
    const text = JSON.stringify({ mcpServers: { shared: { command: BUN, args: world.args } } });
    const path = world.write(".mcp.json", text);
    const own = await world.json<ConnectDocument>("connect", "claude-code", "--yes");
    expect(own.servers.map(({ name }) => name)).toEqual(["memory"]);
    expect(readFileSync(path, "utf8")).toBe(text);
    const project = await world.json<ConnectDocument>("connect", "claude-code", "--project", "--yes");
    expect(project.servers.map(({ name, result }) => [name, result])).toEqual([["shared", "connected"]]);
    expect((await world.run("disconnect", "claude-code", "--project")).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(text);
    const told = await world.run("connect", "claude-code", "--project", "--yes");
    const out = /take it out again: (.*)/.exec(told.out)?.[1] ?? "";
    expect(Bun.spawnSync(["sh", "-c", out], { env: world.env, cwd: world.folder }).exitCode).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});

describe("connect at a terminal", () => {
  test("what it and disconnect say is broken between words, to the width that there is", async () => {
    using world = makeWorld();
    world.env["COLUMNS"] = "64";
    const told = [await world.run("connect", "vscode", "--yes"), await world.run("disconnect", "vscode", "--yes")];
    const lines = told.flatMap(({ out }) => out.split("\n"));
    // A command is to be copied.
    const wide = lines.filter((line) => line.length > 64 && !line.includes(`${EXECUTABLE} `));
    expect([told.map(({ code }) => code), wide]).toEqual([[0, 0], []]);
    expect(lines.filter((line) => /^ {2}notes: wrapped as/.test(line))).toHaveLength(1);
  });

  test("P3: asks with the change on the screen; what a client writes into its file meanwhile stays, and no is no", async () => {
    using world = makeWorld();
    const path = fileOf(world, "claude-code");
    const before = readFileSync(path, "utf8");
    const ask = async () => {
      const asked = atTerminal(world, 'exec "$0" connect claude-code', EXECUTABLE, 300);
      await until("it asks", () => asked.screen().includes("Do this? [y/N]"));
      return asked;
    };
    const no = await ask();
    no.type("\n");
    expect([await no.child.exited, readFileSync(path, "utf8")]).toEqual([1, before]);
    const yes = await ask();
    expect(yes.screen()).toContain(`+ "command": ${JSON.stringify(EXECUTABLE)}`);
    const meanwhile = before.replace('"numStartups":12', '"numStartups":13,"tips":{"seen":[1]}');
    writeFileSync(path, meanwhile);
    yes.type("y\n");
    expect(await yes.child.exited).toBe(0);
    const now = JSON.parse(readFileSync(path, "utf8"));
    expect([now.numStartups, now.tips, now.mcpServers.memory.command]).toEqual([13, { seen: [1] }, EXECUTABLE]);
    expect((await world.run("disconnect", "claude-code")).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(meanwhile);
  });

  test("without a client's name shows what was found, and takes one of them", async () => {
    using world = makeWorld();
    const asked = atTerminal(world, 'exec "$0" connect --yes', EXECUTABLE, 300);
    await until("it asks", () => asked.screen().includes("or all)"));
    expect(asked.screen()).toContain("my notes / 2.0");
    asked.type("lmstudio\n");
    expect(await asked.child.exited).toBe(0);
    expect(readFileSync(fileOf(world, "lmstudio"), "utf8")).toContain(EXECUTABLE);
    expect(readFileSync(fileOf(world, "cursor"), "utf8")).not.toContain(EXECUTABLE);
  });
});

describe("a server at an address", () => {
  test("P7: its secret stays in the client's file; the wrapped entry reaches it with the very same header", async () => {
    using notes = makeHttpNotes();
    const secret = "Bearer s3cret-of-the-header";
    const text = JSON.stringify(
      { mcpServers: { "far notes": { type: "http", url: notes.server.url, headers: { Authorization: secret } } } },
      null,
      2,
    );
    const path = notes.write("home/.claude.json", text);
    const manifest = join(notes.folder, "home/far.yaml");
    const ended = await notes.run("connect", "claude-code", "--yes", "--manifest", manifest);
    expect([ended.code, ended.err]).toEqual([0, ""]);
    expect(ended.out + readFileSync(manifest, "utf8")).not.toContain("s3cret");
    const entry = JSON.parse(readFileSync(path, "utf8")).mcpServers["far notes"] as Entry & { readonly type: string };
    expect([entry.type, entry.env["FAR_NOTES_AUTHORIZATION"]]).toEqual(["stdio", secret]);
    const asked = notes.server.seen.length;
    const agent = await startEntry(notes, entry);
    expect(textOf(await agent.call("get", { key: "a" }))).toContain("first");
    await agent.end();
    expect(notes.server.seen.slice(asked).every(({ headers }) => headers.get("authorization") === secret)).toBe(true);
    expect((await notes.run("disconnect", "claude-code")).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("is left alone where its address may hold a secret, which would be copied into the manifest", async () => {
    using world = makeSandbox();
    const text = JSON.stringify({ mcpServers: { far: { url: "https://far.example/mcp?key=s3cret" } } });
    const path = world.write("home/.cursor/mcp.json", text);
    const ended = await world.run("connect", "cursor", "--yes");
    expect([ended.code, ended.out]).toMatchObject([1, expect.stringContaining("perhaps a secret")]);
    expect(ended.out + ended.err).not.toContain("s3cret");
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(existsSync(join(world.folder, "home/.synartesis"))).toBe(false);
  });
});

describe("disconnect", () => {
  test("takes out one server of several, and without the record rebuilds what it can", async () => {
    using world = makeSandbox();
    world.write("state.json", JSON.stringify({ next: 1, notes: {}, sent: [] }));
    const server = { command: BUN, args: [NOTES_SERVER, "--state", join(world.folder, "state.json")] };
    const path = world.write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { one: server, two: { ...server, timeout: 3 } } }));
    const servers = () => JSON.parse(readFileSync(path, "utf8")).mcpServers;
    expect((await world.run("connect", "cursor", "--yes")).code).toBe(0);
    expect((await world.run("disconnect", "cursor", "--server", "two")).code).toBe(0);
    expect([servers().one.command, servers().two]).toEqual([EXECUTABLE, { ...server, timeout: 3 }]);
    rmSync(join(world.folder, "home/.synartesis/connections.json"));
    expect((await world.run("disconnect", "cursor")).code).toBe(0);
    expect(servers()).toEqual({ one: server, two: { ...server, timeout: 3 } });
  });

  test("names what it can't do with what to do about it, and refuses words that contradict each other", async () => {
    using world = makeSandbox();
    const entry = { command: EXECUTABLE, args: ["proxy", "--server", "notes", "--", "notes-server"] };
    const path = world.write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { notes: entry } }));
    chmodSync(path, 0o444);
    const ended = await world.run("disconnect", "cursor", "--yes");
    expect([ended.code, ended.out]).toEqual([1, expect.stringContaining("it is read-only\n    make it writable: chmod u+w")]);
    expect((await world.json<{ servers: object[] }>("disconnect", "cursor")).servers).toEqual([
      expect.objectContaining({ result: "kept", reason: "it is read-only", hint: "make it writable: chmod u+w" }),
    ]);
    for (const words of [
      ["cursor", "--all"],
      ["cursor", "--file", path, "--project"],
    ])
      for (const verb of ["connect", "disconnect"]) expect((await world.run(verb, ...words)).code).toBe(2);
  });

  test("gives back what stood in an entry that somebody renamed since, and keeps nothing of one that was deleted", async () => {
    using notes = makeHttpNotes();
    const far = { type: "http", url: notes.server.url, headers: { Authorization: "Bearer s3cret-of-the-header" } };
    const gone = { command: BUN, args: [NOTES_SERVER, "--state", join(notes.folder, "state.json")] };
    const path = notes.write("home/.claude.json", JSON.stringify({ mcpServers: { far, gone } }));
    expect((await notes.run("connect", "claude-code", "--yes")).code).toBe(0);
    const wrapped = JSON.parse(readFileSync(path, "utf8")).mcpServers.far;
    writeFileSync(path, JSON.stringify({ mcpServers: { anew: wrapped } }));
    const ended = await notes.run("disconnect", "claude-code");
    expect([ended.code, ended.err]).toEqual([0, ""]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ mcpServers: { anew: { ...far, url: String(far.url) } } });
    const record = JSON.parse(readFileSync(join(notes.folder, "home/.synartesis/connections.json"), "utf8"));
    expect(record.connections).toEqual([]);
  });

  test("with --all gets out of every file where it was put in front: projects' in other folders too; one that isn't there is named and stays known", async () => {
    using world = makeSandbox();
    world.write("state.json", JSON.stringify({ next: 1, notes: {}, sent: [] }));
    const server = { command: BUN, args: [NOTES_SERVER, "--state", join(world.folder, "state.json")] };
    const text = JSON.stringify({ mcpServers: { notes: { ...server, timeout: 3 } } }, null, 1);
    const files = ["home/.cursor/mcp.json", "shop/.mcp.json", "books/.vscode/mcp.json", "gone/.mcp.json"].map((file) =>
      world.write(file, file.includes("vscode") ? text.replace("mcpServers", "servers") : text),
    );
    const before = files.map((file) => readFileSync(file, "utf8"));
    const at = (folder: string, ...words: string[]) =>
      Bun.spawnSync([EXECUTABLE, ...words], { cwd: join(world.folder, folder), env: world.env, stderr: "pipe" });
    for (const folder of ["shop", "books", "gone"]) expect(at(folder, "connect", "--project", "--yes").exitCode).toBe(0);
    expect((await world.run("connect", "cursor", "--yes")).code).toBe(0);
    for (const file of files) expect(readFileSync(file, "utf8")).toContain(EXECUTABLE);

    renameSync(join(world.folder, "gone"), join(world.folder, "away"));
    for (let round = 0; round < 2; round++) {
      const ended = at(round === 0 ? "home" : "shop", "disconnect", "--all", "--yes");
      expect([ended.exitCode, ended.stdout.toString()]).toEqual([1, expect.stringContaining(`${files[3]}\n  can't be read`)]);
      expect(files.slice(0, 3).map((file) => readFileSync(file, "utf8"))).toEqual(before.slice(0, 3));
    }
    renameSync(join(world.folder, "away"), join(world.folder, "gone"));
    expect(at("shop", "disconnect", "--all").exitCode).toBe(0);
    expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(before);
    expect(JSON.parse(readFileSync(join(world.folder, "home/.synartesis/connections.json"), "utf8")).connections).toEqual([]);
    expect(at("shop", "disconnect").stdout.toString()).toBe("nothing is wrapped there\n");
  });

  test("a record that can't be read stops it, and connect too before anything is written; it is no bug of ours", async () => {
    using world = makeSandbox();
    const text = JSON.stringify({ mcpServers: { here: { command: EXECUTABLE, args: ["companion", "files", "--root", world.folder] } } });
    const path = world.write("home/.cursor/mcp.json", text);
    mkdirSync(join(world.folder, "home/.synartesis/connections.json"), { recursive: true });
    for (const verb of ["connect", "disconnect"]) {
      const ended = await world.run(verb, "cursor", "--yes");
      expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("connections.json can't be read: it is a folder (EISDIR)")]);
    }
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(readdirSync(join(world.folder, "home/.synartesis"))).toEqual(["connections.json"]);
  });

  test("stops at a record that isn't as it was kept, and doctor says so", async () => {
    using world = makeSandbox();
    const entry = { command: EXECUTABLE, args: ["proxy", "--server", "notes", "--", "notes-server"] };
    const path = world.write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { notes: entry } }));
    for (const kept of ["", "[]", "null", JSON.stringify({ file: path, path: ["mcpServers", "notes"] })]) {
      const record = world.write("home/.synartesis/connections.json", `{"version":1,"connections":[${kept}]}`);
      const isWhole = kept === "";
      const ended = await world.run("disconnect", "cursor", "--dry-run");
      expect([ended.code, ended.err.includes(`${record} isn't what was kept here`)]).toEqual(isWhole ? [0, false] : [1, true]);
      const { findings } = await world.json<{ findings: { level: string; what: string }[] }>("doctor", "--no-start");
      expect(findings.some(({ level, what }) => level === "wrong" && what.startsWith(`${record} isn't what`))).toBe(!isWhole);
    }
  });
});
