// Does doctor find what is wrong, and do the commands that it names mend it?
import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Agent, heldId } from "../support/agent.ts";
import { HOME_SECRET, makeClientHome } from "../support/client-home.ts";
import { journalFile } from "../support/documents.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

interface Finding {
  readonly area: string;
  readonly level: "ok" | "note" | "wrong";
  readonly what: string;
  readonly hint: string | null;
  readonly command: string | null;
}

async function examine(sandbox: Sandbox, ...words: string[]): Promise<{ healthy: boolean; findings: Finding[]; wrong: Finding[] }> {
  const found = await sandbox.json<{ healthy: boolean; findings: Finding[] }>("doctor", ...words);
  return { ...found, wrong: found.findings.filter(({ level }) => level === "wrong") };
}

/** Runs the executable with --json in a folder. */
async function runIn<T>(cwd: string, { env }: Sandbox, words: readonly string[]): Promise<T> {
  return JSON.parse(Bun.spawnSync([EXECUTABLE, ...words, "--json"], { cwd, env }).stdout.toString());
}

async function withRun(): Promise<NotesSandbox> {
  const notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  return notes;
}

test("where all is well it says so, and where everything is and why", async () => {
  using notes = await withRun();
  const { healthy, findings, wrong } = await examine(notes);
  expect([healthy, wrong]).toEqual([true, []]);
  const said = findings.map(({ level, what }) => `${level}: ${what}`).join("\n");
  expect(said).toContain(`ok: manifest: ${notes.folder}/synartesis.yaml (in this folder)`);
  expect(said).toContain(`ok: journal: ${notes.folder}/.synartesis/journal.db (it belongs to the manifest's folder)`);
  expect(said).toContain("ok: the record is complete and unchanged");
  expect(said).toMatch(/ok: notes starts: \d+ tools/);
  expect(said).toContain("ok: nobody else can read the record");
  expect((await notes.run("doctor")).code).toBe(0);
});

test("every line fits a narrow terminal but the commands, which are to be copied", async () => {
  using notes = await withRun();
  chmodSync(join(notes.folder, "synartesis.yaml"), 0o666);
  notes.env["COLUMNS"] = "40";
  const { code, out } = await notes.run("doctor", "--no-start");
  expect([code, out.includes("1 thing is wrong")]).toEqual([1, true]);
  const commands = (await examine(notes, "--no-start")).findings.flatMap(({ command }) => (command === null ? [] : [command]));
  expect(commands.length).toBeGreaterThan(0);
  for (const line of out.split("\n")) if (!commands.includes(line.trim())) expect([line, line.length <= 40]).toEqual([line, true]);
});

test("the commands that it names mend what is wrong: modes, an open run, what a shell has set", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  heldId(await agent.call("send", { to: "x" }));
  await agent.crash();
  const journal = journalFile(notes);
  for (const [file, mode] of [
    [journal, 0o644],
    [notes.write("home/.synartesis/connections.json", '{"version":1,"connections":[]}'), 0o644],
    [dirname(journal), 0o777],
    [join(notes.folder, "synartesis.yaml"), 0o666],
    [notes.folder, 0o777],
  ] as const)
    chmodSync(file, mode);
  const { healthy, wrong, findings } = await examine(notes);
  expect(healthy).toBe(false);
  expect(wrong.map(({ area }) => area).sort()).toEqual([...Array(5).fill("permissions"), "record"]);
  expect(findings.find(({ what }) => what.includes("waits for a person"))?.command).toContain("gates");
  for (const { command } of wrong) {
    const mended = Bun.spawnSync(["sh", "-c", command ?? "exit 9"], { cwd: notes.folder, env: notes.env, stderr: "pipe" });
    expect([command, mended.exitCode, mended.stderr.toString()]).toEqual([command, 0, ""]);
  }
  expect((await examine(notes)).wrong).toEqual([]);
  expect(statSync(journal).mode & 0o777).toBe(0o600);
  notes.env["BUN_OPTIONS"] = "--smol";
  const set = (await examine(notes, "--no-start")).wrong;
  expect(set.map(({ command, what }) => [command, what.includes("--smol")])).toEqual([["unset BUN_OPTIONS", false]]);
});

