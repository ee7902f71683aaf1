// How are several servers one in the era without sessions (2026-07-28)? Discovery, lists, rounds, subscriptions and tasks; and what if not all
// of them speak it?
import { describe, expect, test } from "bun:test";
import { ALL, greeting, hello, makeRouter, type RoutedScene } from "./fixture.ts";

const VERSION = "2026-07-28";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

const ask = (id: number | string, method: string, params: object = {}, meta: object = {}) => ({
  id,
  method,
  params: { ...params, _meta: { ...META, ...meta } },
});
const discovery = (capabilities: object, more: object = {}) => ({
  ...{ resultType: "complete", supportedVersions: [VERSION], capabilities, ttlMs: 1000, cacheScope: "public" },
  ...more,
});
const told = (scene: RoutedScene) => scene.told.map((text) => JSON.parse(text));
const methodsOf = (scene: RoutedScene, server: string) => scene.got(server).map((text) => JSON.parse(text).method);
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** A router whose client has discovered these servers; what was said till then is forgotten. */
async function discovered(servers: Record<string, object>, patience?: number): Promise<RoutedScene> {
  const scene = makeRouter(Object.keys(servers), patience);
  scene.client(ask("d", "server/discover"));
  for (const [server, capabilities] of Object.entries(servers)) scene.answers(server, "d", discovery(capabilities));
  await Promise.resolve();
  scene.told.length = 0;
  for (const server of Object.keys(servers)) scene.got(server).length = 0;
  return scene;
}

