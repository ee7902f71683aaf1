// Do the messages of a client without a session find their request, although several share an upstream and call things alike?
import { expect, test } from "bun:test";
import type { RequestMessage } from "../../../src/wire/message.ts";
import { eventsOf, messagesOf, modernPost, replyOf } from "../../support/http.ts";
import { until } from "../fixture.ts";
import { type Behind, startEndpoint } from "./fixture.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

/** The progress token under which a request reached the server. */
function tokenOf(request: RequestMessage): unknown {
  return (request.value["params"] as { _meta: { progressToken?: unknown } })._meta.progressToken;
}

test("progress tokens that clients share are told apart, and come back as they were sent", async () => {
  const waiting: RequestMessage[] = [];
  const { url, clients } = await startEndpoint((request, client) => {
    waiting.push(request);
    if (waiting.length < 2) return;
    for (const own of waiting)
      client.say({ method: "notifications/progress", params: { progressToken: tokenOf(own), progress: Number(own.id) } });
    for (const own of waiting) client.answer(own, {});
  });
  const ask = () => modernPost(url, { id: "same", method: "work" }, { meta: { progressToken: "tök" } });
  const answers = await Promise.all([ask(), ask()].map(async (response) => messagesOf(await response)));
  expect(answers.map(([progress, reply]) => [progress?.params?.["progressToken"], reply?.id])).toEqual([
    ["tök", "same"],
    ["tök", "same"],
  ]);
  expect(new Set(answers.map(([progress]) => progress?.params?.["progress"])).size).toBe(2);
  expect(clients).toHaveLength(1);
});

test("a subscription's messages come on its own stream, under the id that its client gave", async () => {
  const { url, clients } = await startEndpoint((request, client) => {
    if (request.method === "subscriptions/listen")
      client.say({ method: "notifications/subscriptions/acknowledged", params: { _meta: { [SUBSCRIPTION]: Number(request.id) } } });
    else client.answer(request, {});
  });
  const listen = async () => eventsOf(await modernPost(url, { id: 7, method: "subscriptions/listen", params: { notifications: {} } }));
  const streams = [await listen(), await listen()];
  for (const events of streams) expect((await events.next()).value?.message?.params?._meta).toEqual({ [SUBSCRIPTION]: 7 });
  expect((await replyOf(await modernPost(url, { id: 7, method: "ping" }))).result).toEqual({});
  for (const [at, id] of clients[0]?.heard
    .flatMap((message) => (message.kind === "request" ? [message.id] : []))
    .slice(0, 2)
    .entries() ?? [])
    clients[0]?.say({ method: "notifications/resources/updated", params: { uri: `of ${at}`, _meta: { [SUBSCRIPTION]: Number(id) } } });
  for (const [at, events] of streams.entries())
    expect((await events.next()).value?.message?.params).toEqual({ uri: `of ${at}`, _meta: { [SUBSCRIPTION]: 7 } });
});

test("closing a subscription's stream cancels it and nothing else", async () => {
  const { url, clients } = await startEndpoint((request, client) =>
    client.say({ method: "notifications/subscriptions/acknowledged", params: { _meta: { [SUBSCRIPTION]: Number(request.id) } } }),
  );
  const leaving = new AbortController();
  const first = eventsOf(await modernPost(url, { id: 1, method: "subscriptions/listen" }, { signal: leaving.signal }));
  const second = eventsOf(await modernPost(url, { id: 2, method: "subscriptions/listen" }));
  await Promise.all([first.next(), second.next()]);
  leaving.abort();
  await until(() => clients[0]?.heard.some(({ kind }) => kind === "notification") === true);
  expect(clients[0]?.heard.filter(({ kind }) => kind === "notification")).toMatchObject([
    { value: { method: "notifications/cancelled", params: { requestId: 1 } } },
  ]);
  clients[0]?.say({ method: "notifications/resources/updated", params: { uri: "x", _meta: { [SUBSCRIPTION]: 2 } } });
  expect((await second.next()).value?.message?.params?.["uri"]).toBe("x");
});

