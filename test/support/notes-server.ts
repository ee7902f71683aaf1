// A server for tests that can be told to misbehave: notes by key, kept in a file that it reads anew on every call, so that what a test
// sees is what is there. Speaks raw JSON-RPC.
//   bun notes-server.ts --state FILE [--memory] [--log FILE] [--name NAME] [--version VERSION] [--idempotent] [--ignore-eof] [--ignore-term]
//     [--litter FILE] [--clear] [--all-read]
// (VERSION may be given as the variable NOTES_VERSION; with --memory the file is only read at the start, and its name is where trouble is looked for)
// (with --idempotent a call with a key in its _meta that it has had before is answered, and does nothing)
// (--litter starts a child, and one that leaves for a session and a parent of its own, which ignore SIGTERM and have no input; their pids go to FILE)
// Tools: get{key} set{key,value} create{value}->{key} remove{key} list{} send{to}, with --clear also clear{}->{cleared: [{key,value}]}, and for trouble, on the next call of that tool:
// a file FILE.TOOL beside the state holds one word: `hang-before` (never acts, never answers), `hang-after` (acts, never answers),
// `error-after` (acts, answers isError), `error-before`, `die-before`, `die-after`, `late:MS` (acts, answers after MS),
// `wait-after` (acts, answers once FILE.TOOL.go is there), `binary` (answers with a U+FFFD in the value),
// `pretend` (answers as if it had acted), `twice` (acts, answers twice), `normal`. Several words are for as many calls, one after the other.
// A file FILE.TOOL.effect holds what the results of that tool say of their effect; with --all-read every tool is called a read.
// A file FILE.start that holds `die` lets the next server on that state end at once; the variable NOTES_SET_TAKES names one more argument of `set`.
// Each tools/call is appended to the log as it arrives, one JSON line; every other line to LOG.heard.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, watch, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const option = (name: string) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const stateFile = option("--state") ?? "notes.json";
const logFile = option("--log");

interface State {
  next: number;
  notes: Record<string, string>;
  sent: string[];
}
interface Call {
  id: unknown;
  params: { name: string; arguments: Record<string, string>; _meta?: Record<string, unknown> };
}

const load = (): State => (existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, "utf8")) : { next: 1, notes: {}, sent: [] });
const memory = process.argv.includes("--memory") ? load() : undefined;
const read = (): State => memory ?? load();
const write = (state: State) => {
  if (memory === undefined) writeFileSync(stateFile, JSON.stringify(state));
};
const say = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};
const answer = (id: unknown, value: object, more: object = {}) =>
  say({ id, result: { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value, ...more } });

/** What a tool's results say of their effect. */
function effectOf(name: string): object {
  const file = `${stateFile}.${name}.effect`;
  return existsSync(file) ? { _meta: { "hatp/journal": JSON.parse(readFileSync(file, "utf8")) } } : {};
}

const text = { type: "string" };
const tool = (name: string, properties: string[], readOnlyHint: boolean) => ({
  name,
  inputSchema: { type: "object", properties: Object.fromEntries(properties.map((property) => [property, text])), required: properties },
  annotations: { readOnlyHint: readOnlyHint || process.argv.includes("--all-read") },
});
const TOOLS = [
  tool("get", ["key"], true),
  tool("list", [], true),
  tool("set", ["key", "value", ...(process.env["NOTES_SET_TAKES"] ? [process.env["NOTES_SET_TAKES"]] : [])], false),
  tool("create", ["value"], false),
  tool("remove", ["key"], false),
  tool("send", ["to"], false),
  ...(process.argv.includes("--clear") ? [tool("clear", [], false)] : []),
];

/** Acts on the state; undefined where the thing isn't there. */
function act(name: string, args: Record<string, string>): object | undefined {
  const state = read();
  const key = args["key"] ?? "";
  const value = args["value"] ?? "";
  switch (name) {
    case "get":
      return Object.hasOwn(state.notes, key) ? { key, value: state.notes[key] } : undefined;
    case "list":
      return { notes: state.notes };
    case "set":
      state.notes[key] = value;
      write(state);
      return { key, value };
    case "create": {
      const made = `n${state.next++}`;
      state.notes[made] = value;
      write(state);
      return { key: made, value };
    }
    case "remove": {
      if (!Object.hasOwn(state.notes, key)) return undefined;
      const was = state.notes[key];
      delete state.notes[key];
      write(state);
      return { key, value: was };
    }
    case "clear":
      write({ ...state, notes: {} });
      return { cleared: Object.entries(state.notes).map(([key, value]) => ({ key, value })) };
    case "send":
      state.sent.push(args["to"] ?? "");
      write(state);
      return { sent: args["to"] };
  }
  return undefined;
}