describe("discovery", () => {
  test("P1: all are asked in the client's own words, and answer as one: what all speak, what any can do, what each says", () => {
    const scene = makeRouter(["a", "b"]);
    const question = ask(0, "server/discover", {}, { traceparent: "t" });
    scene.client(question);
    expect(scene.got("a").map((text) => JSON.parse(text))).toEqual([{ jsonrpc: "2.0", ...question }]);
    expect(scene.got("b")).toEqual(scene.got("a"));
    const more = { supportedVersions: ["2027-01-01", VERSION], ttlMs: 50, cacheScope: "private", instructions: "B's words." };
    scene.answers("b", 0, discovery({ prompts: {} }, { ...more, _meta: { "io.modelcontextprotocol/serverInfo": { name: "b" } } }));
    expect(scene.told).toEqual([]);
    scene.answers("a", 0, discovery({ tools: {}, ...TASKS }, { "x-own": 1 }));
    const [{ id, result }] = told(scene);
    const { instructions, ...rest } = result;
    expect(id).toBe(0);
    expect(rest).toEqual({
      resultType: "complete",
      supportedVersions: [VERSION],
      capabilities: { tools: { listChanged: true }, ...TASKS, prompts: { listChanged: true } },
      ttlMs: 50,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "synartesis", version: "9" } },
      "x-own": 1,
    });
    expect(instructions).toContain("# b (its tools and prompts are named b__...)\nB's words.");
    expect(instructions).toContain("Synartesis stands between you");
  });

  test("where one wants initialize, a client that asks is led back to it at once, and the log names that server", async () => {
    const scene = makeRouter(["a", "b", "c"]);
    scene.client(ask(1, "server/discover"));
    scene.answers("a", 1, discovery(ALL));
    scene.fails("b", 1, -32601, "Method not found");
    await until(() => scene.told.length === 1); // though c is silent
    expect(told(scene)[0].error).toMatchObject({ code: -32601, message: expect.stringContaining("b want to be greeted with initialize") });
    expect(scene.logged.join("\n")).toContain("led back to initialize");
    scene.client(hello(2));
    for (const server of ["a", "b", "c"]) scene.answers(server, 2, greeting(ALL));
    expect(Object.keys(told(scene)[1].result)).toContain("protocolVersion");
    scene.client(ask(3, "tools/list")); // waits for c
    scene.answers("c", 1, discovery({ tools: {} }));
    await until(() => methodsOf(scene, "c").at(-1) === "tools/list");
    expect(methodsOf(scene, "b")).toEqual(["server/discover", "initialize"]);
    scene.client(ask(4, "server/discover"));
    expect(told(scene).at(-1).error.code).toBe(-32601);
  });

  test("a client that asks for nothing first has those that speak its era; of the others it is told, and so is the log", async () => {
    const scene = makeRouter(["a", "b"]);
    scene.client(ask(5, "tools/list"));
    expect([methodsOf(scene, "a"), methodsOf(scene, "b")]).toEqual([["server/discover"], ["server/discover"]]);
    expect(JSON.parse(scene.got("a")[0] ?? "").params).toEqual({ _meta: META });
    scene.fails("b", 5, -32602, "Received request before initialization was complete");
    scene.answers("a", 5, discovery({ tools: {} }));
    await until(() => scene.got("a").length === 2);
    scene.answers("a", 5, { resultType: "complete", tools: [{ name: "x" }], ttlMs: 9, cacheScope: "public" });
    expect(told(scene)).toMatchObject([{ id: 5, result: { tools: [{ name: "a__x" }], ttlMs: 9, cacheScope: "public" } }]);
    expect(scene.logged.join("\n")).toContain("the server b is left out");
    scene.client(ask(6, "tools/call", { name: "b__x", arguments: {} }));
    expect(told(scene)[1].error).toMatchObject({ code: -32603, message: expect.stringContaining("begin with initialize") });
    expect(methodsOf(scene, "b")).toEqual(["server/discover"]);
  });

  test("where none speaks it, each request says so, and what to do", async () => {
    const scene = makeRouter(["a", "b"]);
    scene.client(ask(1, "tools/list"));
    scene.client(ask(2, "prompts/list"));
    for (const server of ["a", "b"]) scene.fails(server, 1, -32601);
    await until(() => scene.told.length === 2);
    for (const [at, { id, error }] of told(scene).entries()) {
      expect(id).toBe(at + 1);
      expect(error).toMatchObject({ code: -32600, message: expect.stringContaining("Begin with initialize") });
    }
  });

  test("P1: a version that not all speak is answered with those that they do", async () => {
    const scene = makeRouter(["a", "b"]);
    const question = ask(1, "server/discover", {}, { "io.modelcontextprotocol/protocolVersion": "2030-01-01" });
    scene.client(question);
    scene.says("a", { id: 1, error: { code: -32022, message: "no", data: { supported: ["2027-01-01", VERSION] } } });
    scene.says("b", { id: 1, error: { code: -32022, message: "no", data: { supported: [VERSION] } } });
    expect(told(scene)[0].error).toMatchObject({ code: -32022, data: { supported: [VERSION], requested: "2030-01-01" } });
    await Promise.resolve();
    scene.client(ask(2, "tools/list")); // what they can do isn't known yet
    expect(methodsOf(scene, "a")).toEqual(["server/discover", "server/discover"]);
    for (const server of ["a", "b"]) scene.answers(server, 2, discovery({ tools: {} }));
    await until(() => methodsOf(scene, "b").at(-1) === "tools/list");
  });

  test("one that is down or silent takes nothing of the others with it; it is there once it answers", async () => {
    const scene = makeRouter(["a", "b", "c"], 20);
    scene.client(ask(1, "server/discover"));
    scene.answers("a", 1, discovery({ tools: {} }));
    scene.fails("b", 1, -32603, "the server b can't answer: nothing listens there");
    await until(() => scene.told.length === 1);
    expect(told(scene)[0].result).toMatchObject({ supportedVersions: [VERSION], ttlMs: 0 });
    await Promise.resolve();
    scene.client(ask(2, "tools/call", { name: "b__x" }));
    expect(told(scene)[1].error.message).toContain("nothing listens there");
    scene.client(ask(3, "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    scene.says("a", { method: "notifications/subscriptions/acknowledged", params: { _meta: { [SUBSCRIPTION]: 3 }, notifications: {} } });
    scene.answers("c", 1, discovery({ tools: {} }));
    await until(() => scene.told.length === 4);
    expect(told(scene)[3]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/tools/list_changed",
      params: { _meta: { [SUBSCRIPTION]: 3 } },
    });
    scene.client(ask("again", "tools/list"));
    scene.fails("b", "again", -32603, "still down");
    await until(() => methodsOf(scene, "a").at(-1) === "tools/list");
    scene.answers("a", "again", { resultType: "complete", tools: [], ttlMs: 5 });
    scene.answers("c", "again", { resultType: "complete", tools: [], ttlMs: 5 });
    expect(told(scene).at(-1).result.ttlMs).toBe(0); // b may be there at any time
    expect(methodsOf(scene, "b")).toEqual(["server/discover", "server/discover"]);
    scene.client(ask(4, "tools/list"));
    scene.answers("b", 4, discovery({ tools: {} }));
    await until(() => methodsOf(scene, "b").at(-1) === "tools/list");
    expect(methodsOf(scene, "c")).toEqual(["server/discover", "tools/list", "tools/list"]);
  });

  test("a request that is cancelled while it waits is never asked, and the next one asks anew", async () => {
    const scene = makeRouter(["a", "b"]);
    scene.client(ask(1, "tools/call", { name: "a__x" }));
    scene.client(ask(2, "tools/call", { name: "a__y" }));
    scene.client({ method: "notifications/cancelled", params: { requestId: 2 } });
    scene.client({ method: "notifications/cancelled", params: { requestId: 1 } });
    expect(methodsOf(scene, "a")).toEqual(["server/discover", "notifications/cancelled"]);
    scene.client(ask(3, "tools/call", { name: "a__z" }));
    for (const server of ["a", "b"]) scene.answers(server, 3, discovery({ tools: {} }));
    await until(() => scene.got("a").length === 4);
    expect(methodsOf(scene, "a").slice(2)).toEqual(["server/discover", "tools/call"]);
    expect(scene.told).toEqual([]);
  });

  test("a server that wants no initialize is there all the same for those who don't say it", async () => {
    const scene = await discovered({ a: ALL, b: ALL });
    scene.client(hello(1));
    scene.answers("a", 1, greeting(ALL));
    scene.fails("b", 1, -32601, "supported versions: 2026-07-28");
    await Promise.resolve();
    scene.client({ id: 2, method: "tools/call", params: { name: "b__x" } });
    expect(told(scene)[1].error.message).toContain("supported versions: 2026-07-28");
    scene.client(ask(3, "tools/call", { name: "b__x" }));
    expect(methodsOf(scene, "b")).toEqual(["initialize", "tools/call"]);
  });
});

