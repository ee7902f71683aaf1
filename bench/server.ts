// What is the cheapest server worth measuring against? A key-value store over lines of JSON-RPC, without an SDK. Never checks what it is sent.
//   bun server.ts [--keys N] [--state FILE]     FILE: every write is appended there, so that a later process sees the same values
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { LineSplitter } from "../src/wire/lines.ts";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly arguments?: Readonly<Record<string, string>>;
  };
}

const { values } = parseArgs({ options: { keys: { type: "string" }, state: { type: "string" } } });
const store = new Map(Array.from({ length: Number(values.keys ?? 1000) }, (_, index) => [`k${index}`, `first ${index}`]));
if (values.state !== undefined && existsSync(values.state)) {
  const lines = readFileSync(values.state, "utf8").split("\n").slice(0, -1);
  for (const line of lines) {
    const [key, value] = JSON.parse(line) as [string, string | null]; // written below
    if (value === null) store.delete(key);
    else store.set(key, value);
  }
}

const text = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
});
const TOOLS = [
  { name: "get", description: "Reads a key", inputSchema: text("key"), annotations: { readOnlyHint: true } },
  { name: "set", description: "Writes a key", inputSchema: text("key", "value") },
  { name: "create", description: "Writes a new key, named after the value", inputSchema: text("value") },
  { name: "remove", description: "Removes a key", inputSchema: text("key") },
  { name: "send", description: "Sends a message", inputSchema: text("to") },
];

const output = Bun.stdout.writer();
function reply(id: number | undefined, result: object): void {
  if (id === undefined) return;
  output.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

function call(name: string | undefined, args: Readonly<Record<string, string>>): object {
  const { key = "", value = "" } = args;
  switch (name) {
    case "get":
      return store.has(key) ? answer({ key, value: store.get(key) }) : { ...answer({ error: "no such key" }), isError: true };
    case "set":
      return write(key, value);
    case "create":
      return write(`made-${value}`, value);
    case "remove":
      return write(key, null);
    default:
      return answer({ done: name ?? "" });
  }
}

function write(key: string, value: string | null): object {
  if (value === null) store.delete(key);
  else store.set(key, value);
  if (values.state !== undefined) appendFileSync(values.state, `${JSON.stringify([key, value])}\n`);
  return answer({ key, value });
}

function answer(structuredContent: object): object {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

function handle({ id, method, params = {} }: Request): void {
  if (method === "tools/call") reply(id, call(params.name, params.arguments ?? {}));
  else if (method === "tools/list") reply(id, { tools: TOOLS });
  else if (method === "initialize")
    reply(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "bench", version: "1" },
    });
  else reply(id, {});
}

const decoder = new TextDecoder();
const lines = new LineSplitter(64 * 1024 * 1024, {
  onLine: (line) => handle(JSON.parse(decoder.decode(line)) as Request), // only our own client and proxy speak to it
  onTooLong: () => undefined,
});
for await (const chunk of Bun.stdin.stream()) {
  lines.push(chunk);
  await output.flush();
}
