// A sandbox that guards a server of large messages, over stdio or at a URL; and how much memory a process has taken.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { json, serveHttp, stream, type TestHttp } from "./http-server.ts";
import { BUN, makeSandbox, type Sandbox } from "./sandbox.ts";

export const MIB = 1024 * 1024;
const RULES = `
  - { match: "sizes.give", class: readonly }
  - { match: "sizes.take", class: readonly }
  - { match: "sizes.kept", class: readonly }
  - { match: "sizes.burst", class: readonly }
  - { match: "sizes.raw", class: readonly }
  - match: "sizes.put"
    class: reversible
    snapshot: { tool: "sizes.kept", args: {} }
    inverse: { tool: "sizes.put", args: { length: "$snapshot.length" } }
`;

/** Makes the sandbox; the server is sizes-server.ts, or at `url`. */
export function makeSizes(url?: URL): Sandbox {
  const sandbox = makeSandbox();
  const args = JSON.stringify([join(import.meta.dir, "sizes-server.ts")]);
  const server = url === undefined ? `{ command: ${JSON.stringify(BUN)}, args: ${args} }` : `{ url: "${url}" }`;
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n  sizes: ${server}\ntools:${RULES}`);
  return sandbox;
}

/** Serves `give`, `take`, `put` and `kept` of sizes-server.ts at a URL; answers as JSON or as events. */
export function serveSizes(kind: "json" | "events"): TestHttp {
  let kept = 0;
  const text = (words: string) => ({ content: [{ type: "text", text: words }] });
  const tools: Readonly<Record<string, (args: { size?: number; text?: string }) => object>> = {
    give: ({ size = 0 }) => text("x".repeat(size)),
    take: ({ text: taken = "" }) => text(String(taken.length)),
    put({ text: taken = "" }) {
      kept = taken.length;
      return text("kept");
    },
    kept: () => ({ content: [], structuredContent: { length: kept } }),
  };
  return serveHttp(({ message }) => {
    if (message?.method !== "tools/call") return undefined;
    const reply = { jsonrpc: "2.0", id: message.id, result: tools[message.params.name]?.(message.params.arguments) };
    if (kind === "json") return json(reply);
    const events = stream();
    events.send(reply);
    events.close();
    return events.response;
  });
}

/** The most memory that a process has held so far, in MiB (Linux). */
export function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
