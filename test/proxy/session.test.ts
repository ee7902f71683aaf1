// What passes between a client and a server, and in what order? Bytes as they came, ids by type and value, nothing that might be a call.
import { afterEach, expect, test } from "bun:test";
import { schemaMark } from "../../src/core/schema-mark.ts";
import { endSessions, startSession, until } from "./fixture.ts";

afterEach(endSessions);

test("P1: what isn't a tool call passes as the bytes it came as, both ways, whatever is in it", async () => {
  const { client, says, server, told } = await startSession();
  const request = '{ "jsonrpc":"2.0", "id": 1.0, "method":"x/unknown","params":{"n":12345678901234567890,"\\u0061":"\\ud800"} }';
  client(request);
  says('{"id":1.0,  "jsonrpc":"2.0","result":{"z":1e400}}');
  says('{"jsonrpc":"2.0","method":"notifications/x","params":{"b":1,"a":2}}');
  says('{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{}}');
  client('{"jsonrpc":"2.0","id":"s1","result":{"kept":  true}}');
  expect(server.got).toEqual([request, '{"jsonrpc":"2.0","id":"s1","result":{"kept":  true}}']);
  expect(told).toEqual([
    '{"id":1.0,  "jsonrpc":"2.0","result":{"z":1e400}}',
    '{"jsonrpc":"2.0","method":"notifications/x","params":{"b":1,"a":2}}',
    '{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{}}',
  ]);
});

test('P1: the ids 1 and "1" are two requests, and each gets its own answer', async () => {
  const { call, reply, server, answerTo } = await startSession();
  call(1, "get", { key: "a" });
  call("1", "get", { key: "b" });
  await until(() => server.got.length === 2);
  reply("1", { was: "text" });
  reply(1, { was: "number" });
  expect((await answerTo(1)).result?.["structuredContent"]).toEqual({ was: "number" });
  expect((await answerTo("1")).result?.["structuredContent"]).toEqual({ was: "text" });
});

test("P1: a reply with an id that isn't open, or of another type, is dropped; so is a second one", async () => {
  const { call, reply, server, told, logged, answerTo } = await startSession();
  call(7, "get", { key: "a" });
  await until(() => server.got.length === 1);
  reply("7", {});
  reply(8, {});
  expect(told).toEqual([]);
  reply(7, { right: true });
  await answerTo(7);
  reply(7, { right: false });
  expect(told).toHaveLength(1);
  expect(logged.filter((text) => text.includes("answers no open request"))).toHaveLength(3);
});

test("P2: a reply to a call that hasn't been sent yet is dropped, and settles nothing", async () => {
  const { call, reply, server, told, actions } = await startSession();
  server.notes = undefined;
  call(1, "set", { key: "a", value: "x" });
  await until(() => server.own.length === 1);
  reply(1, { forged: true });
  expect(told).toEqual([]);
  expect(await actions()).toEqual([]);
});

test("P1: a reply of the client's that answers no request of the server is dropped", async () => {
  const { client, server } = await startSession();
  client('{"jsonrpc":"2.0","id":5,"result":{}}');
  expect(server.got).toEqual([]);
});

test("P1: messages of the server keep their order, although an answer waits for the journal", async () => {
  const { call, reply, says, server, told } = await startSession();
  call(1, "set", { key: "a", value: "x" });
  await until(() => server.got.length === 1);
  reply(1, { key: "a" });
  says('{"jsonrpc":"2.0","method":"notifications/after"}');
  expect(told).toEqual([]); // neither overtakes
  await until(() => told.length === 2);
  expect(told.map((text) => JSON.parse(text).method ?? "answer")).toEqual(["answer", "notifications/after"]);
});

