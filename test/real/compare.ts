// Which real servers do the official clients visit, and do they see of them what they see without the proxy? Each is visited directly, then behind the
// proxy over stdio and over HTTP. What npm ci doesn't bring is there where REAL_CLIENTS names a folder that install.sh has filled.
import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../support/http.ts";
import { testUnless } from "../support/needing.ts";
import { BUN, EXECUTABLE, makeSandbox, ROOT } from "../support/sandbox.ts";
import { NEEDED, PLAYWRIGHT, type Question, type Target, type Visit, type Visitor } from "./visit.ts";
/** A real server, and what it is asked. */
export interface Server {
  /** The words that start it in a folder of its own. */
  command(folder: string): readonly [string, ...string[]];
  /** What every client asks. */
  readonly questions: readonly Question[];
  /** What clients ask as well that keep a connection, and answer the server. */
  readonly more?: readonly Question[];
}

const call = (name: string, args: object = {}): Question => ({ method: "tools/call", params: { name, arguments: args } });
const official = (name: string) => join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const LIST: Question = { method: "tools/list" };

const EVERYTHING: Server = {
  command: () => ["node", official("everything")],
  questions: [LIST, call("get-annotated-message", { messageType: "error", includeImage: true })],
  more: [
    { method: "prompts/list" },
    { method: "resources/list" },
    { method: "resources/templates/list" },
    { method: "resources/read", params: { uri: "demo://resource/static/document/features.md" } },
    { method: "prompts/get", params: { name: "args-prompt", arguments: { city: "Zürich" } } },
    call("echo", { message: "ä\u2028 👩‍👧" }),
    call("get-sum", { a: 2, b: 40 }),
    call("get-sum", { a: "two" }),
    call("get-tiny-image"),
    call("get-structured-content", { location: "New York" }),
    call("get-resource-links", { count: 2 }),
    call("no-such-tool"),
    call("trigger-sampling-request", { prompt: "p é", maxTokens: 10 }),
    call("trigger-elicitation-request"),
    call("get-roots-list"),
  ],
};

/** All of them by name. */
export const SERVERS: Readonly<Record<string, Server>> = {
  everything: EVERYTHING,
  // It may touch `files` by its command, or `root` by what the client says instead.
  filesystem: {
    command: (folder) => ["node", official("filesystem"), join(folder, "files")],
    questions: [LIST, call("list_directory", { path: "FOLDER" })],
    more: [
      { ...call("list_allowed_directories"), until: "FOLDER/root" },
      call("write_file", { path: "FOLDER/root/é.txt", content: "one\r\ntwo" }),
      call("read_text_file", { path: "FOLDER/root/é.txt" }),
      call("list_directory", { path: "FOLDER/files" }),
    ],
  },
  memory: {
    command: (folder) => ["env", `MEMORY_FILE_PATH=${join(folder, "memory.jsonl")}`, "node", official("memory")],
    questions: [LIST, call("create_entities", { entities: [{ name: "Zoë", entityType: "person", observations: ["é"] }] })],
    more: [
      call("read_graph"),
      call("search_nodes", { query: "zo" }),
      call("add_observations", { observations: [{ entityName: "nobody", contents: ["x"] }] }),
    ],
  },
  "sequential-thinking": {
    command: () => ["node", official("sequential-thinking")],
    questions: [LIST, call("sequentialthinking", { thought: "first", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 })],
  },
  playwright: { command: () => ["node", PLAYWRIGHT], questions: [LIST] },
};

/** Serves both eras, on the second SDK line. */
export const BOTH_ERAS: Server = {
  command: (folder) => [BUN, join(import.meta.dir, "../support/modern-server.ts"), "--state", join(folder, "notes.json")],
  questions: [LIST, call("set", { key: "a", value: "é" })],
  more: [call("get", { key: "a" }), call("get", { key: "none" }), call("ask", { key: "b", value: "asked" }), call("get", { key: "b" })],
};

/** One visit in a folder of its own, which is called FOLDER in what is asked and in what was seen. */
async function visit(visitor: Visitor, server: Server, way: "directly" | "over stdio" | "over HTTP"): Promise<Visit> {
  using sandbox = makeSandbox();
  for (const name of ["files", "root"]) mkdirSync(join(sandbox.folder, name));
  const command = server.command(sandbox.folder);
  const manifest = {
    version: 1,
    servers: { s: { command: command[0], args: command.slice(1) } },
    tools: [{ match: "s.*", class: "readonly" }],
  };
  sandbox.write("synartesis.yaml", JSON.stringify(manifest));
  const { folder: cwd, env } = sandbox;
  const asked = JSON.parse(JSON.stringify(server.questions).replaceAll("FOLDER", cwd)) as Question[];
  const see = async (target: Target) =>
    JSON.parse(JSON.stringify(await visitor(target, { questions: asked, root: join(cwd, "root") })).replaceAll(cwd, "FOLDER")) as Visit;
  if (way === "directly") return await see({ kind: "program", command, cwd, env });
  if (way === "over stdio") return await see({ kind: "program", command: [EXECUTABLE, "proxy"], cwd, env });
  await using served = await serve(sandbox);
  return await see({ kind: "address", url: served.url, cwd, env });
}

/** Fails unless both saw the same, but for our words at the end of the server's own. */
function expectSame(through: Visit, direct: Visit): void {
  const { instructions, ...seen } = through;
  const { instructions: own, ...expected } = direct;
  expect(seen).toEqual(expected);
  if (typeof own === "string") expect(instructions).toContain("Synartesis");
  expect(instructions ?? "").toStartWith(own ?? "");
}

/** Declares the test of a client and a server; skipped, with the reason in its name, where something isn't installed. */
export function declare(client: string, name: string, visitor: Visitor, server: Server | undefined): void {
  if (server === undefined) throw new Error(`no server ${name}`);
  const isBrief = client.includes("Inspector");
  const asked = { ...server, questions: isBrief ? server.questions : [...(server.more ?? []), ...server.questions] };
  const isNamed = (word: string) => `${client} ${name}`.toLowerCase().includes(word);
  const [lacking] = Object.entries(NEEDED).flatMap(([word, { lacks }]) => (isNamed(word) && lacks !== undefined ? [lacks] : []));
  testUnless(lacking, `P1: ${client} sees of ${name} what it sees without the proxy, over stdio and HTTP`, async () => {
    const direct = await visit(visitor, asked, "directly");
    for (const way of ["over stdio", "over HTTP"] as const) expectSame(await visit(visitor, asked, way), direct);
  });
}
