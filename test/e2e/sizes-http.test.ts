// How large may messages be over HTTP, on either side? As large as over stdio, unchanged, and with as little memory.

import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Agent, textOf } from "../support/agent.ts";
import { HttpAgent, modernPost, replyOf, type Served, serve } from "../support/http.ts";
import { MIB, makeSizes, peakOf, serveSizes } from "../support/sizes.ts";

const SIZE = 40 * MIB;
/** Two to three is usual: what has come in pieces is joined once. */
const LIMIT = 4;
/** What has to be escaped, what isn't Latin (an engine's text of it takes twice the room), and what can't be compressed. */
const LINES = `${"x".repeat(31)}\n`.repeat(SIZE / 32);
const TEXTS: Readonly<Record<string, () => string>> = {
  "with a letter that isn't Latin, and line ends": () => `ж${LINES.slice(2)}`,
  "that can't be compressed": () =>
    `ж${randomBytes((SIZE / 4) * 3)
      .toString("base64")
      .slice(2)}`,
};

/** Calls a tool and gives the length of its text. */
type Call = (name: string, args: object) => Promise<number>;
interface Caller extends AsyncDisposable {
  readonly call: Call;
  /** The proxy's process. */
  readonly pid: number;
}

/** By HTTP with a session; `events`: taking nothing but events. */
async function bySession(served: Served, kind: "json" | "events"): Promise<Call> {
  const agent = await HttpAgent.start(served.url, { headers: { accept: kind === "events" ? "text/event-stream" : "application/json" } });
  return async (name, args) => (await agent.call(name, args)).text.length;
}

function withoutSession(served: Served): Call {
  return async (name, args) => {
    const reply = await replyOf(await modernPost(served.url, { id: 1, method: "tools/call", params: { name, arguments: args } }));
    return textOf(reply.result as { content: [] }).length; // the server's own result
  };
}

const CLIENTS: Readonly<Record<string, (sandbox: ReturnType<typeof makeSizes>) => Promise<Caller>>> = {
  async "a client over stdio"(sandbox) {
    const agent = await Agent.start(sandbox);
    return {
      call: async (name, args) => textOf(await agent.call(name, args)).length,
      pid: await agent.proxyPid(),
      [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
    };
  },
  async "a client by HTTP that takes JSON"(sandbox) {
    const served = await serve(sandbox);
    return { call: await bySession(served, "json"), pid: served.child.pid, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
  },
  async "a client by HTTP that takes events"(sandbox) {
    const served = await serve(sandbox);
    return { call: await bySession(served, "events"), pid: served.child.pid, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
  },
  async "a client by HTTP without a session"(sandbox) {
    const served = await serve(sandbox);
    return { call: withoutSession(served), pid: served.child.pid, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
  },
};

const PAIRS = [
  ["a client by HTTP that takes JSON", "over stdio"],
  ["a client by HTTP that takes events", "over stdio"],
  ["a client by HTTP without a session", "over stdio"],
  ["a client over stdio", "json"],
  ["a client over stdio", "events"],
  ["a client by HTTP that takes JSON", "json"],
  ["a client by HTTP that takes events", "events"],
] as const;

/** Makes every call twice with a large message; gives by how many times its size the memory of the proxy grew. */
async function growth({ call, pid }: Caller, text: string): Promise<number> {
  await call("take", { text: "small" });
  const idle = peakOf(pid);
  for (let round = 0; round < 2; round++) {
    expect(await call("give", { size: SIZE })).toBe(SIZE);
    expect(await call("take", { text })).toBe(String(SIZE).length);
    expect(await call("put", { text })).toBe("kept".length);
    await call("put", { text: "small" }); // waits until all is done that comes after the answer
  }
  return (peakOf(pid) - idle) / (SIZE / MIB);
}

describe.skipIf(process.platform !== "linux")("memory stays under four times the largest message, several in a row", () => {
  test.each(PAIRS)("P1: %s, the server %s", async (client, server) => {
    using at = server === "over stdio" ? undefined : serveSizes(server);
    using sandbox = makeSizes(at?.url);
    await using caller = await (CLIENTS[client] as (typeof CLIENTS)[string])(sandbox); // one of its keys
    expect(await growth(caller, "x".repeat(SIZE))).toBeLessThan(LIMIT);
    // Many servers take nothing whose length isn't said.
    expect(at?.seen.filter(({ headers }) => headers.has("transfer-encoding")) ?? []).toEqual([]);
  });

  const clients = ["a client by HTTP that takes events", "a client by HTTP without a session"];
  const cases = Object.keys(TEXTS).flatMap((text) => clients.map((client) => [text, client] as const));
  test.each(cases)("P1: a text %s, %s", async (text, client) => {
    using sandbox = makeSizes();
    await using caller = await (CLIENTS[client] as (typeof CLIENTS)[string])(sandbox); // one of its keys
    expect(await growth(caller, (TEXTS[text] as () => string)())).toBeLessThan(LIMIT); // one of its keys
  });
});
