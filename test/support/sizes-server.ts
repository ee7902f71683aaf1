// A server for tests of sizes: raw JSON lines, nothing cleaned up by a library.
//   bun sizes-server.ts
// Tools: give{size} (a text of that many bytes), take{text} (its length), put{text} (keeps it), kept{} (the length of what is kept),
// burst{count} (that many numbered notifications, then the answer), raw{} (int64, __proto__ and a text whose UTF-8 arrives byte by byte).
import { writeSync } from "node:fs";

let kept = "";

/** Writes all of it, however slowly the other side reads. */
function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at, Math.min(bytes.length - at, 1 << 16));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Bun.sleepSync(1);
    }
  }
}
const say = (text: string) => write(new TextEncoder().encode(`${text}\n`));
const answer = (id: unknown, result: string) => say(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
const text = (words: string) => `{"content":[{"type":"text","text":${JSON.stringify(words)}}]}`;

const TOOLS: Readonly<Record<string, (id: unknown, args: { size?: number; text?: string; count?: number }) => void>> = {
  give: (id, { size = 0 }) => answer(id, `{"content":[{"type":"text","text":"${"x".repeat(size)}"}]}`),
  take: (id, { text: taken = "" }) => answer(id, text(String(taken.length))),
  put(id, { text: taken = "" }) {
    kept = taken;
    answer(id, text("kept"));
  },
  kept: (id) => answer(id, `{"content":[],"structuredContent":{"length":${kept.length}}}`),
  burst(id, { count = 0 }) {
    for (let number = 0; number < count; number++) say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${number}}}`);
    answer(id, text("done"));
  },
  raw(id) {
    const result = '{"content":[{"type":"text","text":"ä€𝄞"}],"structuredContent":{"big":9223372036854775807,"__proto__":{"a":1},"x":1.0}}';
    for (const byte of new TextEncoder().encode(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`))
      write(Uint8Array.of(byte));
  },
};

interface Message {
  id?: unknown;
  method?: string;
  params?: { protocolVersion?: string; name?: string; arguments?: object };
}
function handle(message: Message): void {
  const { id, method, params } = message;
  if (method === "initialize")
    answer(id, `{"protocolVersion":"${params?.protocolVersion}","capabilities":{"tools":{}},"serverInfo":{"name":"sizes","version":"1"}}`);
  else if (method === "tools/call") TOOLS[params?.name ?? ""]?.(id, params?.arguments ?? {});
  else if (id !== undefined)
    answer(id, method === "tools/list" ? `{"tools":${JSON.stringify(Object.keys(TOOLS).map((name) => ({ name })))}}` : "{}");
}

let parts: Buffer[] = [];
process.stdin.on("data", (chunk: Buffer) => {
  let at = 0;
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, at)) {
    parts.push(chunk.subarray(at, end));
    handle(JSON.parse(Buffer.concat(parts).toString()));
    parts = [];
    at = end + 1;
  }
  parts.push(chunk.subarray(at));
});
process.stdin.on("end", () => process.exit(0));
