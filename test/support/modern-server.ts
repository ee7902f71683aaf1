// A server on the second SDK line for tests: notes by key, kept in a file. Serves the modern era, and the legacy one too unless --modern-only.
//   bun modern-server.ts --state FILE [--modern-only]
// Tools: get{key} set{key,value} ask{key,value}; `ask` sets only after the user has agreed, over two rounds.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const at = process.argv.indexOf("--state");
const file = process.argv[at + 1] ?? "notes.json";
const read = (): Record<string, string> => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
const result = (value: Record<string, unknown>, isError = false) => ({
  content: [{ type: "text" as const, text: JSON.stringify(value) }],
  ...(isError ? { isError } : { structuredContent: value }),
});
const set = (key: string, value: string) => {
  writeFileSync(file, JSON.stringify({ ...read(), [key]: value }));
  return result({ key, value });
};

const KEY = z.object({ key: z.string() });
const PAIR = z.object({ key: z.string(), value: z.string() });

serveStdio(
  () => {
    const server = new McpServer({ name: "modern-notes", version: "1" }, { capabilities: { tools: {} }, instructions: "Own words." });
    server.registerTool("get", { inputSchema: KEY }, async ({ key }) => {
      const value = read()[key];
      return value === undefined ? result({ error: "no such note" }, true) : result({ key, value });
    });
    server.registerTool("set", { inputSchema: PAIR }, async ({ key, value }) => set(key, value));
    server.registerTool("ask", { inputSchema: PAIR }, async ({ key, value }, context) => {
      const answer = acceptedContent<{ sure: boolean }>(context.mcpReq.inputResponses, "sure");
      if (answer?.sure === true) return set(key, value);
      const requestedSchema = { type: "object" as const, properties: { sure: { type: "boolean" as const } }, required: ["sure"] };
      return inputRequired({
        inputRequests: { sure: inputRequired.elicit({ message: "Sure?", requestedSchema }) },
        requestState: `state of ${key}`,
      });
    });
    return server;
  },
  process.argv.includes("--modern-only") ? { legacy: "reject" } : {},
);
