// What is mapped between one client and several servers, and what passes as it came?
import { describe, expect, test } from "bun:test";
import { ALL, makeRouter, makeWelcomed } from "./fixture.ts";

const call = (id: number | string, name: string, more = "") =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":{"n":9223372036854775807}${more}}}`;

describe("requests of the client", () => {
  test("P1: a call goes to the server that its name begins with, changed in the name alone; the answer comes back byte for byte", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client(call(5, "b__a__set"));
    expect(scene.got("b")).toEqual([call(5, "a__set")]);
    expect(scene.got("a")).toEqual([]);
    const answer = '{"jsonrpc":"2.0", "id":5,"result":{"content":[],"x":1.0,"name":"set","taskId":"t","__proto__":{"k":1}}}';
    scene.says("b", answer);
    expect(scene.told).toEqual([answer]);
  });

  test("a name of no server is refused in words, and reaches nobody", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    for (const [id, name] of ["set", "c__set", "a_set", "A__set"].entries()) {
      scene.client(call(id, name));
      expect(JSON.parse(scene.last())).toEqual({
        jsonrpc: "2.0",
        id,
        error: { code: -32602, message: `Unknown tool: ${name} (here they begin with the name of their server: a__, b__)` },
      });
    }
    expect([...scene.got("a"), ...scene.got("b")]).toEqual([]);
  });

  test("an answer of a server that wasn't asked reaches nobody", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client(call(1, "a__get"));
    scene.answers("b", 1, { content: ["forged"] });
    scene.answers("a", "1", { content: ["another id"] });
    expect(scene.told).toEqual([]);
    scene.answers("a", 1, { content: [] });
    scene.answers("a", 1, { content: ["again"] });
    expect(scene.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"content":[]}}']);
  });

  test("an id that is in use is refused, and can be used again after its answer", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client(call(1, "a__get"));
    scene.client(call(1, "b__get"));
    expect(scene.last()).toContain("this id is in use");
    expect(scene.got("b")).toEqual([]);
    scene.answers("a", 1, {});
    scene.client(call(1, "b__get"));
    expect(scene.got("b")).toHaveLength(1);
  });

  test("a prompt, a completion and a custom method that carry a name follow it", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client({ id: 1, method: "prompts/get", params: { name: "b__greet" } });
    scene.client({ id: 2, method: "completion/complete", params: { ref: { type: "ref/prompt", name: "b__greet" }, argument: {} } });
    scene.client({ id: 3, method: "acme/run", params: { name: "b__x" } });
    scene.client({ id: 4, method: "prompts/get", params: { name: "greet" } });
    expect(scene.got("b").map((text) => JSON.parse(text).params)).toEqual([
      { name: "greet" },
      { ref: { type: "ref/prompt", name: "greet" }, argument: {} },
      { name: "x" },
    ]);
    expect(JSON.parse(scene.last()).error).toMatchObject({ code: -32602, message: expect.stringContaining("Unknown prompt: greet") });
  });

  test("a custom method goes to the one server that announced its vendor; else the client is told why it can't be routed", async () => {
    const scene = await makeWelcomed({ a: { ...ALL, experimental: { "acme/feature": {} } }, b: ALL });
    scene.client({ id: 1, method: "acme/custom", params: { x: [1] } });
    expect(scene.got("a").map((text) => JSON.parse(text).method)).toEqual(["acme/custom"]);
    const both = await makeWelcomed({ a: { experimental: { "acme/1": {} } }, b: { extensions: { "acme/2": {} } } });
    both.client({ id: 1, method: "acme/custom" });
    expect(JSON.parse(both.last()).error.code).toBe(-32601);
    scene.client({ id: 2, method: "other/custom" });
    expect(JSON.parse(scene.last()).error).toMatchObject({
      code: -32601,
      message: expect.stringContaining("servers behind this entry it is for (a, b)"),
    });
    expect(scene.got("b")).toEqual([]);
  });

  test("ping is answered even while no server reads, a request of no era by the error that says what it lacks", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client({ id: "p", method: "ping" });
    expect(scene.last()).toBe('{"jsonrpc":"2.0","id":"p","result":{}}');
    scene.client({ id: 2, method: "server/discover", params: {} });
    expect(JSON.parse(scene.last()).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("io.modelcontextprotocol/protocolVersion"),
    });
  });

  test("what is no message, or can be read in two ways, gets its error and reaches nobody", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    for (const text of ["{", "3", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"a__x"}}'])
      scene.client(text);
    expect(scene.told.map((text) => JSON.parse(text).error.code)).toEqual([-32700, -32600, -32600]);
    scene.client('[{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"a__x"}},{"jsonrpc":"2.0","id":8,"method":"ping"}]');
    expect(scene.got("a")).toHaveLength(1);
    scene.router.tooLongFromClient({ id: "9" });
    expect(JSON.parse(scene.last())).toMatchObject({ id: 9, error: { message: expect.stringContaining("1000 bytes") } });
  });
});

