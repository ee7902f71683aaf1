// A server at a URL closes the stream of a request before the reply, and lets the client come back for it: does the client of the proxy hear of it?
import { expect, test } from "bun:test";
import { actions } from "../support/documents.ts";
import { HttpAgent, messagesOf, serve } from "../support/http.ts";
import { json, type Seen, serveHttp, stream } from "../support/http-server.ts";
import { makeSizes } from "../support/sizes.ts";

const CALL = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "give", arguments: {}, _meta: { progressToken: "p" } } };
const PROGRESS = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress: 1 } };

/** Closes the stream of each call at once; who comes back gets progress, and the reply once `mayReply` resolves. */
function pausing(mayReply: Promise<void>) {
  const server = serveHttp(({ method, message, headers }: Seen) => {
    if (message?.method === "initialize") {
      const result = {
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      };
      return json({ jsonrpc: "2.0", id: message.id, result }, { headers: { "mcp-session-id": "s1" } });
    }
    const answer = stream();
    if (message?.method === "tools/call") {
      answer.write("id: 1\nretry: 20\ndata:\n\n");
      answer.close();
      return answer.response;
    }
    if (method !== "GET" || headers.get("last-event-id") !== "1") return undefined;
    answer.send(PROGRESS);
    void mayReply.then(() => {
      answer.send({ jsonrpc: "2.0", id: server.of("tools/call")[0]?.message.id, result: { content: [{ type: "text", text: "at last" }] } });
      answer.close();
    });
    return answer.response;
  });
  return server;
}

const REPLY = { id: 7, result: { content: [{ type: "text", text: "at last" }] } };

test("P1: a client that knows how comes back for its answer, after the time that the server wants, and misses nothing", async () => {
  const { promise: mayReply, resolve } = Promise.withResolvers<void>();
  using server = pausing(mayReply);
  using sandbox = makeSizes(server.url);
  await using served = await serve(sandbox);
  const agent = await HttpAgent.start(served.url);
  const [, id = ""] = /^id: (\S+)\nretry: \d+\ndata: \n\nretry: 20\n\n$/.exec(await (await agent.post(CALL)).text()) ?? [];
  resolve();
  expect(await messagesOf(await agent.listen({ "last-event-id": id }))).toMatchObject([PROGRESS, REPLY]);
  expect(await agent.end()).toBe(200);
  expect((await actions(sandbox)).map(({ tool, status }) => `${tool} ${status}`)).toEqual(["give applied"]);
});

test("P1: a client of a version that doesn't know it has its answer on the stream that it has", async () => {
  using server = pausing(Promise.resolve());
  using sandbox = makeSizes(server.url);
  await using served = await serve(sandbox);
  const agent = await HttpAgent.start(served.url, { version: "2025-06-18" });
  expect(await messagesOf(await agent.post(CALL))).toMatchObject([PROGRESS, REPLY]);
});
