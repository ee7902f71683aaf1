// How do the lists and the resources of several servers become one server's?
import { describe, expect, test } from "bun:test";
import { ALL, makeRouter, makeWelcomed } from "./fixture.ts";

const result = (text: string) => JSON.parse(text).result;

describe("lists", () => {
  test("P1: entries come in the order of the manifest, each with its own bytes but for the name", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client({ id: 1, method: "tools/list", params: {} });
    scene.answers("b", 1, '{"tools":[{"name":"\\u0067et","x":1.0}],"_meta":{"k":2,"only":"b"},"extra":true}');
    scene.answers("b", 1, { tools: [{ name: "a second answer" }] });
    expect(scene.told).toEqual([]);
    scene.answers("a", 1, '{"_meta":{"k":1}, "tools":[{"inputSchema":{"max":9223372036854775807}, "name":"set"},{"title":"nameless"}]}');
    expect(scene.told).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":{"max":9223372036854775807}, "name":"a__set"},{"title":"nameless"},' +
        '{"name":"b__\\u0067et","x":1.0}],"_meta":{"k":1,"only":"b"},"extra":true}}',
    ]);
  });

  test("pages go on by a cursor of ours, which asks only those that have more, by their own", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL, c: ALL });
    scene.client({ id: 1, method: "prompts/list" });
    scene.answers("a", 1, { prompts: [{ name: "1" }], nextCursor: "é\ud800" });
    scene.answers("b", 1, { prompts: [{ name: "1" }] });
    scene.answers("c", 1, { prompts: [], nextCursor: "c2" });
    const { nextCursor } = result(scene.last());
    scene.client({ id: 2, method: "prompts/list", params: { cursor: nextCursor, _meta: { k: 1 } } });
    const asked = (server: string) => scene.got(server).map((text) => JSON.parse(text).params?.cursor);
    expect([asked("a"), asked("b"), asked("c")]).toEqual([[undefined, "é\ud800"], [undefined], [undefined, "c2"]]);
    scene.answers("a", 2, { prompts: [{ name: "2" }] });
    scene.fails("c", 2, -32000);
    expect(result(scene.last())).toEqual({ prompts: [{ name: "a__2" }] });
  });

  test("a cursor that was never given out is refused", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    for (const cursor of ["nonsense", "", 5, "synartesis.", "synartesis.e30"]) {
      scene.client({ id: 1, method: "tools/list", params: { cursor } });
      expect(JSON.parse(scene.last()).error.code).toBe(-32602);
    }
    expect(scene.got("a")).toEqual([]);
  });

  test("a server that fails, or is silent too long, is left out, and the log says so", async () => {
    const scene = makeRouter(["a", "b", "c"], 20);
    scene.client({ id: 1, method: "tools/list" });
    scene.answers("a", 1, { tools: [{ name: "x" }] });
    scene.fails("b", 1, -32603, "fetch failed");
    while (scene.told.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(result(scene.last()).tools).toEqual([{ name: "a__x" }]);
    expect(scene.logged.join("\n")).toContain("the server b could not give its tools");
    expect(scene.logged.join("\n")).toContain("the server c did not answer tools/list within 0.02 s");
    scene.answers("c", 1, { tools: [{ name: "late" }] });
    expect(scene.told).toHaveLength(1);
  });

  test("where all fail the client gets the first one's own error", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client({ id: 1, method: "tools/list" });
    scene.fails("a", 1, -32001, "mine");
    scene.fails("b", 1, -32002);
    expect(JSON.parse(scene.last()).error).toEqual({ code: -32001, message: "mine" });
  });

  test("only those that announced such a list are asked; where nobody did, the method isn't there", async () => {
    const scene = await makeWelcomed({ a: { tools: {} }, b: { tools: {}, prompts: {} } });
    scene.client({ id: 1, method: "prompts/list" });
    expect(scene.got("a")).toEqual([]);
    scene.answers("b", 1, { prompts: [] });
    expect(result(scene.last())).toEqual({ prompts: [] });
    scene.client({ id: 2, method: "resources/list" });
    expect(JSON.parse(scene.last()).error.code).toBe(-32601);
  });

  test("a tool's name that common clients refuse is listed, and the log says once what to do", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    const long = "x".repeat(62);
    for (const id of [1, 2]) {
      scene.client({ id, method: "tools/list" });
      scene.answers("a", id, { tools: [{ name: long }, { name: "with.dot" }, { name: "x".repeat(61) }] });
      scene.answers("b", id, { tools: [] });
    }
    expect(result(scene.last()).tools[0].name).toBe(`a__${long}`);
    expect(scene.logged).toEqual([
      `the name a__${long} has 65 characters, more than 64, so some clients won't offer this tool. Shorten the server's name in the manifest, or give it an entry of its own: synartesis proxy --server a`,
      "the name a__with.dot has characters other than letters, digits, `_` and `-`, so some clients won't offer this tool. So it is by the server's own name for it, which only the server can change",
    ]);
  });

  test("the log level goes to all that log; one that takes it is enough", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL, c: { tools: {} } });
    scene.client({ id: 1, method: "logging/setLevel", params: { level: "debug" } });
    scene.fails("a", 1, -32603);
    scene.answers("b", 1, {});
    expect(scene.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
    expect(scene.got("c")).toEqual([]);
  });
});

