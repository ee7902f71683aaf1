// How does a client use a companion alone? Over stdio with the official SDK, as any client would.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { EXECUTABLE, type Sandbox } from "./sandbox.ts";

export interface Companion extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** Calls a tool and gives its value. @throws with the words of a refusal */
  call(name: string, args: object): Promise<Record<string, unknown>>;
  /** Calls a tool that is refused, and gives the words. @throws where it isn't */
  refusal(name: string, args: object): Promise<string>;
}

/** Starts `synartesis companion ...` in a sandbox. */
export async function startCompanion(sandbox: Sandbox, ...words: readonly string[]): Promise<Companion> {
  const client = new Client({ name: "test", version: "1" });
  const { folder: cwd, env } = sandbox;
  const transport = new StdioClientTransport({ command: EXECUTABLE, args: ["companion", ...words], cwd, env, stderr: "ignore" });
  await client.connect(transport);
  await client.listTools(); // the SDK checks what a tool answers against the output schemas that it listed
  const ask = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: { ...args } }, undefined, { timeout: 60_000 })) as CallToolResult;
  const wordsOf = ({ content }: CallToolResult) => content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return {
    client,
    pid: transport.pid ?? Number.NaN,
    async call(name, args) {
      const result = await ask(name, args);
      if (result.isError || result.structuredContent === undefined) throw new Error(wordsOf(result));
      return result.structuredContent;
    },
    async refusal(name, args) {
      const result = await ask(name, args);
      if (!result.isError) throw new Error(`${name} was carried out: ${wordsOf(result)}`);
      return wordsOf(result);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