function trouble(name: string): string {
  const file = `${stateFile}.${name}`;
  if (!existsSync(file)) return "";
  const [word = "", ...later] = readFileSync(file, "utf8").trim().split(" ");
  if (later.length === 0) rmSync(file);
  else writeFileSync(file, later.join(" "));
  return word;
}

if (trouble("start") === "die") process.exit(7);

/** Tells whether a call with this key came before, to whatever process. */
function hasHad(meta: Record<string, unknown> | undefined): boolean {
  const key = meta?.["synartesis/idempotency-key"];
  if (!process.argv.includes("--idempotent") || key === undefined) return false;
  const file = `${stateFile}.keys`;
  const keys = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as unknown[]) : [];
  writeFileSync(file, JSON.stringify([...keys, key]));
  return keys.includes(key);
}

/** Acts once the file is there, and removes it. Of several servers that wait for it, one acts. */
function whenThere(file: string, then: () => void): void {
  const claim = `${file}.claim`;
  const look = () => {
    if (!existsSync(file)) return;
    try {
      mkdirSync(claim);
    } catch {
      return; // another one has it
    }
    if (existsSync(file)) {
      watcher.close();
      then();
      rmSync(file); // whoever sees it gone knows that the answer is out
    }
    rmdirSync(claim);
  };
  const watcher = watch(dirname(file), look);
  look();
}

function call({ id, params }: Call): void {
  const { name, arguments: args } = params;
  if (logFile) appendFileSync(logFile, `${JSON.stringify({ name, args })}\n`);
  const [word, amount] = trouble(name).split(":");
  if (word === "die-before") process.exit(7);
  if (word === "hang-before") return;
  if (word !== "error-before") {
    const value = word === "pretend" || hasHad(params._meta) ? args : act(name, args);
    if (word === "die-after") process.exit(7);
    if (word === "hang-after") return;
    const absent = value === undefined;
    const reply = () => answer(id, value ?? { error: `no such note: ${args["key"]}` }, absent ? { isError: true } : effectOf(name));
    if (word === "late") setTimeout(reply, Number(amount));
    else if (word === "wait-after") whenThere(`${stateFile}.${name}.go`, reply);
    else if (word === "binary") answer(id, { key: args["key"], value: "\uFFFDPNG" });
    else if (word !== "error-after") reply();
    if (word === "twice") reply();
  }
  if (word === "error-before" || word === "error-after") answer(id, { error: "made to fail" }, { isError: true });
}

function handle(line: string): void {
  const message = JSON.parse(line) as Call & { method?: string; params: { protocolVersion?: string } };
  const { id, method } = message;
  if (logFile && method !== "tools/call") appendFileSync(`${logFile}.heard`, `${line}\n`);
  if (method === "initialize") {
    const serverInfo = { name: option("--name") ?? "notes", version: option("--version") ?? process.env["NOTES_VERSION"] ?? "1" };
    say({ id, result: { protocolVersion: message.params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") say({ id, result: { tools: TOOLS } });
  else if (method === "tools/call") call(message);
  else if (method !== undefined && id !== undefined) say({ id, result: {} });
}

let parts: string[] = [];
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const [first = "", ...more] = chunk.split("\n");
  parts.push(first);
  for (const next of more) {
    const line = parts.join("");
    parts = [next];
    if (line.trim()) handle(line);
  }
});
if (process.argv.includes("--ignore-eof")) setInterval(() => undefined, 1000);
else process.stdin.on("end", () => process.exit(0));
if (process.argv.includes("--ignore-term")) process.on("SIGTERM", () => undefined);

const litter = option("--litter");
if (litter !== undefined) {
  const sleeper = `trap "" TERM HUP INT; echo $$ >>"$0"; for i in $(seq 300); do sleep 0.2; done`;
  spawn("sh", ["-c", sleeper, litter], { stdio: "ignore" });
  const leave = 'sh -c "$1" "$0" & exit 0';
  if (process.platform === "linux") spawn("sh", ["-c", leave, litter, sleeper], { stdio: "ignore", detached: true }); // nobody finds it elsewhere
}