describe("requests", () => {
  test("a merged list may be kept no longer than each of its parts, and says that it is ours", async () => {
    const scene = await discovered({ a: { tools: {} }, b: { tools: {} }, c: {} });
    scene.client(ask(1, "tools/list"));
    const info = (name: string) => ({ _meta: { "io.modelcontextprotocol/serverInfo": { name, version: "1" } } });
    scene.answers("a", 1, { resultType: "complete", tools: [{ name: "x" }], ttlMs: 500, cacheScope: "public", ...info("a") });
    scene.answers("b", 1, { resultType: "complete", tools: [], ttlMs: 70, cacheScope: "private", ...info("b") });
    expect(told(scene)[0].result).toEqual({
      ...{ tools: [{ name: "a__x" }], ttlMs: 70, cacheScope: "private", resultType: "complete" },
      ...info("synartesis"),
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "synartesis", version: "9" } },
    });
    expect(scene.got("c")).toEqual([]);
    scene.client(ask(2, "tools/list"));
    scene.answers("a", 2, { resultType: "complete", tools: [], ttlMs: 500, cacheScope: "public" });
    scene.fails("b", 2, -32000);
    expect(told(scene)[1].result).toMatchObject({ ttlMs: 0, cacheScope: "public" });
  });

  test("P1: a call and its rounds go to one server, with the state that it asked for", async () => {
    const scene = await discovered({ a: ALL, b: ALL });
    scene.client(ask(1, "tools/call", { name: "b__x", arguments: { n: 1 } }, { progressToken: "t" }));
    const wish = '{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{},"requestState":"é\\u0041"}}';
    scene.says("b", '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1.0}}');
    scene.says("b", wish);
    expect(scene.told).toEqual(['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1.0}}', wish]);
    scene.client(ask(2, "tools/call", { name: "b__x", arguments: { n: 1 }, inputResponses: {}, requestState: "éA" }));
    expect(scene.got("b").map((text) => JSON.parse(text).params.requestState)).toEqual([undefined, "éA"]);
    expect(scene.got("a")).toEqual([]);
  });

  test("a read's state goes back to the server that asked for it, though another lists the resource meanwhile", async () => {
    const scene = await discovered({ a: ALL, b: ALL });
    scene.client(ask(1, "resources/read", { uri: "x:1" }));
    scene.fails("a", 1, -32602, "not found");
    scene.answers("b", 1, { resultType: "input_required", requestState: "b's" });
    scene.client(ask(2, "resources/list"));
    scene.answers("a", 2, { resources: [{ uri: "x:1" }] });
    scene.answers("b", 2, { resources: [] });
    scene.client(ask(3, "resources/read", { uri: "x:1", requestState: "b's" }));
    expect(methodsOf(scene, "b")).toEqual(["resources/read", "resources/list", "resources/read"]);
    scene.client(ask(4, "resources/read", { uri: "x:1" }));
    expect(methodsOf(scene, "a").at(-1)).toBe("resources/read");
  });

  test("P1: tasks of one name are told apart: in the reply that hands them out, in what is asked of them, in their news", async () => {
    const scene = await discovered({ a: TASKS, b: TASKS });
    const states: string[] = [];
    for (const [id, server] of ["a", "b"].entries()) {
      scene.client(ask(id, "tools/call", { name: `${server}__x` }));
      scene.answers(server, id, { resultType: "task", taskId: "t1", status: "working" });
      states.push(told(scene).at(-1).result.taskId);
    }
    expect(states).toEqual(["a__t1", "b__t1"]);
    scene.client(ask(5, "tasks/update", { taskId: "b__t1", inputResponses: {} }));
    expect(JSON.parse(scene.got("b").at(-1) ?? "").params.taskId).toBe("t1");
    scene.answers("b", 5, { resultType: "complete", taskId: "t1" });
    expect(told(scene).at(-1).result.taskId).toBe("b__t1");
    scene.client(ask(6, "subscriptions/listen", { notifications: { taskIds: ["a__t1", "b__t2"] } }));
    expect(["a", "b"].map((server) => JSON.parse(scene.got(server).at(-1) ?? "").params.notifications)).toEqual([
      { taskIds: ["t1"] },
      { taskIds: ["t2"] },
    ]);
    for (const [server, task] of Object.entries({ a: "t1", b: "t2" }))
      scene.says(server, {
        method: "notifications/subscriptions/acknowledged",
        params: { _meta: { [SUBSCRIPTION]: 6 }, notifications: { taskIds: [task] } },
      });
    expect(told(scene).at(-1).params.notifications).toEqual({ taskIds: ["a__t1", "b__t2"] });
    scene.says("a", { method: "notifications/tasks", params: { taskId: "t1", status: "completed", _meta: { [SUBSCRIPTION]: 6 } } });
    expect(told(scene).at(-1).params.taskId).toBe("a__t1");
  });
});

