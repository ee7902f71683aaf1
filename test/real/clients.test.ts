// Do the official clients notice the proxy? Each connects in its era, lists, calls and is asked for input as without it; what they changed is undone.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { kill, serversBelow } from "../crash/scene.ts";
import { actions, expectIntact, runs, undo } from "../support/documents.ts";
import { until } from "../support/patience.ts";
import { BUN, EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

const SERVER = join(import.meta.dir, "../support/modern-server.ts");
const BEFORE = { a: "first", b: "second" };
const VERSION = { name: "test-client", version: "1" };
const CAPABILITIES = { capabilities: { elicitation: { form: {} } } };

interface Notes extends Sandbox {
  state(): Record<string, string>;
}

/** A sandbox whose manifest guards the notes of the second SDK line. */
function makeNotes(...options: string[]): Notes {
  const sandbox = makeSandbox();
  const file = sandbox.write("notes.json", JSON.stringify(BEFORE));
  const change = (tool: string) => `
  - match: "notes.${tool}"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }`;
  const args = JSON.stringify([SERVER, "--state", file, ...options]);
  const rules = `\n  - { match: "notes.get", class: readonly }${change("set")}${change("ask")}\n`;
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n  notes: { command: ${JSON.stringify(BUN)}, args: ${args} }\ntools:${rules}`);
  return { ...sandbox, state: () => JSON.parse(readFileSync(file, "utf8")) };
}

const proxied = (notes: Sandbox) => ({ command: EXECUTABLE, args: ["proxy"], cwd: notes.folder, env: notes.env });

/** What is the same on every SDK line. */
interface AnyClient {
  getInstructions(): string | undefined;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

/** Does what a client does, and then what a person does who wants none of it. */
async function useAndUndo(notes: Notes, client: AnyClient): Promise<void> {
  expect(client.getInstructions()).toStartWith("Own words.\n\nSynartesis");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["get", "set", "ask"]);
  expect(await client.callTool({ name: "get", arguments: { key: "a" } })).toMatchObject({ structuredContent: { value: "first" } });
  expect(await client.callTool({ name: "set", arguments: { key: "a", value: "x" } })).toMatchObject({ structuredContent: { value: "x" } });
  expect(await client.callTool({ name: "ask", arguments: { key: "b", value: "y" } })).toMatchObject({ structuredContent: { value: "y" } });
  const held = await client.callTool({ name: "unheard-of", arguments: {} });
  expect(JSON.stringify(held)).toContain("Held by Synartesis");
  await client.close();
  expect(notes.state()).toEqual({ a: "x", b: "y" });
  expect(await runs(notes)).toHaveLength(1);
  expect((await actions(notes)).map(({ tool, status }) => `${tool} ${status}`)).toEqual([
    "get applied",
    "set applied",
    "ask applied",
    "unheard-of held",
  ]);
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state()).toEqual(BEFORE);
  await expectIntact(notes);
}

test("P1: the first SDK line's client, in the legacy era", async () => {
  using notes = makeNotes();
  const client = new Client(VERSION, CAPABILITIES);
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { sure: true } }));
  await client.connect(new StdioClientTransport({ ...proxied(notes), stderr: "ignore" }));
  await useAndUndo(notes, client as AnyClient); // its results are wider than what is used here
});

const MODES = [
  ["legacy", "legacy", []],
  ["that probes first", "auto", []],
  ["modern", { pin: "2026-07-28" }, []],
  ["that probes first, with a server that knows only the modern era", "auto", ["--modern-only"]],
  ["modern, with a server that knows only that", { pin: "2026-07-28" }, ["--modern-only"]],
] as const;
test.each(MODES)("P1: the second SDK line's client, %s", async (_, mode, options) => {
  using notes = makeNotes(...options);
  const client = new ModernClient(VERSION, { ...CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { sure: true } }));
  await client.connect(new ModernTransport({ ...proxied(notes), stderr: "ignore" }));
  await useAndUndo(notes, client as AnyClient); // its results are wider than what is used here
});

test("P1: a legacy client in front of a server that knows only the modern era gets that server's own error", async () => {
  using notes = makeNotes("--modern-only");
  const client = new Client(VERSION);
  const failed = client.connect(new StdioClientTransport({ ...proxied(notes), stderr: "ignore" }));
  expect(await failed.then(() => undefined, String)).toMatch(/2026-07-28|nsupported protocol version/);
});

/** A sandbox whose manifest guards this server, whose tools all only read. */
function makeReads(command: string, ...args: string[]): Sandbox {
  const sandbox = makeSandbox();
  const server = `s: { command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)} }`;
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n  ${server}\ntools:\n  - { match: "s.*", class: readonly }\n`);
  return sandbox;
}

const MEMORY = join(ROOT, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
const DEAF = join(import.meta.dir, "../upstream/odd-server.ts");
const LEGACY_SERVERS = [
  ["that refuses what it doesn't know", "memory-server", "node", [MEMORY]],
  ["that never answers what it doesn't know", "odd", BUN, [DEAF, "--deaf"]],
] as const;
for (const [kind, name, command, args] of LEGACY_SERVERS) {
  test(`P1: a client that probes first falls back in front of a legacy server ${kind}; a modern one is told, not kept waiting for ever`, async () => {
    using sandbox = makeReads(command, ...args);
    const start = () => new ModernTransport({ ...proxied(sandbox), stderr: "ignore" });
    const probe = { timeoutMs: 2000 };
    const client = new ModernClient(VERSION, { versionNegotiation: { mode: "auto", probe } });
    await client.connect(start());
    expect(client.getServerVersion()?.name).toBe(name);
    await client.close();
    const pinned = new ModernClient(VERSION, { versionNegotiation: { mode: { pin: "2026-07-28" }, probe } });
    expect(
      await pinned.connect(start()).then(
        () => "connected",
        () => "told",
      ),
    ).toBe("told");
    await pinned.close();
  });
}

test("P1: a modern server that died is started once more without a handshake, and the client goes on", async () => {
  using notes = makeNotes("--modern-only");
  const client = new ModernClient(VERSION, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const transport = new ModernTransport({ ...proxied(notes), stderr: "ignore" });
  await client.connect(transport);
  const get = { name: "get", arguments: { key: "a" } };
  await client.callTool(get);
  const [server] = serversBelow(transport.pid ?? 0);
  kill(server ?? 0);
  await until("another server", () => serversBelow(transport.pid ?? 0).some((pid) => pid !== server));
  expect(await client.callTool(get)).toMatchObject({ structuredContent: { value: "first" } });
  await client.close();
});

test("a server that knows only the modern era is checked and drafted for like any other", async () => {
  using notes = makeNotes("--modern-only");
  const checked = await notes.run("check");
  expect(checked.out + checked.err).not.toContain("could not be");
  expect(checked.code).toBe(0);
  const drafted = await notes.run("init", "second", "--manifest", join(notes.folder, "other.yaml"), "--", BUN, SERVER, "--modern-only");
  expect(drafted.code).toBe(0);
  expect(readFileSync(join(notes.folder, "other.yaml"), "utf8")).toContain("second.set");
});
