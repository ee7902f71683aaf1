// Can a server whose command stands in a client's file be started without that client: by undo, check, drill, and a proxy of all servers?
import { expect, test } from "bun:test";
import { Agent, textOf } from "../support/agent.ts";
import { runs, undo } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE } from "../support/sandbox.ts";

/** Notes that are guarded via an entry of a client's file. */
function makeVia(file: string, client: string, content: string, name = "notes"): NotesSandbox {
  const notes = makeNotes();
  notes.write(file, content.replaceAll("@PROGRAM@", EXECUTABLE).replaceAll("@COMMAND@", JSON.stringify([...notes.command]).slice(1, -1)));
  const via = JSON.stringify({ client, file: file.startsWith("home/") ? `~/${file.slice("home/".length)}` : file, name });
  notes.write("synartesis.yaml", `version: 1\nservers:\n  notes:\n    via: ${via}\ntools:${NOTES_RULES}`);
  return notes;
}

/** As it stands there once it has been wrapped. */
const WRAPPED = `{ "mcpServers": { "notes": { "command": "@PROGRAM@", "args": ["proxy", "--server", "notes", "--", @COMMAND@], "env": { "BUN_OPTIONS": "" } } } }`;

/** An agent's session as the client begins it, from that entry; changes note a. */
async function change(notes: NotesSandbox, command = notes.command): Promise<string> {
  const agent = await Agent.start(notes, ["--server", "notes", "--", ...command]);
  await agent.call("set", { key: "a", value: "agent's" });
  await agent.end();
  const [run] = await runs(notes);
  return run?.id ?? "";
}

test("an undo starts a wrapped server by the client's file, once the client is gone", async () => {
  using notes = makeVia("home/.claude.json", "claude-code", WRAPPED);
  await change(notes);
  expect(notes.state().notes["a"]).toBe("agent's");
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes["a"]).toBe("first");
});

test("P3: where the entry runs something else by now, or is gone, nothing is sent, and what to do is said", async () => {
  using notes = makeVia("home/.claude.json", "claude-code", WRAPPED);
  const run = await change(notes);
  const entry = (args: readonly string[]) =>
    notes.write("home/.claude.json", JSON.stringify({ mcpServers: { notes: { command: notes.command[0], args } } }));
  entry([...notes.command.slice(1), "--version", "2"]);
  const other = await notes.run("undo", run);
  expect([other.code, other.out.includes("is not the one with which the run started it")]).toEqual([1, true]);
  notes.write("home/.claude.json", `{ "mcpServers": {} }`);
  const gone = await notes.run("undo", run);
  expect([gone.code, gone.err.includes("no server of that name is in it"), gone.err.includes("-- COMMAND ARGS...")]).toEqual([
    2,
    true,
    true,
  ]);
  notes.write("home/.claude.json", `{ "mcpServers": `);
  expect((await notes.run("undo", run)).err).toMatch(/line 1, column \d+/);
  expect(notes.state().notes["a"]).toBe("agent's");
  expect((await notes.run("undo", run, "--", ...notes.command)).code).toBe(0);
  expect(notes.state().notes["a"]).toBe("first");
});

test("variables that a client fills in are filled in; what only it knows is named", async () => {
  const entry = (value: string) =>
    `{ "servers": { "notes": { "command": "@PROGRAM@", "args": ["proxy", "--server", "notes", "--", @COMMAND@], "env": { "TOKEN": "${value}" } } } }`;
  using notes = makeVia("home/.config/Code/User/mcp.json", "vscode", entry(`\${input:token}`));
  const run = await change(notes);
  const asked = await notes.run("undo", run);
  expect([asked.code, asked.err.includes(`\${input:token}, which only VS Code knows`)]).toEqual([2, true]);
  notes.write(
    "home/.config/Code/User/mcp.json",
    JSON.stringify({ servers: { notes: { command: notes.command[0], args: notes.command.slice(1), env: { TOKEN: `\${env:MINE}` } } } }),
  );
  expect((await undo(notes)).state).toBe("undone");
});

test("check starts it, whatever the client; doctor too", async () => {
  for (const [file, client, content, name] of [
    [
      "home/.codex/config.toml",
      "codex",
      `[mcp_servers.notes]\ncommand = "@PROGRAM@"\nargs = ["proxy", "--server=notes", "--", @COMMAND@]\n`,
      "notes",
    ],
    [
      "home/.config/goose/config.yaml",
      "goose",
      "extensions:\n  memo:\n    type: stdio\n    cmd: @PROGRAM@\n    args: [proxy, --server, notes, --, @COMMAND@]\n",
      "memo",
    ],
    ["mine/.mcp.json", "claude-code", WRAPPED, "notes"],
  ] as const) {
    using notes = makeVia(file, client, content, name);
    const checked = await notes.run("check");
    expect([client, checked.code, checked.out.includes("notes: 6 tools")]).toEqual([client, 0, true]);
    expect((await notes.run("doctor")).out).toContain("notes starts: 6 tools");
  }
});

test("a proxy of all servers starts it, and an undo of that run too, unless its entry has changed", async () => {
  using notes = makeVia("home/.claude.json", "claude-code", WRAPPED);
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "b", value: "agent's" });
  await agent.end();
  const entry = (env: Record<string, string>) =>
    notes.write(
      "home/.claude.json",
      JSON.stringify({ mcpServers: { notes: { command: notes.command[0], args: notes.command.slice(1), env } } }),
    );
  entry({ ACCOUNT: "another" });
  const refused = await notes.run("undo");
  expect([refused.code, refused.out.includes("isn't what it was when the run started it")]).toEqual([1, true]);
  expect(notes.state().notes["b"]).toBe("agent's");
  entry({ BUN_OPTIONS: "" });
  expect((await undo(notes)).state).toBe("undone");
});

test("beside others, one that can't be known is left out and the log says why; the others work", async () => {
  using notes = makeVia("home/.claude.json", "claude-code", WRAPPED);
  const via = (name: string) => `{ via: { client: claude-code, file: "~/.claude.json", name: ${name} } }`;
  notes.write("synartesis.yaml", `version: 1\nservers:\n  notes: ${via("notes")}\n  gone: ${via("gone")}\ntools:${NOTES_RULES}`);
  const agent = await Agent.start(notes);
  const got = await agent.request("tools/call", { name: "notes__get", arguments: { key: "a" } });
  expect(textOf(got.result as Parameters<typeof textOf>[0])).toContain("first");
  await agent.end();
  expect(await agent.stderr).toContain("no server of that name is in it");
});

test("an entry that starts the proxy without a command starts nothing again and again", async () => {
  using notes = makeVia(
    "home/.claude.json",
    "claude-code",
    `{ "mcpServers": { "notes": { "command": "@PROGRAM@", "args": ["proxy", "--server", "notes"] } } }`,
  );
  const { code, err } = await notes.run("proxy", "--server", "notes");
  expect([code, err.includes("takes it from the manifest")]).toEqual([2, true]);
  expect(notes.heard()).toEqual([]);
});

test("drill tries the rules of such a server", async () => {
  using notes = makeVia("home/.claude.json", "claude-code", WRAPPED);
  notes.write(
    "synartesis.yaml",
    `version: 1\nservers:\n  notes:\n    via: { client: claude-code, file: "~/.claude.json", name: notes }\n    scratch: true\ntools:${NOTES_RULES}`,
  );
  const drilled = await notes.run("drill", "--only", "notes.create");
  expect([drilled.code, drilled.err, drilled.out.includes("1 of 1 rule proven")]).toEqual([0, "", true]);
});