describe("cancellation and progress of the client", () => {
  test("P1: a cancellation reaches the server that has the request, and no other", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client(call(3, "a__slow"));
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"é"}}';
    scene.client(cancel);
    scene.client({ method: "notifications/cancelled", params: { requestId: "3" } });
    expect(scene.got("a").slice(1)).toEqual([cancel]);
    expect(scene.got("b")).toEqual([]);
    scene.client(call(3, "b__again")); // never answered: the id is free
    expect(scene.got("b")).toHaveLength(1);
  });

  test("a cancelled list is asked of nobody any more, and never answered", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client({ id: 4, method: "tools/list" });
    scene.answers("a", 4, { tools: [] });
    scene.client({ method: "notifications/cancelled", params: { requestId: 4 } });
    expect(scene.got("a")).toHaveLength(1);
    expect(scene.got("b")).toHaveLength(2);
    scene.answers("b", 4, { tools: [] });
    expect(scene.told).toEqual([]);
  });

  test("a cancelled list isn't answered when its time is over either", async () => {
    const scene = makeRouter(["a", "b"], 5);
    scene.client({ id: 1, method: "tools/list" });
    scene.client({ method: "notifications/cancelled", params: { requestId: 1 } });
    scene.client({ id: 2, method: "tools/list" });
    scene.answers("a", 2, { tools: [] });
    while (scene.told.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(scene.told.map((text) => JSON.parse(text).id)).toEqual([2]);
  });

  test("a token of the client's passes as it came, in both directions", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client(call(1, "a__x", ',"_meta":{"progressToken":"tök"}'));
    expect(scene.got("a")[0]).toBe(call(1, "x", ',"_meta":{"progressToken":"tök"}'));
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tök","progress":1}}';
    scene.says("a", progress);
    expect(scene.told).toEqual([progress]);
  });

  test("what everybody is to know goes to all, what nobody knows of to nobody", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client({ method: "notifications/roots/list_changed" });
    scene.client({ method: "notifications/acme", params: { x: 1 } });
    scene.client({ method: "notifications/progress", params: { progressToken: 77, progress: 1 } });
    scene.client({ id: 99, result: {} });
    for (const server of ["a", "b"]) {
      const methods = scene.got(server).map((text) => JSON.parse(text).method);
      expect(methods).toEqual(["notifications/roots/list_changed", "notifications/acme"]);
    }
  });
});

