// Do real shells complete our commands? bash wherever there is one; zsh and fish where they are installed.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Agent, heldId } from "../support/agent.ts";
import { until } from "../support/documents.ts";
import { missing, testUnless } from "../support/needing.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE, makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { atTerminal } from "../support/terminal.ts";

const NO_BASH = missing("bash");

/** What bash's own completion function would offer for the last of the words. */
async function offered(sandbox: Sandbox, ...words: string[]): Promise<string[]> {
  const script = `set -u; PATH="$1:$PATH"; shift; source <(synartesis completions bash)
    COMP_WORDS=(synartesis "$@"); COMP_CWORD=$#; _synartesis; printf '%s\\n' "\${COMPREPLY[@]-}"`;
  const child = Bun.spawn(["bash", "--norc", "-c", script, "bash", dirname(EXECUTABLE), ...words], {
    cwd: sandbox.folder,
    env: sandbox.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(err).toBe("");
  return out.split("\n").filter((line) => line !== "");
}

testUnless(NO_BASH, "bash is offered commands, options and choices, and nothing hidden or already given", async () => {
  using sandbox = makeSandbox();
  expect(await offered(sandbox, "aud")).toEqual(["audit"]);
  expect(await offered(sandbox, "audit", "")).toEqual(["verify"]);
  expect(await offered(sandbox, "help", "comp")).toEqual(["companion", "completions"]);
  expect(await offered(sandbox, "undo", "--dry")).toEqual(["--dry-run"]);
  expect(await offered(sandbox, "undo", "--dry-run", "--dry")).toEqual([]);
  expect(await offered(sandbox, "--json", "li")).toEqual(["list"]);
  expect(await offered(sandbox, "proxy", "--log-level", "")).toEqual(["error", "warn", "info", "debug"]);
  expect(await offered(sandbox, "proxy", "--log-level", "=", "d")).toEqual(["debug"]);
  expect(await offered(sandbox, "proxy", "--gate")).toEqual([]);
  expect(await offered(sandbox, "policies", "")).toEqual(["show", "--json", "--help"]);
  expect(await offered(sandbox, "policies", "show", "mem")).toEqual(["memory"]);
  expect(await offered(sandbox, "completions", "")).toEqual(["bash", "zsh", "fish"]);
  expect(await offered(sandbox, "undo", "--all-runs", "7f3a", "")).toContain("--json");
  expect(await offered(sandbox, "no-such", "")).toEqual([]);
  sandbox.write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { notes: { command: "true" }, other: { command: "true" } } }));
  expect(await offered(sandbox, "init", "--guard", "n")).toEqual(["notes"]);
});

async function withRun(): Promise<{ notes: NotesSandbox; held: string }> {
  const notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  const held = heldId(await agent.call("send", { to: "x" }));
  await agent.end();
  return { notes, held };
}

testUnless(
  NO_BASH,
  "bash is offered the runs, the calls that wait and the servers that are there, also of files that are named",
  async () => {
    const { notes, held } = await withRun();
    using _ = notes;
    const { runs } = await notes.json<{ runs: { id: string }[] }>("list");
    const ids = runs.map(({ id }) => id);
    const [id = ""] = ids;
    expect(ids).toHaveLength(1);
    expect(await offered(notes, "show", "")).toEqual(ids);
    expect(await offered(notes, "undo", id.slice(0, 3))).toEqual(ids);
    const calls = await offered(notes, "approve", "");
    expect([calls.length, calls[0]?.startsWith(held)]).toEqual([1, true]);
    expect(await offered(notes, "redo", "")).toEqual([]);
    expect(await offered(notes, "undo", "--server", "n")).toEqual(["notes"]);
    await notes.run("undo", id, "--yes");
    expect(await offered(notes, "redo", "")).toHaveLength(1);
    expect(await offered(notes, "undo", id.slice(0, 3))).toEqual([]);
    expect(await offered(notes, "list", "--manifest", "no\\ such/synartesis.yaml", "")).toContain("--limit");
    const elsewhere = { ...notes, folder: "/" };
    expect(await offered(elsewhere, "show", "")).toEqual([]);
    expect(await offered(elsewhere, "show", "--manifest", `${notes.folder}/"synartesis.yaml"`, "")).toContain(id);
    notes.write("synartesis.yaml", "version: [");
    expect(await offered(notes, "undo", "--server", "")).toEqual([]);
  },
);

/** Each with what it is started by, so that it reads nobody's settings. */
const SHELLS = [
  ["bash", "PS1='ready> ' exec bash --norc --noprofile -i", "source <(synartesis completions bash)"],
  [
    "zsh",
    "PS1='ready> ' exec zsh -f -i",
    "unsetopt beep promptsp; autoload -U compinit && compinit -u -d zdump; source <(synartesis completions zsh)",
  ],
  ["fish", "exec fish --private -C 'function fish_prompt; echo \"ready> \"; end'", "synartesis completions fish | source"],
] as const;

for (const [shell, start, switchOn] of SHELLS)
  testUnless(missing(shell), `somebody who types in ${shell} gets words and files completed`, async () => {
    const { notes } = await withRun();
    using _ = notes;
    const line = `PATH="${dirname(EXECUTABLE)}:$PATH"; export PATH; TERM=xterm; export TERM; ${start}`;
    const terminal = atTerminal(notes, line, EXECUTABLE, 200);
    await until("the shell is ready", () => terminal.screen().includes("ready>"));
    terminal.type(`${switchOn}; echo on >switched\r`);
    /** What a line printed that holds only once it has been completed. */
    const printed = async (typed: string, file: string) => {
      terminal.type(`${typed} >${file}; echo ok >>${file}\r`);
      const content = () => readFileSync(join(notes.folder, file), "utf8");
      await until(`${typed} has run`, () => existsSync(join(notes.folder, file)) && content().endsWith("ok\n"));
      return content();
    };
    await until("completion is on", () => existsSync(join(notes.folder, "switched")));
    expect(await printed("synartesis aud\tver\t--js\t", "verified")).toContain('"intact": true');
    expect(await printed("synartesis policies show mem\t", "policy")).toContain("memory.create_entities");
    expect(await printed("synartesis list --manifest=synart\t", "listed")).toContain("notes");
    expect(await printed("synartesis list --manifest synart\t", "again")).toContain("notes");
    terminal.child.kill("SIGKILL");
    await terminal.child.exited;
  });

test("its help has the line for each shell whole, to be copied", async () => {
  using sandbox = makeSandbox();
  const lines = (await sandbox.run("completions", "--help")).out.split("\n");
  for (const line of [
    "  bash  source <(synartesis completions bash)",
    "  zsh   source <(synartesis completions zsh)",
    "  fish  synartesis completions fish > ~/.config/fish/completions/synartesis.fish",
  ])
    expect(lines).toContain(line);
});
