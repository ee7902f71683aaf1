// A small MCP server over stdio for the commands that start one: tools get_thing, set_thing. With `--die` it dies before it answers.
if (Bun.argv.includes("--die")) {
  console.error("no licence found");
  process.exit(3);
}
const schema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const results: Record<string, unknown> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "tiny", version: "1" } },
  "tools/list": {
    tools: [
      { name: "get_thing", inputSchema: schema, annotations: { readOnlyHint: true } },
      { name: "set_thing", inputSchema: schema },
    ],
  },
};
for await (const line of console) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
}

export {};
