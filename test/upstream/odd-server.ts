// A server that does, on request, what real servers have been seen to do. Speaks JSON lines without any of our code. Not a test.
import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

const flags = new Set(process.argv.slice(2));
const send = (message: unknown) => writeSync(1, `${JSON.stringify(message)}\n`);
const answer = (id: unknown, result: unknown) => send({ jsonrpc: "2.0", id, result });
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
let released: (() => void)[] = [];
let rootsAsker: unknown;
const seen: unknown[] = [];

if (flags.has("--ignore-term")) process.on("SIGTERM", () => undefined);
if (flags.has("--ignore-eof") || flags.has("--ignore-term")) setInterval(() => undefined, 1000);
if (flags.has("--chatty")) {
  writeSync(1, "No display available. Running in headless mode.\n\n\r\n");
  send({ level: 30, msg: "start" });
  send({ jsonrpc: "2.0", error: { code: -32000, message: "an error without an id" } });
  send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "early" } });
}
if (flags.has("--die")) {
  writeSync(2, "Error: set TOKEN first\n");
  process.exit(3);
}

const handlers: Record<string, (id: unknown, params: Record<string, unknown>) => void> = {
  initialize: (id, params) =>
    flags.has("--modern")
      ? send({ jsonrpc: "2.0", id, error: { code: -32601, message: "this server speaks 2026-07-28" } })
      : answer(id, { protocolVersion: params["protocolVersion"], capabilities: {}, serverInfo: { name: "odd", version: "1" } }),
  "server/discover": (id, params) =>
    flags.has("--deaf")
      ? undefined
      : flags.has("--modern")
        ? answer(id, {
            resultType: "complete",
            asked: params,
            _meta: { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "2" } },
          })
        : send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }),
  "tools/list": (id, params) => {
    if (params["cursor"] === undefined)
      return answer(id, { tools: [{ name: "one", inputSchema: { type: "object" } }, { nameless: true }], nextCursor: "2" });
    answer(id, {
      tools: [{ name: "two", inputSchema: {}, annotations: { readOnlyHint: true } }],
      ...(flags.has("--loop") ? { nextCursor: "2" } : {}),
    });
  },
  "tools/call": (id, params) => answer(id, { called: params }),
  echo: (id, params) => answer(id, params),
  seen: (id) => answer(id, seen),
  env: (id, params) => answer(id, process.env[String(params["name"])] ?? null),
  never: () => undefined,
  hold: (id, params) => released.push(() => answer(id, params)),
  release: (id) => {
    for (const go of released) go();
    released = [];
    answer(id, {});
  },
  twice: (id) => {
    answer(id, { first: true });
    answer(id, { first: false });
  },
  typed: (id) => {
    answer(String(id), "as a text");
    answer(id, "as it was");
  },
  batch: (id) =>
    send([
      { jsonrpc: "2.0", method: "notifications/message", params: {} },
      { jsonrpc: "2.0", id, result: "in a batch" },
    ]),
  deep: (id) => writeSync(1, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${deep}}\n`),
  big: (id, params) => answer(id, { text: "x".repeat(Number(params["size"])) }),
  crumbs: (id) => {
    for (const byte of Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result: "ä€𝄞" })}\n`)) writeSync(1, Buffer.of(byte));
  },
  ask: (id) => {
    rootsAsker = id;
    send({ jsonrpc: "2.0", id: 0, method: "roots/list" });
  },
  askMore: (id) => {
    rootsAsker = id;
    send({ jsonrpc: "2.0", id: 0, method: "sampling/createMessage", params: {} });
  },
  // Two generations below: a shell of its own session, and its child.
  litter: (id) => {
    const child = spawn("sh", ["-c", "sleep 600 & echo $!; wait"], { stdio: ["ignore", "pipe", "ignore"], detached: true });
    child.stdout.once("data", (pid) => answer(id, [child.pid, Number(String(pid))]));
  },
  stderr: (id, params) => {
    writeSync(2, String(params["text"]));
    answer(id, {});
  },
  die: () => {
    writeSync(2, "last words");
    process.exit(4);
  },
  mute: () => closeSync(1),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as {
    id?: unknown;
    method?: string;
    params?: Record<string, unknown>;
    result?: unknown;
    error?: unknown;
  };
  seen.push(message);
  if (message.method === undefined) answer(rootsAsker, message.result ?? message.error);
  else if (message.id !== undefined) handlers[message.method]?.(message.id, message.params ?? {});
});