const DISGUISED: [string, string][] = [
  ["two equal members", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"set","arguments":{}}}'],
  ["two equal members, one escaped", '{"jsonrpc":"2.0","id":1,"m\\u0065thod":"tools/call","method":"ping","params":{"name":"set"}}'],
  ["a method in another case", '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"set","arguments":{}}}'],
  ["a second method in another case", '{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call","params":{"name":"set"}}'],
  ["params in another case", '{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":"set","arguments":{}}}'],
  ["a call as a notification", '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"set","arguments":{"key":"a","value":"x"}}}'],
  ["a call with the id null", '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"set","arguments":{"key":"a"}}}'],
  ["a call of two tools", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","name":"set","arguments":{"key":"a"}}}'],
  [
    "a call of two tools, by case",
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","Name":"set","arguments":{"key":"a"}}}',
  ],
  ["two arguments of one name", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set","arguments":{"key":"a","key":"b"}}}'],
  ["a tool named in another case", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"set","arguments":{"key":"a"}}}'],
  ["arguments in another case", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create","Arguments":{"value":"x"}}}'],
  ["no name of a tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["set"]}}'],
  ["no JSON", '{"jsonrpc":"2.0","id":1,"method":"tools/call"'],
];
test.each(DISGUISED)("P2: a message that might be a call to another reader never reaches the server: %s", async (_, text) => {
  const { client, call, server, answerTo, journal } = await startSession();
  client(text);
  call("next", "nobody-knows", {});
  await answerTo("next"); // whatever the message before led to has been decided by now
  expect(server.got).toEqual([]);
  const [run] = await journal.runs();
  const sent = (await journal.actions(run?.id ?? "")).filter(({ sentAt }) => sentAt !== null);
  expect(sent).toEqual([]);
});

test("P2: each call of a batch is treated as a call of its own, and the rest of it passes", async () => {
  const { client, server, reply, says, told, actions } = await startSession();
  const set = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "x" } } };
  const send = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "send", arguments: { to: "ada" } } };
  const silent = { jsonrpc: "2.0", method: "tools/call", params: { name: "set", arguments: { key: "b", value: "x" } } };
  client(JSON.stringify([set, send, silent, { jsonrpc: "2.0", id: 3, method: "ping" }]));
  await until(() => server.got.length === 2);
  expect(server.got.map((text) => JSON.parse(text).id)).toEqual([3, 1]);
  reply(1, {});
  says('{"jsonrpc":"2.0","id":3,"result":{ }}');
  await until(() => told.length === 1);
  expect(
    JSON.parse(told[0] ?? "")
      .map(({ id }: { id: number }) => id)
      .sort(),
  ).toEqual([1, 2, 3]);
  expect(told[0]).toContain('{"jsonrpc":"2.0","id":3,"result":{ }}');
  expect((await actions()).map(({ tool, status }) => `${tool} ${status}`).sort()).toEqual(["send held", "set applied"]);
});

const HELLO = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}';
test.each([
  [
    "with instructions",
    '{"jsonrpc":"2.0","id":0,"result":{"instructions":"Own \\u0077ords.","x":1e2}}',
    "Own \\u0077ords.\\n\\nSynartesis stands",
  ],
  ["with empty instructions", '{"jsonrpc":"2.0","id":0,"result":{"x":1e2,"instructions":""}}', '"instructions":"Synartesis stands'],
  ["without", '{"jsonrpc":"2.0","id":0,"result":{ "x":1e2}}', '"instructions":"Synartesis stands'],
  ["with nothing", '{"jsonrpc":"2.0","id":0,"result":{}}', '{"instructions":"Synartesis stands'],
])("P1: our instructions are added to a welcome %s, and every other byte stays", async (_, welcome, expected) => {
  const { client, says, told } = await startSession();
  client(HELLO);
  says(welcome);
  const [answer = ""] = told;
  expect(answer).toContain(expected);
  const { instructions, ...rest } = JSON.parse(answer).result;
  const { instructions: own, ...before } = JSON.parse(welcome).result;
  expect(rest).toEqual(before);
  expect(instructions.startsWith(own ?? "")).toBe(true);
  // Taken out again, what was added leaves the bytes that came.
  const added = JSON.stringify(instructions.slice((own ?? "").length)).slice(1, -1);
  const without = answer.replace(added, "").replace(/"instructions":"",?/, own === "" ? '"instructions":""' : "");
  expect(without).toBe(welcome);
});

test.each([['{"jsonrpc":"2.0","id":0,"result":{"instructions":null}}'], ['{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no"}}']])(
  "P1: a welcome that has no room for words passes as it came: %s",
  async (welcome) => {
    const { client, says, told } = await startSession();
    client(HELLO);
    says(welcome);
    expect(told).toEqual([welcome]);
  },
);

test("P1: a server that ends answers what is in flight with an error, later requests too, and the session goes on", async () => {
  const { client, call, ends, server, answerTo, actions } = await startSession();
  client('{"jsonrpc":"2.0","id":1,"method":"resources/list"}');
  call(2, "get", { key: "a" });
  call(3, "set", { key: "a", value: "x" });
  await until(() => server.got.length === 3);
  ends({ code: 3, lastWords: "out of memory" });
  expect((await answerTo(1)).error?.message).toContain("out of memory");
  expect((await answerTo(2)).error?.message).toContain("its reply was lost");
  expect((await answerTo(3)).error?.message).toContain("It is not known whether it took effect");
  client('{"jsonrpc":"2.0","id":4,"method":"ping"}');
  expect((await answerTo(4)).error?.message).toContain("exited with code 3");
  call(5, "get", { key: "a" });
  expect((await answerTo(5)).error?.message).toContain("was not sent");
  call(6, "create", { value: "x" });
  expect((await answerTo(6)).error?.message).toContain("was not sent");
  call(7, "send", { to: "ada" });
  expect((await answerTo(7)).result?.["isError"]).toBe(true); // still held: what a person decides doesn't need the server
  await until(() => server.got.length === 3);
  expect((await actions()).filter(({ tool }) => tool !== "get").map(({ tool, status, reason }) => [tool, status, reason])).toEqual([
    ["set", "unknown", "server-ended"],
    ["create", "failed", "not-sent"],
    ["send", "held", "gate-always"],
  ]);
});

