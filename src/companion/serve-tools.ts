// How does a companion serve its tools? As an MCP server over stdio, on the official SDK, until the client closes its end. One call at a time, so that
// what a tool has looked at is still so when it acts, as far as this process goes.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ZodRawShape, z } from "zod";
import type { JsonObject } from "../core/json.ts";
import { systemCode } from "../errors.ts";
import { Refusal } from "./refusal.ts";
import { stdioTransport } from "./stdio-transport.ts";

/** zod, which is loaded only by who serves. */
export type Zod = typeof z;

/** One tool. `run` throws a Refusal for what it doesn't do. */
export interface CompanionTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ZodRawShape;
  readonly output: ZodRawShape;
  /** Nothing is changed by it. */
  readonly reads: boolean;
  // Checked against `input` by the SDK before it gets here.
  run(args: never): JsonObject;
}

/** Members above this many characters are left out of a result's text: they stand in its structured content. */
const SHOWN = 64 * 1024;

/** Serves until the client is gone. The version says what the tools mean: it changes when that does, not with every release, since undo expects the same server. */
export async function serveTools(
  companion: { readonly name: string; readonly title: string; readonly instructions: string },
  toolsOf: (z: Zod) => readonly CompanionTool[],
): Promise<void> {
  const [{ McpServer }, { z }] = await Promise.all([import("@modelcontextprotocol/sdk/server/mcp.js"), import("zod")]);
  const { name, title, instructions } = companion;
  const server = new McpServer({ name, title, version: "1" }, { instructions });
  for (const tool of toolsOf(z)) {
    const annotations = tool.reads
      ? { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
      : { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };
    const { title, description, input: inputSchema, output: outputSchema } = tool;
    server.registerTool(tool.name, { title, description, inputSchema: z.strictObject(inputSchema), outputSchema, annotations }, (args) =>
      answer(() => tool.run(args as never)),
    );
  }
  const transport = stdioTransport();
  await server.connect(transport);
  await transport.ended;
}

function answer(run: () => JsonObject): CallToolResult {
  try {
    const structuredContent = run();
    return { content: [{ type: "text", text: JSON.stringify(structuredContent, leaveOutLong) }], structuredContent };
  } catch (error) {
    return { isError: true, content: [{ type: "text", text: whyNot(error) }] };
  }
}

function leaveOutLong(_name: string, value: unknown): unknown {
  return typeof value === "string" && value.length > SHOWN ? undefined : value;
}

const SAID: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EPERM: "that isn't permitted",
  ENOSPC: "there is no space left",
  EDQUOT: "the quota is used up",
  EROFS: "the file system is read-only",
  EXDEV: "the two places are on different file systems",
  ENAMETOOLONG: "a name is too long",
  EMFILE: "too many files are open",
};

function whyNot(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const code = systemCode(error);
  // What else goes wrong is told by its code alone: the texts of errors name places of our own.
  if (code !== undefined) return `${SAID[code] ?? "it failed"} (${code})`;
  throw error;
}
