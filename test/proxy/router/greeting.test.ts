// How is a client welcomed by several servers, and what if one is late, refuses, or dies?
import { describe, expect, test } from "bun:test";
import { ALL, greeting, hello, makeRouter, makeWelcomed } from "./fixture.ts";

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe("the welcome", () => {
  test("P1: all hear the client's own words; the client hears one server with everything that they can do", () => {
    const scene = makeRouter(["a", "b"]);
    scene.client(hello(0));
    expect(scene.got("a")).toEqual(scene.got("b"));
    expect(JSON.parse(scene.got("a")[0] ?? "")).toEqual({ jsonrpc: "2.0", ...hello(0) });
    scene.answers(
      "b",
      0,
      greeting({ tools: {}, logging: {}, experimental: { "b/x": { deep: [9] } } }, { instructions: "B's words.", "x-own": 2 }),
    );
    expect(scene.told).toEqual([]);
    scene.answers("a", 0, greeting({ resources: { subscribe: true, listChanged: false }, experimental: { "a/x": {} } }, { "x-own": 1 }));
    const { id, result } = JSON.parse(scene.last());
    expect(id).toBe(0);
    const { instructions, ...rest } = result;
    expect(rest).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        experimental: { "a/x": {}, "b/x": { deep: [9] } },
        logging: {},
      },
      serverInfo: { name: "synartesis", version: "9" },
      "x-own": 1,
    });
    expect(instructions).toContain("# b (its tools and prompts are named b__...)\nB's words.");
    expect(instructions.split("Synartesis stands between you")).toHaveLength(2);
  });

  test("the lowest of the versions that the servers answer is the one that the client is told", () => {
    const scene = makeRouter(["a", "b", "c"]);
    scene.client(hello(1));
    for (const [server, protocolVersion] of Object.entries({ a: "2025-11-25", b: "2024-11-05", c: "1.0" }))
      scene.answers(server, 1, greeting(ALL, { protocolVersion }));
    expect(JSON.parse(scene.last()).result.protocolVersion).toBe("2024-11-05");
  });

  test("what the client sends without waiting for its welcome is carried out after it, in order; what it cancels isn't", async () => {
    const scene = makeRouter(["a", "b"]);
    scene.client(hello(1));
    scene.client({ method: "notifications/initialized" });
    scene.client({ id: 2, method: "tools/call", params: { name: "a__x" } });
    scene.client({ id: 3, method: "tools/call", params: { name: "b__x" } });
    scene.client({ method: "notifications/cancelled", params: { requestId: 3 } });
    scene.client({ method: "notifications/cancelled", params: { requestId: 1 } }); // initialize can't be cancelled
    scene.answers("a", 1, greeting(ALL));
    expect(scene.got("a")).toHaveLength(1);
    scene.answers("b", 1, greeting(ALL));
    await until(() => scene.got("a").length === 3);
    expect(scene.got("a").map((text) => JSON.parse(text).method)).toEqual(["initialize", "notifications/initialized", "tools/call"]);
    expect(scene.got("b").map((text) => JSON.parse(text).method)).toEqual(["initialize", "notifications/initialized"]);
  });

  test("a second hello is refused", async () => {
    const scene = await makeWelcomed({ a: ALL, b: ALL });
    scene.client(hello("again"));
    expect(JSON.parse(scene.last()).error.message).toContain("initialized already");
  });
});

describe("a server that isn't there", () => {
  test("one that refuses hello, or never started, is left out; its tools get an ordinary error", () => {
    const scene = makeRouter(["a", "b", "c"]);
    scene.router.serverEnded("c", "it was ended by SIGKILL");
    scene.client(hello(1));
    scene.fails("b", 1, -32603, "no token");
    scene.answers("a", 1, greeting(ALL));
    expect(JSON.parse(scene.last()).result.capabilities.tools).toEqual({ listChanged: true });
    expect(scene.logged.join("\n")).toContain("the server b is left out: it answered initialize with no token");
    scene.client({ id: 2, method: "tools/list" });
    expect(scene.got("b")).toHaveLength(1);
    expect(scene.got("c")).toEqual([]);
  });

  test("where nobody can be greeted the client is told why", async () => {
    const scene = makeRouter(["a", "b"]);
    scene.client(hello(1));
    scene.fails("a", 1, -32603, "a's reason");
    scene.fails("b", 1, -32603, "b's reason");
    expect(JSON.parse(scene.last())).toMatchObject({ id: 1, error: { message: "a's reason" } });
    scene.router.serverEnded("a", "gone");
    scene.router.serverEnded("b", "gone too");
    await Promise.resolve();
    scene.client(hello(2));
    expect(JSON.parse(scene.last()).error.message).toBe("no server could be started: a: gone; b: gone too");
  });

  test("P1: one that is late keeps nobody waiting: it joins when it answers, and the client is told that the lists have changed", async () => {
    const scene = makeRouter(["a", "late"], 20);
    scene.client(hello(1));
    scene.answers("a", 1, greeting({ tools: {} }));
    await until(() => scene.told.length === 1);
    scene.client({ method: "notifications/initialized" });
    await until(() => scene.got("a").length === 2);
    scene.client({ id: 2, method: "tools/call", params: { name: "late__x" } });
    expect(JSON.parse(scene.last()).error.message).toContain("has not finished starting");
    scene.client({ id: 4, method: "logging/setLevel", params: { level: "debug" } });
    expect(scene.got("late")).toHaveLength(1);
    scene.answers("late", 1, greeting({ tools: {}, logging: {} }));
    expect(scene.last()).toBe('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    expect(scene.got("late").map((text) => JSON.parse(text).method)).toEqual([
      "initialize",
      "logging/setLevel",
      "notifications/initialized",
    ]);
    scene.answers("late", 4, {});
    expect(JSON.parse(scene.last()).method).toBe("notifications/tools/list_changed");
    scene.client({ id: 3, method: "tools/call", params: { name: "late__x" } });
    expect(scene.got("late")).toHaveLength(4);
  });

  test("P1: one that dies for good vanishes from the lists, and the client is told of those that it had", async () => {
    const scene = await makeWelcomed({ a: { tools: {} }, b: { tools: {}, prompts: {} } });
    scene.router.serverEnded("b", "it exited with code 7");
    expect(scene.told.map((text) => JSON.parse(text).method)).toEqual([
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
    ]);
    scene.client({ id: 1, method: "tools/list" });
    scene.answers("a", 1, { tools: [{ name: "x" }] });
    expect(JSON.parse(scene.last()).result.tools).toEqual([{ name: "a__x" }]);
    scene.client({ id: 2, method: "prompts/list" });
    expect(JSON.parse(scene.last()).result).toEqual({ prompts: [] });
    scene.client({ method: "notifications/roots/list_changed" });
    scene.client({ id: 3, method: "tools/call", params: { name: "b__x" } });
    expect(JSON.parse(scene.last()).error.message).toBe(
      "the server b can't answer: it exited with code 7. This request was not sent to it",
    );
    expect(scene.got("b")).toEqual([]);
  });

  test("one that died while it was greeted and was started once more is there after all", () => {
    const scene = makeRouter(["a", "b"]);
    scene.client(hello(1));
    scene.fails("b", 1, -32603, "it exited");
    scene.router.serverEnded("b", undefined);
    scene.answers("a", 1, greeting({ tools: {} }));
    scene.router.serverRestarted("b");
    expect(scene.last()).toBe('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    scene.client({ id: 2, method: "tools/list" });
    expect(scene.got("b")).toHaveLength(2);
  });
});