test("P1: an id that is in use by a call under way is refused instead of losing one of the two answers", async () => {
  const { call, reply, server, told } = await startSession();
  call(1, "get", { key: "a" });
  await until(() => server.got.length === 1);
  call(1, "get", { key: "b" });
  expect(JSON.parse(told[0] ?? "").error.message).toContain("in use");
  reply(1, { first: true });
  await until(() => told.length === 2);
  expect(server.got).toHaveLength(1);
});

const OLD_HELLO = '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-03-26"}}';
const agreed = (version: string) => `{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"${version}"}}`;

test("P1: a batch without a call passes as the bytes it came as, and so does the batch that answers it", async () => {
  const { client, says, server, told } = await startSession();
  client(OLD_HELLO);
  says(agreed("2025-03-26"));
  const batch =
    '[ {"jsonrpc":"2.0","id":1,"method":"ping"} ,{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"1","method":"tools/list"}]';
  client(batch);
  expect(server.got.at(-1)).toBe(batch);
  const answer = '[{"jsonrpc":"2.0","id":"1","result":{"tools":[]}} , {"jsonrpc":"2.0","id":1,"result":{}}]';
  says(answer);
  expect(told.at(-1)).toBe(answer);
});

test("P1: an empty batch, and any batch from 2025-06-18 on, is an error; none reaches the server", async () => {
  const { client, says, server, told } = await startSession();
  client("[]");
  client(OLD_HELLO);
  says(agreed("2025-06-18"));
  client('[{"jsonrpc":"2.0","id":1,"method":"ping"}]');
  expect(server.got).toEqual([OLD_HELLO]);
  const errors = told.map((text) => JSON.parse(text)).filter((message) => message.error);
  expect(errors.map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32600],
    [null, -32600],
  ]);
});

test("P1: what is no message in a batch with a call is told in the batch's answer, and cancelled members aren't waited for", async () => {
  const { client, server, told, reply } = await startSession();
  server.notes = undefined;
  const call = (id: number) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "set", arguments: { key: String(id), value: "x" } },
  });
  client(JSON.stringify([call(1), 7, { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "get", arguments: {} } }]));
  client('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  server.own[0]?.give({ kind: "ended" });
  await until(() => server.got.length === 1);
  reply(2, {});
  await until(() => told.length === 1);
  expect(JSON.parse(told[0] ?? "").map(({ id }: { id: number | null }) => id)).toEqual([null, 2]);
});

test("P2: a batch whose parts a carriage return divides doesn't pass whole: to another reader it is several messages", async () => {
  const { client, server } = await startSession();
  client('[{"jsonrpc":"2.0","id":1,"method":"ping"},\r{"jsonrpc":"2.0","id":2,"method":"ping"}]');
  expect(server.got).toHaveLength(2);
});

test("P3: the run remembers what the tools take that its policy calls, as the server listed them last, on every page", async () => {
  const { client, says, journal } = await startSession();
  const schemas = async () => (await journal.runs())[0]?.servers[0]?.schemas;
  let id = 0;
  const list = (tools: object, cursor?: string) => {
    id++;
    client(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params: cursor === undefined ? {} : { cursor } }));
    says(JSON.stringify({ jsonrpc: "2.0", id, result: { tools, nextCursor: "2" } }));
  };
  const hasSchemas = async (expected: object) => {
    while (!Bun.deepEquals(await schemas(), expected)) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const taking = (...properties: string[]) => ({ type: "object", properties: Object.fromEntries(properties.map((name) => [name, {}])) });
  client('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}');
  says('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}');
  list([
    { name: "get", inputSchema: taking("key") },
    { name: "send", inputSchema: taking("to") },
  ]);
  await hasSchemas({ get: schemaMark(taking("key")) });
  list([{ name: "set", inputSchema: taking("key", "value") }], "2");
  await hasSchemas({ get: schemaMark(taking("key")), set: schemaMark(taking("key", "value")) });
  list([{ name: "get", inputSchema: taking("key", "version") }]);
  await hasSchemas({ get: schemaMark(taking("key", "version")), set: schemaMark(taking("key", "value")) });
});