test("the status of an answer says what its error means to those on the way", async () => {
  const { url } = await startEndpoint((request, client) =>
    client.say({ id: Number(request.id), error: { code: Number(request.method), message: "no" } }),
  );
  const statusOf = async (code: number) => (await modernPost(url, { id: 1, method: String(code) })).status;
  expect(await Promise.all([-32601, -32020, -32021, -32022, -32602, -32603].map(statusOf))).toEqual([404, 400, 400, 400, 200, 200]);
});

test("an answer is JSON where nothing comes before it, and a stream that ends with it where something does", async () => {
  const { url } = await startEndpoint((request, client) => {
    if (request.method === "chatty") client.say({ method: "notifications/message", params: { level: "info", data: "before" } });
    client.answer(request, {});
  });
  const answer = async (method: string) => {
    const response = await modernPost(url, { id: 1, method });
    return [response.headers.get("content-type"), (await messagesOf(response)).length];
  };
  expect(await answer("plain")).toEqual(["application/json", 1]);
  expect(await answer("chatty")).toEqual(["text/event-stream", 2]);
});

test("a POST that waits for long becomes a stream, so that nobody takes its connection for dead", async () => {
  const asked = Promise.withResolvers<() => void>();
  const answering = (request: RequestMessage, client: Behind) => asked.resolve(() => client.answer(request, { late: true }));
  const { url } = await startEndpoint(answering, { times: { ping: 50 } });
  const response = await modernPost(url, { id: 1, method: "slow" });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  (await asked.promise)();
  expect((await replyOf(response)).result).toEqual({ late: true });
});

test("a server that asks a client that can't be asked is told so, and the request goes on", async () => {
  const { url, clients } = await startEndpoint((request, client) => {
    client.say({ id: "s1", method: "sampling/createMessage", params: {} });
    setTimeout(() => client.answer(request, {}), 20);
  });
  expect(await messagesOf(await modernPost(url, { id: 1, method: "work" }))).toMatchObject([{ id: 1, result: {} }]);
  expect(clients[0]?.heard.at(-1)).toMatchObject({ kind: "response", id: '"s1"', value: { error: { code: -32601 } } });
});

test("a call's Mcp-Param headers have to say what its arguments say, once its tool has been listed", async () => {
  const inputSchema = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      deep: { type: "object", properties: { count: { type: "integer", "x-mcp-header": "Count" } } },
    },
  };
  const { url } = await startEndpoint((request, client) =>
    client.answer(request, request.method === "tools/list" ? { tools: [{ name: "query", inputSchema }] } : {}),
  );
  await modernPost(url, { id: 1, method: "tools/list" });
  const call = async (args: object, headers: Record<string, string>) =>
    (await modernPost(url, { id: 2, method: "tools/call", params: { name: "query", arguments: args } }, { headers })).status;
  expect(await call({ region: "eu" }, { "mcp-param-region": "eu" })).toBe(200);
  expect(await call({ region: "é" }, { "mcp-param-region": `=?base64?${btoa("Ã©")}?=` })).toBe(200);
  expect(await call({ region: "eu", deep: { count: 42 } }, { "mcp-param-region": "eu", "mcp-param-count": "42.0" })).toBe(200);
  expect(await call({ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" })).toBe(400);
  expect(await call({ region: null }, {})).toBe(200);
  expect(await call({ region: "eu" }, {})).toBe(400);
  expect(await call({ region: "eu" }, { "mcp-param-region": "us" })).toBe(400);
  expect(await call({}, { "mcp-param-region": "us" })).toBe(400);
});

test("a client that is quiet for long has its proxy ended, and begins anew when it comes again", async () => {
  const { url, clients } = await startEndpoint((request, client) => client.answer(request, {}), { times: { quiet: 50 } });
  await modernPost(url, { id: 1, method: "ping" });
  await until(() => clients[0]?.ended === true);
  expect((await modernPost(url, { id: 1, method: "ping" })).status).toBe(200);
  expect(clients.map(({ identity }) => identity)).toEqual(["tester", "tester"]);
});
