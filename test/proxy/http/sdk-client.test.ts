// Does the client that most agents are built with work with the endpoint as with any other? The official one, over its own transport.
import { expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CreateMessageRequestSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { TOKEN } from "../../support/http.ts";
import { until } from "../fixture.ts";
import { startEndpoint } from "./fixture.ts";

test("the official client connects, is asked, hears progress and messages, calls, and ends its session", async () => {
  const { url, clients } = await startEndpoint((request, client) => {
    if (request.method !== "tools/call") return client.answer(request, {});
    const { _meta } = request.value["params"] as { _meta: { progressToken: number } };
    client.say({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: 1 } });
    client.say({ id: 0, method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
    void until(() => client.heard.at(-1)?.kind === "response").then(() => {
      client.answer(request, { content: [{ type: "text", text: "asked" }] });
    });
  });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } });
  const client = new Client({ name: "official", version: "1" }, { capabilities: { sampling: {} } });
  const heard: unknown[] = [];
  client.setRequestHandler(CreateMessageRequestSchema, async () => ({
    model: "m",
    role: "assistant",
    content: { type: "text", text: "hi" },
  }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
  // The transport's own declaration disagrees with its interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport);
  const progress: number[] = [];
  const result = await client.callTool({ name: "work", arguments: {} }, undefined, {
    onprogress: (event) => void progress.push(event.progress),
  });
  expect(result.content).toEqual([{ type: "text", text: "asked" }]);
  expect(progress).toEqual([1]);
  clients[0]?.say({ method: "notifications/message", params: { level: "info", data: "outside" } });
  await until(() => heard.length === 1);
  expect(heard).toEqual(["outside"]);
  await transport.terminateSession();
  await until(() => clients[0]?.ended === true);
  await client.close();
});