describe("resources", () => {
  async function listed() {
    const scene = await makeWelcomed({ a: ALL, b: ALL, c: { tools: {} } });
    scene.client({ id: "l", method: "resources/list" });
    scene.answers("a", "l", { resources: [{ uri: "x:a" }, { uri: "x:both" }] });
    scene.answers("b", "l", { resources: [{ uri: "x:b" }, { uri: "x:both" }] });
    scene.client({ id: "t", method: "resources/templates/list" });
    scene.answers("a", "t", { resourceTemplates: [{ uriTemplate: "item://{id}{?q}" }, { uriTemplate: "both://{id}" }] });
    scene.answers("b", "t", { resourceTemplates: [{ uriTemplate: "both://{id}" }] });
    for (const server of ["a", "b"]) scene.got(server).length = 0;
    scene.told.length = 0;
    return scene;
  }

  test("an address goes to the server that lists it, or has the template for it, unchanged", async () => {
    const scene = await listed();
    const read = (id: number, uri: string) => ({ id, method: "resources/read", params: { uri } });
    scene.client(read(1, "x:b"));
    scene.client(read(2, "item://7?q=é"));
    scene.client({ id: 3, method: "resources/subscribe", params: { uri: "x:a" } });
    scene.client({ id: 4, method: "completion/complete", params: { ref: { type: "ref/resource", uri: "item://{id}{?q}" }, argument: {} } });
    expect(scene.got("b").map((text) => JSON.parse(text).params.uri)).toEqual(["x:b"]);
    expect(scene.got("a").map((text) => JSON.parse(text).id)).toEqual([2, 3, 4]);
    expect(scene.told).toEqual([]);
  });

  test("P1: an address that two servers list is an error that names both and says what to do, for whatever is asked about it", async () => {
    const scene = await listed();
    expect(scene.logged.filter((text) => text.includes("x:both"))).toHaveLength(1);
    for (const method of ["resources/read", "resources/subscribe", "resources/unsubscribe"]) {
      scene.client({ id: 1, method, params: { uri: "x:both" } });
      expect(JSON.parse(scene.last()).error.message).toBe(
        "the resource x:both is offered by several servers (a, b), so it can't be told which one is meant. Give each of them an entry of its own: synartesis proxy --server NAME",
      );
    }
    scene.client({ id: 2, method: "completion/complete", params: { ref: { type: "ref/resource", uri: "both://{id}" } } });
    expect(JSON.parse(scene.last()).error.code).toBe(-32602);
    expect([...scene.got("a"), ...scene.got("b")]).toEqual([]);
  });

  test("a server that lists an address no more, or is gone, is no reason for a clash", async () => {
    const scene = await listed();
    scene.client({ id: 1, method: "resources/list" });
    scene.answers("a", 1, { resources: [{ uri: "x:a" }] });
    scene.answers("b", 1, { resources: [{ uri: "x:both" }, { uri: "x:a" }] });
    scene.client({ id: 2, method: "resources/read", params: { uri: "x:both" } });
    expect(scene.got("b")).toHaveLength(2);
    scene.client({ id: 3, method: "resources/read", params: { uri: "x:a" } });
    expect(JSON.parse(scene.last()).error.code).toBe(-32602);
    scene.router.serverEnded("b", "it is gone");
    scene.client({ id: 4, method: "resources/read", params: { uri: "x:a" } });
    expect(scene.got("a")).toHaveLength(2);
  });

  test("where two servers have a template for an address, both are asked in turn", async () => {
    const scene = await listed();
    scene.client({ id: 1, method: "resources/read", params: { uri: "both://7" } });
    scene.fails("a", 1, -32002);
    scene.answers("b", 1, { contents: [] });
    expect(JSON.parse(scene.last())).toEqual({ jsonrpc: "2.0", id: 1, result: { contents: [] } });
  });

  test("an address that nobody listed is asked for in turn; who had it is remembered, and who hadn't gives its own error", async () => {
    const scene = await listed();
    scene.client({ id: 1, method: "resources/read", params: { uri: "hidden:1" } });
    scene.fails("a", 1, -32002, "a has no such thing");
    expect(scene.got("b")).toHaveLength(1);
    scene.answers("b", 1, { contents: [] });
    expect(scene.told).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"contents":[]}}']);
    scene.client({ id: 2, method: "resources/subscribe", params: { uri: "hidden:1" } });
    expect([scene.got("a").length, scene.got("b").length]).toEqual([1, 2]);
    scene.client({ id: 3, method: "resources/read", params: { uri: "hidden:2" } });
    scene.fails("a", 3, -32601, "Method not found");
    scene.fails("b", 3, -32002, "b has no such thing");
    expect(JSON.parse(scene.last()).error).toEqual({ code: -32002, message: "b has no such thing" });
    scene.client({ id: 4, method: "resources/read", params: { uri: "hidden:3" } });
    scene.fails("a", 4, -32002, "a has no such thing");
    scene.fails("b", 4, -32601, "Method not found");
    expect(JSON.parse(scene.last()).error.message).toBe("a has no such thing");
  });

  test("an address that a tool's result names belongs to that server", async () => {
    const scene = await listed();
    scene.client({ id: 1, method: "tools/call", params: { name: "b__find" } });
    scene.answers("b", 1, {
      content: [
        { type: "resource_link", uri: "made:1" },
        { type: "resource", resource: { uri: "made:2" } },
      ],
    });
    for (const [id, uri] of ["made:1", "made:2"].entries()) scene.client({ id, method: "resources/read", params: { uri } });
    expect(scene.got("a")).toEqual([]);
    expect(scene.got("b")).toHaveLength(3);
  });

  test("a cancelled read isn't asked of the next server", async () => {
    const scene = await listed();
    scene.client({ id: 1, method: "resources/read", params: { uri: "hidden:1" } });
    scene.client({ method: "notifications/cancelled", params: { requestId: 1 } });
    scene.fails("a", 1, -32002);
    expect(scene.got("b")).toEqual([]);
  });
});
