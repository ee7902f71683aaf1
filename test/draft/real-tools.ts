// The tools of real servers, as a test sees them: started, listed and closed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { ListedTool } from "../../src/upstream/upstream.ts";
import { CRM_COMMAND } from "../demo/crm-process.ts";

export type RealServer = "crm" | "everything" | "filesystem" | "memory" | "sequential-thinking";

/** Lists the tools of a real server, started in an empty folder. */
export async function realTools(server: RealServer): Promise<readonly ListedTool[]> {
  const folder = await mkdtemp(join(tmpdir(), "synartesis-test-"));
  const script = join(import.meta.dir, `../../node_modules/@modelcontextprotocol/server-${server}/dist/index.js`);
  const [command = "", ...args] = server === "crm" ? CRM_COMMAND : [process.execPath, script, ...(server === "filesystem" ? [folder] : [])];
  const client = new Client({ name: "test", version: "1" });
  // Bun would keep what it has compiled in the home.
  const env = { ...getDefaultEnvironment(), BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  await client.connect(new StdioClientTransport({ command, args, cwd: folder, env, stderr: "ignore" }));
  const { tools } = await client.listTools();
  await client.close();
  await rm(folder, { recursive: true });
  // A listed tool is JSON as the server sent it; the SDK's type only names its members.
  return tools.map((raw) => ({ ...raw, raw })) as unknown as readonly ListedTool[];
}