describe("subscriptions", () => {
  const acknowledge = (scene: RoutedScene, server: string, id: number | string, notifications: object) =>
    scene.says(server, { method: "notifications/subscriptions/acknowledged", params: { _meta: { [SUBSCRIPTION]: id }, notifications } });
  const updated = (uri: string, id: number | string) => ({
    method: "notifications/resources/updated",
    params: { uri, _meta: { [SUBSCRIPTION]: id } },
  });

  test("each server gets its part; one acknowledgment comes first, with what any of them honours", async () => {
    const scene = await discovered({ a: ALL, b: ALL, c: {} });
    scene.client(ask("r", "resources/list"));
    scene.answers("a", "r", { resources: [{ uri: "x:a" }, { uri: "x:both" }] });
    scene.answers("b", "r", { resources: [{ uri: "x:b" }, { uri: "x:both" }] });
    scene.told.length = 0;
    const filter = { toolsListChanged: true, resourceSubscriptions: ["x:a", "x:b", "x:new", "x:both"], promptsListChanged: false };
    scene.client(ask(7, "subscriptions/listen", { notifications: filter }));
    const parts = ["a", "b", "c"].map((server) => JSON.parse(scene.got(server).at(-1) ?? "").params.notifications);
    expect(parts).toEqual([
      { toolsListChanged: true, resourceSubscriptions: ["x:a", "x:new"], promptsListChanged: false },
      { toolsListChanged: true, resourceSubscriptions: ["x:b", "x:new"], promptsListChanged: false },
      { toolsListChanged: true, promptsListChanged: false },
    ]);
    acknowledge(scene, "a", 7, { resourceSubscriptions: ["x:a"] });
    scene.says("a", updated("x:a", 7)); // before the others have acknowledged
    scene.fails("c", 7, -32601);
    expect(scene.told).toEqual([]);
    acknowledge(scene, "b", 7, { toolsListChanged: true, resourceSubscriptions: ["x:b", "x:new"] });
    expect(told(scene)).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: {
          _meta: { [SUBSCRIPTION]: 7 },
          notifications: { toolsListChanged: true, resourceSubscriptions: ["x:a", "x:b", "x:new"] },
        },
      },
      { jsonrpc: "2.0", ...updated("x:a", 7) },
    ]);
    expect(scene.logged.join("\n")).toContain("x:both is offered by several servers (a, b)");
  });

  test("two subscriptions are kept apart by type and value of their ids, and what belongs to none reaches nobody", async () => {
    const scene = await discovered({ a: ALL, b: ALL });
    for (const id of [1, "1"]) {
      scene.client(ask(id, "subscriptions/listen", { notifications: { resourcesListChanged: true } }));
      for (const server of ["a", "b"]) acknowledge(scene, server, id, { resourcesListChanged: true });
    }
    scene.client({ method: "notifications/cancelled", params: { requestId: 1 } });
    expect([methodsOf(scene, "a").at(-1), methodsOf(scene, "b").at(-1)]).toEqual(["notifications/cancelled", "notifications/cancelled"]);
    scene.told.length = 0;
    scene.says("a", updated("x:1", 1));
    scene.says("a", updated("x:2", "1"));
    expect(told(scene)).toEqual([{ jsonrpc: "2.0", ...updated("x:2", "1") }]);
  });

  test("one that is silent doesn't keep the others' acknowledgment", async () => {
    const scene = await discovered({ a: ALL, b: ALL }, 20);
    scene.client(ask(1, "subscriptions/listen", { notifications: { resourceSubscriptions: ["x:1"] } }));
    acknowledge(scene, "a", 1, { resourceSubscriptions: ["x:1"] });
    await until(() => scene.told.length === 1);
    acknowledge(scene, "b", 1, { resourceSubscriptions: ["x:1"] });
    scene.says("b", updated("x:1", 1));
    expect(told(scene).map(({ method }) => method)).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/resources/updated",
    ]);
  });

  test("it ends when no server has a part in it any more, with what the last one said", async () => {
    const scene = await discovered({ a: ALL, b: ALL });
    scene.client(ask(1, "subscriptions/listen", { notifications: { resourceSubscriptions: ["x:1"] } }));
    for (const server of ["a", "b"]) acknowledge(scene, server, 1, { resourceSubscriptions: ["x:1"] });
    scene.told.length = 0;
    scene.answers("a", 1, { resultType: "complete" });
    expect(scene.told).toEqual([]);
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"shutting down"}}';
    scene.says("b", cancel);
    expect(scene.told).toEqual([cancel]);
    scene.client(ask(1, "tools/call", { name: "a__x" })); // the id is free
    expect(methodsOf(scene, "a").at(-1)).toBe("tools/call");
  });

  test("a server that dies is told as a change of what there is, and gets its part again when it was started once more", async () => {
    const scene = await discovered({ a: ALL, b: ALL });
    scene.client(ask(1, "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    for (const server of ["a", "b"]) acknowledge(scene, server, 1, { toolsListChanged: true });
    scene.told.length = 0;
    scene.fails("b", 1, -32603, "the server b can't answer: it exited with code 1");
    scene.router.serverEnded("b", undefined);
    expect(scene.told).toEqual([]);
    scene.router.serverRestarted("b");
    expect(methodsOf(scene, "b")).toEqual(["subscriptions/listen", "subscriptions/listen"]);
    acknowledge(scene, "b", 1, { toolsListChanged: true });
    expect(scene.told).toEqual([]);
    scene.says("b", { method: "notifications/tools/list_changed", params: { _meta: { [SUBSCRIPTION]: 1 } } });
    expect(scene.told).toHaveLength(1);
    scene.fails("b", 1, -32603, "the server b can't answer: it exited with code 1");
    scene.router.serverEnded("b", "it exited with code 1");
    expect(told(scene)[1]).toMatchObject({ method: "notifications/tools/list_changed", params: { _meta: { [SUBSCRIPTION]: 1 } } });
    expect(scene.told).toHaveLength(2);
  });
});
