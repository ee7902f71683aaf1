// The client that the suite starts where it plays the server: lists what there is, calls every tool, reads and gets the first of the rest.
//   bun suite-client.ts [--proxy] URL        (with --proxy: through the proxy over stdio, to which the URL is the guarded server)
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { makeProxied } from "./proxied.ts";

const url = process.argv.at(-1) ?? "";
const isModern = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] === "2026-07-28";
// What the suite wants called, where that isn't every tool; in its own form.
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { toolCalls?: Call[] };
interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

using proxied = process.argv.includes("--proxy") ? makeProxied({ url }) : undefined;
const client = new Client(
  { name: "conformance-client", version: "1.0.0" },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    versionNegotiation: { mode: isModern ? "auto" : "legacy" },
  },
);
client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { confirmed: true } }));
if (proxied === undefined) await client.connect(new StreamableHTTPClientTransport(new URL(url)));
else {
  const [command, ...args] = proxied.words;
  await client.connect(new StdioClientTransport({ command, args, ...proxied.options, stderr: "inherit" }));
}
await use();
await client.close();

async function use(): Promise<void> {
  const has = client.getServerCapabilities() ?? {};
  const { tools } = await client.listTools();
  for (const call of context.toolCalls ?? tools.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema) }))) {
    // The suite judges by what reaches it, and answers some calls by an error on purpose.
    await client.callTool(call).catch(() => undefined);
  }
  if (has.resources) {
    const [resource] = (await client.listResources()).resources;
    if (resource !== undefined) await client.readResource({ uri: resource.uri });
  }
  if (has.prompts) {
    const [prompt] = (await client.listPrompts()).prompts;
    if (prompt !== undefined) await client.getPrompt({ name: prompt.name });
  }

  /** Something of the right type for what is required; a schema is given the first tool's own, as it arrived. */
  function argumentsFor({
    properties = {},
    required = [],
  }: {
    properties?: object | undefined;
    required?: string[] | undefined;
  }): Record<string, unknown> {
    const types: Record<string, { type?: string }> = { ...properties };
    const value = (name: string) =>
      ({ number: 1, integer: 1, boolean: true, object: tools[0]?.inputSchema })[types[name]?.type ?? ""] ?? "text";
    return Object.fromEntries(required.map((name) => [name, value(name)]));
  }
}
