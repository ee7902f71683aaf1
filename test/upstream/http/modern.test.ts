import { expect, test } from "bun:test";
import { sendCall } from "../../../src/upstream/send-call.ts";
import { json, type Stream, serveHttp, stream } from "../../support/http-server.ts";
import { clientRequest, textOf, until } from "../fixture.ts";
import { connect, notification } from "./fixture.ts";

const META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
const meta = JSON.parse(`{${META}}`);
const request = (id: number, method: string, params = "") =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${params}${params === "" ? "" : ","}${META}}}`;

test("P1: a message of the modern era carries its version, method and name in headers, and no session", async () => {
  using server = serveHttp();
  const { ask, upstream } = await connect(server, { initialize: false });
  await ask(request(1, "server/discover"));
  await ask(request(2, "resources/read", '"uri":"file:///ä b"'));
  await ask(request(3, "prompts/get", '"name":" padded "'));
  await upstream.close();
  const headers = server.seen.map((seen) =>
    ["mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"].map((name) => seen.headers.get(name)),
  );
  expect(headers).toEqual([
    ["2026-07-28", "server/discover", null, null],
    ["2026-07-28", "resources/read", `=?base64?${btoa(unescape(encodeURIComponent("file:///ä b")))}?=`, null],
    ["2026-07-28", "prompts/get", `=?base64?${btoa(" padded ")}?=`, null],
  ]);
  expect(server.seen.every(({ method }) => method === "POST")).toBe(true);
});

const TOOL = {
  name: "query",
  inputSchema: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      deep: { type: "object", properties: { limit: { type: "integer", "x-mcp-header": "Limit" } } },
      dry: { type: "boolean", "x-mcp-header": "Dry" },
      gone: { type: "string", "x-mcp-header": "Gone" },
      list: { type: "array", default: [{ "x-mcp-header": "a value, not a mark" }] },
      "x-mcp-header": { type: "string" },
    },
  },
};

test("P1: arguments that a tool's schema marks are repeated in headers, as the list that passed last says", async () => {
  using server = serveHttp(({ message }) =>
    message.method === "tools/list"
      ? json({ jsonrpc: "2.0", id: message.id, result: { tools: [TOOL], resultType: "complete" } })
      : undefined,
  );
  const { ask, upstream } = await connect(server, { initialize: false });
  await ask(request(1, "tools/list"));
  const args = { region: "Zürich", deep: { limit: 42 }, dry: false, gone: null, list: [], "x-mcp-header": "no mark" };
  await sendCall(upstream, { name: "query", arguments: args, ...meta });
  const found = Object.fromEntries([...(server.of("tools/call")[0]?.headers ?? [])].filter(([name]) => name.startsWith("mcp-param-")));
  expect(found).toEqual({ "mcp-param-region": "=?base64?WsO8cmljaA==?=", "mcp-param-limit": "42", "mcp-param-dry": "false" });
});

const marked = (mark: unknown, type?: string) => ({ properties: { a: { ...(type === undefined ? {} : { type }), "x-mcp-header": mark } } });
test.each([
  ["empty", marked("", "string")],
  ["not even a text", marked(1, "string")],
  ["no header's name", marked("two words", "string")],
  ["a line end", marked("A\r\nB", "string")],
  ["on a number", marked("A", "number")],
  ["on an object", marked("A", "object")],
  ["on no type", marked("A")],
  [
    "there twice",
    { properties: { a: { type: "string", "x-mcp-header": "A" }, b: { properties: { c: { type: "string", "x-mcp-header": "a" } } } } },
  ],
  ["on the whole", { type: "string", "x-mcp-header": "A" }],
  ["in the elements of a list", { properties: { list: { items: marked("A", "string") } } }],
  ["in one of several schemas", { anyOf: [marked("A", "string")] }],
  ["in a named schema", { $defs: { named: marked("A", "string") } }],
])("a tool with a mark for a header that is %s is left out of the list, and the others keep their bytes", async (_, inputSchema) => {
  const [first, last] = [
    '{ "name":"first", "n":1.0 }',
    '{"name":"last","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}',
  ];
  const list =
    (...tools: string[]) =>
    (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"result":{"tools":[${tools}],"nextCursor":"2"}}`;
  const answer = list(first, JSON.stringify({ name: "wrong", inputSchema }), last);
  using server = serveHttp(({ message }) => (message.method === "tools/list" ? json(answer(message.id)) : undefined));
  const { ask, logged } = await connect(server, { initialize: false });
  expect(textOf((await ask(request(1, "tools/list"))) as never)).toBe(list(first, last)(1));
  expect(logged).toEqual(["tools were left out, since their marks for headers are against the rules"]);
});

