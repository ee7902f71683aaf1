// How far is it from nothing to a protected agent, and back? The whole way as a person goes it, at a terminal, with the keys counted: install.sh, init,
// an agent's write, undo, disconnect. Afterwards every client's file is as it was found, byte for byte.
import { expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveName, VERSION } from "../../scripts/release/repository.ts";
import { type Files, INSTALL, serveRelease, sumsOf, testInstall } from "../release/fixture.ts";
import { Agent, textOf } from "../support/agent.ts";
import { HOME_SECRET, makeClientHome } from "../support/client-home.ts";
import { openRecorded, type RecordedTerminal } from "../support/recorded-terminal.ts";
import { makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";
import { treeOf } from "../support/tree.ts";

setDefaultTimeout(240_000);

const ENTER = "\r";
const [MOST_PROMPTS, MOST_KEYS] = [12, 60];

/** A release of what was built for this machine, under the names of all that may run here. */
function releaseOfThisMachine(): Files {
  const folder = mkdtempSync(join(tmpdir(), "synartesis-release-"));
  try {
    const packed = join(folder, "packed.tar");
    const { success } = Bun.spawnSync(["tar", "-cf", packed, "-C", join(ROOT, "dist"), "synartesis"]);
    if (!success) throw new Error("tar failed");
    const archive = Bun.gzipSync(readFileSync(packed), { level: 1 });
    const targets = ["", "-baseline"].flatMap((simd) => ["", "-musl"].map((libc) => `${process.platform}-${process.arch}${simd}${libc}`));
    const files: Files = new Map(targets.map((target) => [archiveName(VERSION, target), archive]));
    files.set("SHA256SUMS", sumsOf(files));
    files.set("install.sh", INSTALL);
    return files;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A home with all twelve clients: some have the filesystem server, the others the memory server. */
function furnish(home: string): ReadonlyMap<string, string> {
  const server = (name: string) => join(ROOT, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
  mkdirSync(join(home, "notes"), { recursive: true });
  mkdirSync(join(home, ".local/bin"), { recursive: true });
  writeFileSync(join(home, "notes/plan.md"), "mine\n");
  const files = { command: "node", args: [server("filesystem"), join(home, "notes")] };
  const memory = { command: "env", args: [`MEMORY_FILE_PATH=${join(home, "memory.jsonl")}`, "node", server("memory")] };
  return makeClientHome(home, files, { codex: memory, goose: memory, zed: memory, opencode: memory });
}

/** The clients' files, and what the agents work on; neither the program nor its own home. */
function kept(home: string): Readonly<Record<string, string>> {
  const own = Object.entries(treeOf(home)).filter(([name]) => !/^\.(local|synartesis)\b|^memory\.jsonl$/.test(name));
  return Object.fromEntries(own);
}

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
}

/** What an agent does through the very entry that its client has. */
async function work(sandbox: Sandbox, { command, args, env }: Entry, tool: string, given: object): Promise<string> {
  await using agent = await Agent.start({ ...sandbox, env: { ...sandbox.env, ...env } }, args, [command]);
  return textOf(await agent.call(tool, given));
}

class Person {
  prompts = 0;
  readonly terminal: RecordedTerminal;

  constructor(terminal: RecordedTerminal) {
    this.terminal = terminal;
  }

  /** Types a command, and waits until it has ended. */
  async run(line: string, kind: string, questions: readonly (readonly [shown: string, keys: string])[] = []): Promise<string> {
    const before = (await this.terminal.seen("the shell's prompt", isAtPrompt)).length;
    this.terminal.type(`${line}${ENTER}`, kind);
    const since = (text: string) => text.slice(before);
    for (const [shown, keys] of questions) {
      await this.terminal.seen(shown, (text) => isAsked(since(text), shown));
      this.prompts += 1;
      this.terminal.type(keys, kind);
    }
    return since(await this.terminal.seen(`the end of ${line}`, (text) => isAtPrompt(text) && text.length > before + line.length));
  }
}

function isAtPrompt(text: string): boolean {
  return /(^|\n)[#$]$/.test(text);
}

/** What is asked is the last question there is: below a question of the wizard is its footer. */
function isAsked(text: string, shown: string): boolean {
  const last = text.slice(Math.max(0, text.lastIndexOf("◆")));
  return last.includes(shown) && (!last.startsWith("◆") || last.includes("└"));
}

testInstall(
  "P1: from install.sh to a protected filesystem and memory server, an undo, and back out, takes at most 12 prompts and 60 keys",
  async () => {
    using sandbox = makeSandbox();
    const home = sandbox.env["HOME"] ?? "";
    const clients = furnish(home);
    const before = kept(home);
    using release = serveRelease(VERSION, releaseOfThisMachine());
    const path = `${join(home, ".local/bin")}:${sandbox.env["PATH"]}`;
    using terminal = openRecorded(sandbox, { ...sandbox.env, PATH: path, SYNARTESIS_RELEASES: release.url });
    const person = new Person(terminal);
    try {
      const installed = await person.run(`curl -fsSL "$SYNARTESIS_RELEASES/latest/download/install.sh" | sh`, "pasted");
      expect(installed).toContain(`installed synartesis ${VERSION}`);

      const guarded = await person.run("synartesis init", "the way", [
        ["Which servers", ENTER],
        ["Write this?", ENTER],
        ["Put the proxy", ENTER],
      ]);
      expect(guarded).toContain("0 errors");

      const program = realpathSync(join(home, ".local/bin/synartesis"));
      const textOfClient = (client: string) => readFileSync(clients.get(client) ?? "", "utf8");
      for (const client of clients.keys()) expect([client, textOfClient(client).includes(program)]).toEqual([client, true]);
      const memory: Entry = (Bun.TOML.parse(textOfClient("codex")) as { mcp_servers: { notes: Entry } }).mcp_servers.notes;
      await work(sandbox, memory, "create_entities", { entities: [{ name: "Ada", entityType: "person", observations: ["counts"] }] });
      const files: Entry = JSON.parse(textOfClient("claude-code")).mcpServers.memory;
      await work(sandbox, files, "write_file", { path: join(home, "notes/plan.md"), content: "the agent's\n" });
      expect(readFileSync(join(home, "notes/plan.md"), "utf8")).toBe("the agent's\n");
      await person.run("synartesis undo", "undo", [["[y/N]", `y${ENTER}`]]);
      expect(readFileSync(join(home, "notes/plan.md"), "utf8")).toBe("mine\n");
      expect(readFileSync(join(home, "memory.jsonl"), "utf8")).toContain("Ada");
      await person.run("synartesis undo", "undo", [["[y/N]", `y${ENTER}`]]);
      expect(readFileSync(join(home, "memory.jsonl"), "utf8")).not.toContain("Ada");

      const out = await person.run("synartesis disconnect --all", "the way", [["[y/N]", `y${ENTER}`]]);
      expect(out).toContain("byte for byte as before");
      expect(kept(home)).toEqual(before);
      expect(terminal.recording()).not.toContain(HOME_SECRET);
      // The two commands that are typed count too; the line that is pasted from the README doesn't, nor do the undos, which are no part of the way.
      expect(terminal.typed.get("the way")).toBeLessThanOrEqual(MOST_KEYS);
      expect(person.prompts).toBeLessThanOrEqual(MOST_PROMPTS);
    } catch (error) {
      console.error(terminal.recording());
      throw error;
    }
  },
);
