// Does the real reference server, reached by URL over both of its transports, notice the proxy? What passes through is what it says directly.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { until } from "../support/documents.ts";
import { makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

interface Everything extends Sandbox, AsyncDisposable {
  readonly url: string;
  /** Kills it and starts it again: it knows no session any more, and has the same address. */
  restart(): Promise<void>;
}

/** Starts the server on a port that was free just now, behind a manifest that lets its tools pass. */
async function startEverything(transport: "streamableHttp" | "sse"): Promise<Everything> {
  const sandbox = makeSandbox();
  const probe = Bun.serve({ port: 0, fetch: () => new Response() });
  const port = String(probe.port);
  await probe.stop(true);
  const start = async () => {
    const child = Bun.spawn(["node", SERVER, transport], {
      env: { ...sandbox.env, PORT: port },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    let said = "";
    const reading = (async () => {
      for await (const chunk of child.stderr) said += new TextDecoder().decode(chunk);
    })();
    await until("the server listens", () => said.includes(`port ${port}`));
    return async () => {
      child.kill("SIGKILL");
      await child.exited;
      await reading;
    };
  };
  let stop = await start();
  const url = `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`;
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n  every: { url: "${url}" }\ntools:\n  - { match: "every.*", class: readonly }\n`);
  return {
    ...sandbox,
    url,
    async restart() {
      await stop();
      stop = await start();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      sandbox[Symbol.dispose]();
    },
  };
}

describe.each(["streamableHttp", "sse"] as const)("over %s", (transport) => {
  test("P1: tools, prompts, results, progress and a cancellation pass as they are", async () => {
    await using server = await startEverything(transport);
    await using agent = await Agent.start(server);
    const listed = (await agent.request("tools/list")).result as { tools: { name: string; inputSchema: object }[] };
    expect(listed.tools.map(({ name }) => name)).toContain("echo");
    expect(textOf(await agent.call("echo", { message: "ä\u2028" }))).toBe("Echo: ä\u2028");
    const reply = await agent.request("tools/call", {
      name: "trigger-long-running-operation",
      arguments: { duration: 0.2, steps: 4 },
      _meta: { progressToken: "p" },
    });
    expect(reply.error).toBeUndefined();
    const progress = agent.lines.map((line) => JSON.parse(line)).filter(({ method }) => method === "notifications/progress");
    expect(progress.map(({ params }) => params.progress)).toEqual([1, 2, 3, 4]);
    expect((await agent.request("prompts/list")).error).toBeUndefined();
    expect((await agent.request("no/such/method")).error?.code).toBe(-32601);
    agent.send({
      jsonrpc: "2.0",
      id: "long",
      method: "tools/call",
      params: { name: "trigger-long-running-operation", arguments: { duration: 1, steps: 1 } },
    });
    agent.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "long" } });
    expect(textOf(await agent.call("echo", { message: "still here" }))).toBe("Echo: still here");
    expect((await server.run("check")).code).toBe(0);
  });
});

test("P1: what it answers to tools/list comes through byte for byte", async () => {
  await using server = await startEverything("streamableHttp");
  await using agent = await Agent.start(server);
  await agent.request("tools/list");
  const through = agent.lines.find((line) => line.includes('"tools":['));
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(server.url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test-agent", version: "1" } };
  const hello = await post({ id: 1, method: "initialize", params });
  const session = { "mcp-session-id": hello.headers.get("mcp-session-id") ?? "" };
  await hello.text();
  await post({ method: "notifications/initialized" }, session);
  const direct = await (await post({ id: 2, method: "tools/list", params: {} }, session)).text();
  expect(direct).toContain(`data: ${through}\n`);
});

test("P4: a server that was restarted, and answers 400 to a session that it doesn't know, is initialized anew", async () => {
  await using server = await startEverything("streamableHttp");
  await using agent = await Agent.start(server);
  await agent.call("echo", { message: "before" });
  await server.restart();
  const errors: string[] = [];
  await until("it answers again", async () => {
    const { error } = await agent.request("tools/call", { name: "echo", arguments: { message: "after" } });
    if (error !== undefined) errors.push(error.message);
    return error === undefined;
  });
  expect(errors.filter((error) => !error.includes("was not sent, so nothing has changed"))).toEqual([]);
});