test("a server that doesn't start is named without the values that it was given", async () => {
  using sandbox = makeSandbox();
  const secret = "s3cr3t-value-of-mine";
  sandbox.env["TOKEN"] = secret;
  const script = `console.error("bad token\\nof", process.env.TOKEN); process.exit(3)`;
  sandbox.write(
    "synartesis.yaml",
    `version: 1
servers:
  broken: { command: node, args: ["-e", ${JSON.stringify(script)}], env: { TOKEN: "\${TOKEN}" } }
  missing: { command: no-such-program, args: ["--key=literal-key-of-mine"] }
  far: { url: "http://127.0.0.1:9/mcp?key=query-key-of-mine", headers: { Authorization: "Bearer \${TOKEN}" } }
tools: []
`,
  );
  const { code, out, err } = await sandbox.run("doctor");
  expect(code).toBe(1);
  expect(out).toMatch(/broken doesn't start: the server ended with exit code 3;\s+it\s+printed\s+last:\n +bad token\n +of •••\n/);
  for (const name of ["broken", "missing", "far"]) expect(out).toContain(`wrong ${name} doesn't start`);
  for (const text of [secret, "literal-key-of-mine", "query-key-of-mine"])
    expect([text, (out + err).includes(text)]).toEqual([text, false]);
});

test("--no-start starts no server", async () => {
  using notes = makeNotes();
  const { findings } = await examine(notes, "--no-start");
  expect(findings.some(({ area }) => area === "servers")).toBe(false);
  expect(notes.heard()).toEqual([]);
  await examine(notes);
  expect(notes.heard().length).toBeGreaterThan(0);
});

test("P7: a record that was changed is found, and so is one that can't be opened at all", async () => {
  using notes = await withRun();
  const journal = journalFile(notes);
  rmSync(`${journal.replace(/\.db$/, "")}.head`);
  const { wrong } = await examine(notes, "--no-start");
  expect(wrong.map(({ area, command }) => [area, command?.endsWith("audit verify")])).toEqual([["record", true]]);
  for (const end of ["-wal", "-shm"]) rmSync(`${journal}${end}`, { force: true });
  writeFileSync(journal, "no database");
  expect((await examine(notes, "--no-start")).wrong.every(({ area }) => area === "record")).toBe(true);
});

test("it works with nothing there, without HOME, and with files that can't be read", async () => {
  using sandbox = makeSandbox();
  const none = await examine(sandbox);
  expect(none.wrong.map(({ what }) => what)).toEqual([expect.stringContaining("no manifest")]);
  delete sandbox.env["HOME"];
  expect((await examine(sandbox)).wrong).toHaveLength(1);
  mkdirSync(join(sandbox.folder, "synartesis.yaml"));
  expect((await examine(sandbox)).wrong[0]?.what).toContain("can't be read (EISDIR)");
  rmSync(join(sandbox.folder, "synartesis.yaml"), { recursive: true });
  sandbox.write("synartesis.yaml", "version: 1\nservers: { x: { comand: secret-word } }\n");
  const { wrong } = await examine(sandbox);
  expect(wrong.map(({ what, command }) => [what.includes("secret-word"), command?.endsWith("check")])).toEqual([[false, true]]);
});

test("another program of the same name on PATH is found, and the command puts this one there", async () => {
  using sandbox = makeSandbox();
  sandbox.write("synartesis.yaml", "version: 1\nservers: { x: { command: x } }\ntools: []\n");
  const other = sandbox.write("bin/synartesis", "#!/bin/sh\necho synartesis 0.2.0\n");
  chmodSync(other, 0o755);
  sandbox.env["PATH"] = `${dirname(other)}:${sandbox.env["PATH"]}`;
  const [found] = (await examine(sandbox, "--no-start")).wrong;
  expect(found?.what).toContain(`${other}, is synartesis 0.2.0; this is ${EXECUTABLE}`);
  Bun.spawnSync(["sh", "-c", found?.command ?? ""], { env: sandbox.env });
  expect((await examine(sandbox, "--no-start")).wrong).toEqual([]);
  rmSync(other);
  copyFileSync(EXECUTABLE, other);
  expect((await examine(sandbox, "--no-start")).findings.some(({ what }) => what.includes("is the same version as"))).toBe(true);
});

test("a program on PATH that says its version and then goes on, or leaves something running, holds nothing up", async () => {
  using sandbox = makeSandbox();
  sandbox.write("synartesis.yaml", "version: 1\nservers: { x: { command: x } }\ntools: []\n");
  const left = join(sandbox.folder, "left");
  const other = sandbox.write("bin/synartesis", `#!/bin/sh\nsleep 1000 & echo $! >"${left}"\necho synartesis 0.2.0\nwait\n`);
  chmodSync(other, 0o755);
  sandbox.env["PATH"] = `${dirname(other)}:${sandbox.env["PATH"]}`;
  try {
    expect((await examine(sandbox, "--no-start")).wrong[0]?.what).toContain(`${other}, is synartesis 0.2.0`);
  } finally {
    process.kill(Number(readFileSync(left, "utf8")));
  }
});

test("it leaves the record as it is", async () => {
  using notes = await withRun();
  const before = readFileSync(journalFile(notes));
  await examine(notes);
  expect(readFileSync(journalFile(notes)).equals(before)).toBe(true);
});

test("every client's entry is looked at: whether it runs this program, on a manifest that has its server; and no secret is shown", async () => {
  using notes = await withRun();
  const home = notes.env["HOME"] ?? "";
  makeClientHome(home, { command: notes.command[0] ?? "", args: notes.command.slice(1) });
  const before = await examine(notes, "--no-start");
  const unguarded = before.findings.filter(({ what }) => what.includes("aren't guarded"));
  expect([before.healthy, unguarded.length]).toEqual([true, 12]);
  expect(unguarded[0]?.command).toEndWith("connect claude-code");
  const manifest = join(notes.folder, "synartesis.yaml");
  const entry = (program: string, options: readonly string[], env = {}) => ({
    mcpServers: { notes: { command: program, args: ["proxy", ...options, "--", ...notes.command], env: { TOKEN: HOME_SECRET, ...env } } },
  });
  const good = ["--server", "notes", "--manifest", manifest];
  const other = notes.write("bin/synartesis", "#!/bin/sh\necho synartesis 0.2.0\n");
  chmodSync(other, 0o755);
  const cases = [
    [entry(EXECUTABLE, good), undefined],
    [entry("/gone/synartesis", good), "which isn't there (ENOENT)"],
    [entry(manifest.replace("synartesis.yaml", "synartesis"), good), "which isn't there"],
    [entry(other, good), "starts another version, synartesis 0.2.0"],
    [
      entry(EXECUTABLE, ["--server", "notes", "--manifest", "/gone/synartesis.yaml"]),
      "isn't there or can't be read: /gone/synartesis.yaml",
    ],
    [entry(EXECUTABLE, ["--server", "memo", "--manifest", manifest]), "asks for the server memo"],
    [entry(EXECUTABLE, ["--server", "notes"]), undefined], // it finds the one above the home
    [entry(EXECUTABLE, good, { BUN_OPTIONS: HOME_SECRET }), "sets BUN_OPTIONS"],
  ] as const;
  for (const [content, expected] of cases) {
    writeFileSync(join(home, ".claude.json"), JSON.stringify(content));
    const { code, out, err } = await notes.run("doctor", "--no-start", "--json");
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    const wrong = findings.filter(({ level }) => level === "wrong").map(({ what }) => what);
    expect([code, wrong]).toEqual(expected === undefined ? [0, []] : [1, [expect.stringContaining(expected)]]);
    if (expected !== undefined) expect(wrong[0]).toStartWith(`Claude Code's entry "notes" in ${home}/.claude.json `);
    expect((out + err).includes(HOME_SECRET)).toBe(false);
  }
  writeFileSync(join(home, ".claude.json"), `{ "mcpServers": { "notes": ${HOME_SECRET}`);
  const [broken, ...more] = (await examine(notes, "--no-start")).wrong;
  expect(more).toEqual([]);
  expect(broken?.what).toMatch(/can't be used: line 1, column \d+$/);
});

test("the command that it names for an entry mends that one, a project's too, and leaves the others", async () => {
  using notes = await withRun();
  const server = { command: notes.command[0], args: notes.command.slice(1) };
  const text = JSON.stringify({ mcpServers: { "my notes": server, other: server } });
  const own = notes.write("home/.cursor/mcp.json", text);
  const projects = notes.write(".cursor/mcp.json", text);
  const manifest = join(notes.folder, "synartesis.yaml");
  const unguarded = (await examine(notes, "--no-start", "--manifest", manifest)).findings.filter(({ what }) =>
    what.includes("aren't guarded"),
  );
  for (const { command } of unguarded)
    expect(Bun.spawnSync(["sh", "-c", command ?? ""], { env: notes.env, cwd: notes.folder }).exitCode).toBe(0);
  const entries = (file: string) => JSON.parse(readFileSync(file, "utf8")).mcpServers;
  for (const file of [own, projects]) {
    const connected = readFileSync(file, "utf8");
    const broken = entries(file);
    broken["my notes"].command = "/gone/synartesis";
    writeFileSync(file, JSON.stringify({ mcpServers: broken }));
    const { wrong } = await examine(notes, "--no-start", "--manifest", manifest);
    expect(wrong.map(({ what }) => what)).toEqual([
      `Cursor's entry "my notes" in ${file} starts /gone/synartesis, which isn't there (ENOENT)`,
    ]);
    expect(Bun.spawnSync(["sh", "-c", wrong[0]?.command ?? ""], { env: notes.env, cwd: notes.folder }).exitCode).toBe(0);
    expect(entries(file)).toEqual(JSON.parse(connected).mcpServers);
    expect((await examine(notes, "--no-start", "--manifest", manifest)).wrong).toEqual([]);
  }
});

test("where nothing is guarded it says so; an entry in another folder's project is looked at; it says where it isn't known what stood there", async () => {
  using notes = await withRun();
  const sum = async () => (await notes.run("doctor", "--no-start")).out.trimEnd().split("\n").at(-1);
  expect(await sum()).toStartWith("nothing is wrong, but nothing is guarded");
  const project = notes.write(
    "home/shop/.mcp.json",
    JSON.stringify({ mcpServers: { notes: { command: notes.command[0], args: notes.command.slice(1) } } }),
  );
  const connected = Bun.spawnSync([EXECUTABLE, "connect", "--project", "--yes"], { cwd: dirname(project), env: notes.env });
  expect([connected.exitCode, await sum()]).toEqual([0, expect.stringMatching(/^nothing is wrong, \d/)]);
  const text = readFileSync(project, "utf8");
  writeFileSync(project, text.replaceAll(EXECUTABLE, "/gone/synartesis"));
  const [wrong] = (await examine(notes, "--no-start")).wrong;
  expect(wrong?.what).toStartWith(`Claude Code's entry "notes" in ${project} starts /gone/synartesis`);
  expect(Bun.spawnSync(["sh", "-c", wrong?.command ?? ""], { env: notes.env, cwd: notes.folder }).exitCode).toBe(0);
  expect((await examine(notes, "--no-start")).wrong).toEqual([]);
  rmSync(join(notes.folder, "home/.synartesis/connections.json"));
  const { findings } = await examine({ ...notes, json: (...words) => runIn(dirname(project), notes, words) }, "--no-start");
  expect(findings.filter(({ what }) => what.includes("connections.json isn't there"))).toHaveLength(1);
});

test("a client's file that is broken is told once, with the servers that can't be started for it", async () => {
  using sandbox = makeSandbox();
  const file = sandbox.write("home/.claude.json", '{ "mcpServers": { "a":');
  const via = (name: string) => `  ${name}: { via: { client: claude-code, file: ~/.claude.json, name: ${name} } }\n`;
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n${["a", "b", "c"].map(via).join("")}tools: []\n`);
  expect((await examine(sandbox)).wrong.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^Claude Code's file .* can't be used: line 1, column \d+$/),
    `how to start a, b, c stands in ${file}, which can't be used`,
  ]);
});

