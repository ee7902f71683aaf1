// A server for tests that only lists tools: those in the file that it is given, a JSON list, read anew at each start. No file: it says why, and ends.
import { readFileSync } from "node:fs";

let tools: unknown;
try {
  tools = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
} catch {
  console.error("no licence found");
  process.exit(3);
}
const results: Record<string, unknown> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "listed", version: "1" } },
  "tools/list": { tools },
};
for await (const line of console) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
}
