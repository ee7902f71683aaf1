// Who is the agent in the demos? A scripted MCP client in a process of its own, on the official SDK: it reads calls from stdin, one a
// line as `TOOL {arguments}`, and makes them through the command in its arguments. It never knows that Synartesis is there.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command = "", ...args] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
const client = new Client({ name: "demo-agent", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
try {
  for (const line of (await Bun.stdin.text()).split("\n").filter((text) => text.trim() !== "")) {
    const [, tool = "", json = ""] = /^\s*(\S+)\s*(.*)$/.exec(line) ?? [];
    console.log(`agent> ${tool} ${json}`);
    const { content, isError } = await client.callTool({ name: tool, arguments: JSON.parse(json) });
    console.log(isError === true ? indented(textOf(content)) : "       ok");
  }
} finally {
  await client.close();
}

function textOf(content: unknown): string {
  const blocks: readonly { text?: unknown }[] = Array.isArray(content) ? content : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

function indented(text: string): string {
  return text.replace(/^/gm, "       ");
}
