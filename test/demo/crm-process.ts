// A CRM of its own for a test: the real server in its own process, a real client, and a folder that goes away afterwards.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const START = `import { startCrm } from ${JSON.stringify(join(import.meta.dir, "../../src/demo/crm/server.ts"))}; await startCrm({ stateFile: "crm.json" });`;

/** The words that start the CRM on `crm.json` in the current folder. */
export const CRM_COMMAND: readonly string[] = [process.execPath, "-e", START];

/** A tool's result, as far as the tests look at it. */
export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
}

export interface RunningCrm {
  readonly stateFile: string;
  readonly client: Client;
  call(tool: string, args?: Record<string, unknown>): Promise<ToolResult>;
  state(): Promise<{ next_id: number; customers: Record<string, unknown>[]; outbox: Record<string, unknown>[] }>;
  stop(): Promise<void>;
}

/** Makes an empty folder. */
export function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "synartesis-test-"));
}

/** Starts a CRM with its seed in a new folder. */
export async function runCrm(): Promise<RunningCrm> {
  const folder = await newFolder();
  const [command = "", ...args] = CRM_COMMAND;
  const client = new Client({ name: "test", version: "1" });
  // Bun would keep what it has compiled in the home.
  const env = { ...getDefaultEnvironment(), BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  await client.connect(new StdioClientTransport({ command, args, cwd: folder, env }));
  const stateFile = join(folder, "crm.json");
  return {
    stateFile,
    client,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const content = result.content as { type: string; text: string }[]; // the CRM answers with text only
      return { isError: result.isError === true, text: content.map(({ text }) => text).join("\n"), structured: result.structuredContent };
    },
    state: () => Bun.file(stateFile).json(),
    async stop() {
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