test("a call whose headers the server misses is sent once more, after the tools were listed anew", async () => {
  using server = serveHttp(({ message, headers }) => {
    if (message.method === "tools/list") return json({ jsonrpc: "2.0", id: message.id, result: { tools: [TOOL] } });
    if (message.method !== "tools/call" || headers.has("mcp-param-region")) return undefined;
    return json({ jsonrpc: "2.0", id: message.id, error: { code: -32020, message: "Header mismatch" } }, { status: 400 });
  });
  const { upstream, messages } = await connect(server, { initialize: false });
  expect(await sendCall(upstream, { name: "query", arguments: { region: "eu" }, ...meta })).toMatchObject({ kind: "result" });
  expect(server.seen.map(({ message }) => message.method)).toEqual(["tools/call", "tools/list", "tools/call"]);
  expect(await sendCall(upstream, { name: "query", arguments: {}, ...meta })).toMatchObject({ kind: "error", error: { code: -32020 } });
  expect(messages).toEqual([]);
});

test("P1: the error in a refusal is the reply, as it came", async () => {
  const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":1.0}}';
  using server = serveHttp(({ message }) => {
    if (message.method === "unknown") return json(error, { status: 404 });
    return json({ jsonrpc: "2.0", error: { code: -32022, message: "?", data: { supported: ["x"] } }, id: null }, { status: 400 });
  });
  const { ask } = await connect(server, { initialize: false });
  expect(textOf((await ask(request(1, "unknown"))) as never)).toBe(error);
  expect(await ask(request(2, "y"))).toMatchObject({
    kind: "response",
    id: "2",
    value: { error: { code: -32022, data: { supported: ["x"] } } },
  });
  expect(server.seen.every(({ method }) => method === "POST")).toBe(true);
});

test("P4: a cancellation closes the response's stream and is no message; the call may have happened", async () => {
  const streams: Stream[] = [];
  let gone = false;
  using server = serveHttp(({ message, gone: signal }) => {
    if (message.method !== "slow") return undefined;
    signal.addEventListener("abort", () => {
      gone = true;
    });
    const opened = stream();
    opened.send({ jsonrpc: "2.0", method: "notifications/progress", params: {} });
    streams.push(opened);
    return opened.response;
  });
  const { upstream, messages, lost } = await connect(server, { initialize: false });
  upstream.forward(clientRequest(request(5, "slow")));
  await until(() => messages.length === 1);
  upstream.forward(notification(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,${META}}}`));
  await until(() => gone && lost.length === 1);
  expect(lost[0]).toMatchObject({ id: "5", loss: { sent: true, cancelled: true } });
  expect(server.of("notifications/cancelled")).toEqual([]);
});

test("P4: a broken stream loses its request and takes nothing up again, and others go on", async () => {
  using server = serveHttp(({ message }) => {
    if (message.method !== "broken") return undefined;
    const cut = stream();
    cut.send({ jsonrpc: "2.0", method: "notifications/progress", params: {} }, "event-1");
    cut.close();
    return cut.response;
  });
  const { ask, exits } = await connect(server, { initialize: false });
  expect(await ask(request(1, "broken"))).toMatchObject({ sent: true });
  expect(await ask(request(2, "fine"))).toMatchObject({ kind: "response" });
  expect(server.seen.length).toBe(2);
  expect(exits).toEqual([]);
});