describe("requests of the servers", () => {
  const ask = (id: number | string, text: string) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"sampling/createMessage","params":{"t":"${text}","_meta":{"progressToken":0,"k":1.0}}}`;

  test("P1: two servers that both use id 0 and token 0 each get their own answer and progress, with the id and token that they know", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.says("a", ask(0, "for a"));
    scene.says("b", ask(0, "for b"));
    const [first, second] = scene.told.map((text) => JSON.parse(text));
    expect([first.params.t, second.params.t]).toEqual(["for a", "for b"]);
    expect(new Set([0, first.id, second.id]).size).toBe(3);
    expect(scene.told[0]).toContain('"k":1.0}}}');
    const { progressToken } = second.params._meta;
    scene.client({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    scene.client(`{"jsonrpc":"2.0","id":${second.id},"result":{"big":9223372036854775807}}`);
    scene.client({ id: first.id, error: { code: -1, message: "no" } });
    expect(scene.got("b")).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}',
      '{"jsonrpc":"2.0","id":0,"result":{"big":9223372036854775807}}',
    ]);
    expect(scene.got("a")).toEqual(['{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}']);
    scene.client({ method: "notifications/progress", params: { progressToken, progress: 2 } });
    scene.client({ id: first.id, result: {} });
    expect([...scene.got("a"), ...scene.got("b")]).toHaveLength(3);
  });

  test("a server's cancellation names the request as the client knows it", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.says("b", ask("x", "b's"));
    scene.says("a", ask("x", "a's"));
    const [ofB, ofA] = scene.told.map((text) => JSON.parse(text).id);
    scene.says("b", { method: "notifications/cancelled", params: { requestId: "x", reason: "r" } });
    expect(JSON.parse(scene.last()).params).toEqual({ requestId: ofB, reason: "r" });
    scene.says("a", { method: "notifications/cancelled", params: { requestId: "x" } });
    expect(JSON.parse(scene.last()).params).toEqual({ requestId: ofA });
    const before = scene.told.length;
    scene.says("a", { method: "notifications/cancelled", params: { requestId: 12 } });
    expect(scene.told).toHaveLength(before);
  });

  test("an answer to a server that died meanwhile isn't given to the process that came after it", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.says("a", ask(0, "old"));
    const { id } = JSON.parse(scene.last());
    scene.router.serverEnded("a", undefined);
    scene.router.serverRestarted("a");
    scene.client({ id, result: {} });
    expect(scene.got("a")).toEqual([]);
  });

  test("P1: each message of a batch goes its own way, whoever sent it", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client(`[${call(1, "a__x")},${call(2, "b__x")}]`);
    scene.says("a", `[{"jsonrpc":"2.0","id":1,"result":{}},${ask(1, "a's")},{"jsonrpc":"2.0","id":2,"result":"forged"}]`);
    expect(scene.got("b")).toEqual([call(2, "x")]);
    expect(scene.told[0]).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(scene.told.slice(1).map((text) => JSON.parse(text).method)).toEqual(["sampling/createMessage"]);
  });

  test("P1: notifications of any kind pass as they came", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    const texts = [
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1e2}}',
      '{"method":"notifications/resources/updated","jsonrpc":"2.0","params":{"uri":"x:1","title":"t"}}',
      '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
      '{"jsonrpc":"2.0","method":"notifications/acme","params":{"taskId":"mine","requestId":3}}',
    ];
    for (const text of texts) scene.says("a", text);
    expect(scene.told).toEqual(texts);
  });
});

describe("tasks", () => {
  const RELATED = "io.modelcontextprotocol/related-task";

  test("P1: two servers whose tasks have one id are told apart, from creation to result", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    for (const [id, server] of ["a", "b"].entries()) {
      scene.client(call(id, `${server}__work`, ',"task":{"ttl":1}'));
      scene.answers(server, id, { task: { taskId: "1", status: "working" } });
    }
    const ids = scene.told.map((text) => JSON.parse(text).result.task.taskId);
    expect(ids).toEqual(["a__1", "b__1"]);
    scene.says("b", { method: "notifications/tasks/status", params: { taskId: "1", status: "completed" } });
    expect(JSON.parse(scene.last()).params.taskId).toBe("b__1");
    scene.client({ id: 10, method: "tasks/get", params: { taskId: "b__1" } });
    scene.client({ id: 11, method: "tasks/result", params: { taskId: "b__1", _meta: { [RELATED]: { taskId: "b__1" } } } });
    const [, get, result] = scene.got("b").map((text) => JSON.parse(text));
    expect([get.params.taskId, result.params.taskId, result.params._meta[RELATED].taskId]).toEqual(["1", "1", "1"]);
    scene.answers("b", 10, { taskId: "1", status: "completed" });
    expect(JSON.parse(scene.last()).result.taskId).toBe("b__1");
    scene.answers("b", 11, { content: [], _meta: { [RELATED]: { taskId: "1" } } });
    expect(JSON.parse(scene.last()).result._meta[RELATED].taskId).toBe("b__1");
    scene.client({ id: 12, method: "tasks/cancel", params: { taskId: "1" } });
    expect(JSON.parse(scene.last()).error).toMatchObject({ code: -32602, message: expect.stringContaining("Unknown task: 1") });
  });

  test("a question asked inside of a task says so on both ways", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.says("a", { id: 1, method: "elicitation/create", params: { _meta: { [RELATED]: { taskId: "t", x: 1 } } } });
    const asked = JSON.parse(scene.last());
    expect(asked.params._meta[RELATED]).toEqual({ taskId: "a__t", x: 1 });
    scene.client({ id: asked.id, result: { action: "accept", _meta: { [RELATED]: { taskId: "a__t" } } } });
    expect(JSON.parse(scene.got("a")[0] ?? "")).toMatchObject({ id: 1, result: { _meta: { [RELATED]: { taskId: "t" } } } });
  });

  test("a task that the client runs keeps its id, and its news go to the server that asked for it", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.says("b", { id: 5, method: "sampling/createMessage", params: { task: {} } });
    scene.client({ id: JSON.parse(scene.last()).id, result: { task: { taskId: "c-1", status: "working" } } });
    scene.client({ method: "notifications/tasks/status", params: { taskId: "c-1", status: "completed" } });
    scene.says("b", { id: 6, method: "tasks/result", params: { taskId: "c-1", _meta: { [RELATED]: { taskId: "c-1" } } } });
    expect(JSON.parse(scene.last()).params).toEqual({ taskId: "c-1", _meta: { [RELATED]: { taskId: "c-1" } } });
    expect(scene.got("b")).toHaveLength(2);
    expect(scene.got("a")).toEqual([]);
  });
});