test("the folder that it names to put the program into is install.sh's, and none of another tool's", async () => {
  using sandbox = makeSandbox();
  const folderFor = async (...folders: string[]) => {
    const places = folders.map((folder) => dirname(sandbox.write(`${folder}/README`, "")));
    sandbox.env["PATH"] = [...places, "/usr/bin", "/bin"].join(":");
    const command = (await examine(sandbox, "--no-start")).findings.find(({ what }) => what.includes("isn't on PATH"))?.command;
    const said = Bun.spawnSync(["sh", join(ROOT, "install.sh"), "--where"], { env: sandbox.env })
      .stdout.toString()
      .trim();
    return [command?.endsWith(` ${join(said, "synartesis")}`), said.replace(`${sandbox.folder}/`, "")];
  };
  const others = [
    "go/bin",
    "home/.cargo/bin",
    "home/.pyenv/shims",
    "node_modules/.bin",
    "home/.nvm/versions/bin",
    "x/.venv/bin",
    "miniconda3/bin",
  ];
  expect(await folderFor(...others, "mine")).toEqual([true, "mine"]);
  expect(await folderFor(...others, "mine", "home/bin")).toEqual([true, "home/bin"]);
  expect(await folderFor("mine", "home/bin", "home/.local/bin")).toEqual([true, "home/.local/bin"]);
});
