// Several servers behind one entry, in the era without sessions (2026-07-28): as the official client of that era and raw messages see them.
import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { actions, expectIntact, runs, undo, until } from "../support/documents.ts";
import { eventsOf, modernPost, replyOf, serve, TOKEN } from "../support/http.ts";
import { BUN, EXECUTABLE, makeSandbox, type Sandbox } from "../support/sandbox.ts";

const BEFORE = { a: "first", b: "second" };
const MODERN = join(import.meta.dir, "../support/modern-server.ts");
const LEGACY = join(import.meta.dir, "../support/notes-server.ts");
const NAMES = ["get", "set", "ask"];

interface Notes extends Sandbox {
  state(server: string): Record<string, string>;
  /** Kills the server's process, unless it was killed already. */
  kill(server: string): void;
}

/** A sandbox whose manifest guards these servers: options of the modern one, or `legacy`. */
function makeSeveral(servers: Record<string, readonly string[] | "legacy">): Notes {
  const sandbox = makeSandbox();
  const parts = Object.entries(servers).map(([server, options]) => {
    const isLegacy = options === "legacy";
    const state = sandbox.write(`${server}.json`, JSON.stringify(isLegacy ? { next: 1, notes: BEFORE, sent: [] } : BEFORE));
    const words = isLegacy ? [LEGACY, "--state", state] : [MODERN, "--state", state, ...options];
    const args = ["-c", 'echo "$$" > "$0"; exec "$@"', `${server}.pid`, BUN, ...words];
    const change = (tool: string) => `
  - match: "${server}.${tool}"
    class: reversible
    snapshot: { tool: "${server}.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "${server}.set", args: { key: "$.key", value: "$snapshot.value" } }`;
    return {
      server: `\n  ${server}: { command: sh, args: ${JSON.stringify(args)} }`,
      rules: `\n  - { match: "${server}.get", class: readonly }${change("set")}${isLegacy ? "" : change("ask")}`,
    };
  });
  const [all, rules] = [parts.map(({ server }) => server).join(""), parts.map((part) => part.rules).join("")];
  sandbox.write("synartesis.yaml", `version: 1\nservers:${all}\ntools:${rules}\n`);
  const killed = new Set<string>();
  const kill = (server: string) => {
    // Each process once: its number may be another's by then. The file is empty for a moment while it is written anew.
    const pid = /^\d+(?=\n)/.exec(readFileSync(join(sandbox.folder, `${server}.pid`), "utf8"))?.[0];
    if (pid === undefined || killed.has(pid)) return;
    killed.add(pid);
    process.kill(Number(pid), "SIGKILL");
  };
  return { ...sandbox, kill, state: (server) => JSON.parse(readFileSync(join(sandbox.folder, `${server}.json`), "utf8")) };
}

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

function makeClient(mode: "auto" | { pin: string }): Client {
  const client = new Client(
    { name: "test-client", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { sure: true } }));
  clients.push(client);
  return client;
}

/** The way to a proxy of its own, by stdio. */
const stdio = (notes: Sandbox) =>
  new StdioClientTransport({ command: EXECUTABLE, args: ["proxy"], cwd: notes.folder, env: notes.env, stderr: "ignore" });
const http = (url: string) =>
  new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } });

/** Does what an agent does with two servers, and then what a person does who wants none of it. */
async function useAndUndo(notes: Notes, client: Client, end: () => Promise<unknown>): Promise<void> {
  expect(client.getInstructions()).toContain("# right (its tools and prompts are named right__...)\nOwn words.");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual([...NAMES.map((name) => `left__${name}`), ...NAMES.map((name) => `right__${name}`)]);
  await Promise.all(["left", "right"].map((server) => client.callTool({ name: `${server}__set`, arguments: { key: "a", value: server } })));
  await Promise.all(["left", "right"].map((server) => client.callTool({ name: `${server}__ask`, arguments: { key: "b", value: server } })));
  expect(JSON.stringify(await client.callTool({ name: "right__unheard-of", arguments: {} }))).toContain("Held by Synartesis");
  await client.close();
  await end();
  for (const server of ["left", "right"]) expect(notes.state(server)).toEqual({ a: server, b: server });
  expect(await runs(notes)).toHaveLength(1);
  expect((await actions(notes)).map(({ tool, status }) => `${tool} ${status}`).sort()).toEqual([
    ...["ask applied", "ask applied", "set applied", "set applied", "unheard-of held"],
  ]);
  expect((await undo(notes)).state).toBe("undone");
  for (const server of ["left", "right"]) expect(notes.state(server)).toEqual(BEFORE);
  await expectIntact(notes);
}

test("P3: a run that goes on is undone through the client's own connection, with what its requests say of it", async () => {
  using notes = makeSeveral({ left: ["--modern-only"], right: ["--modern-only"] });
  const client = makeClient({ pin: "2026-07-28" });
  await client.connect(stdio(notes));
  for (const server of ["left", "right"]) await client.callTool({ name: `${server}__set`, arguments: { key: "a", value: server } });
  const started = () => ["left", "right"].map((server) => readFileSync(join(notes.folder, `${server}.pid`), "utf8"));
  const before = started();
  expect((await undo(notes, "--live")).steps).toMatchObject([{ end: "undone" }, { end: "undone" }]);
  for (const server of ["left", "right"]) expect(notes.state(server)).toEqual(BEFORE);
  expect(started()).toEqual(before);
});

test("P1: the client of the era lists, calls and is asked by two servers as by one, over stdio", async () => {
  using notes = makeSeveral({ left: [], right: ["--modern-only"] });
  const client = makeClient({ pin: "2026-07-28" });
  await client.connect(stdio(notes));
  await useAndUndo(notes, client, async () => undefined);
});

test("P1: likewise over HTTP, for a client that looks for the era first", async () => {
  using notes = makeSeveral({ left: ["--modern-only"], right: [] });
  await using served = await serve(notes);
  const client = makeClient("auto");
  await client.connect(http(served.url) as Transport); // its own declaration disagrees with its interface under exactOptionalPropertyTypes
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  await useAndUndo(notes, client, () => served.stop());
});

test("P1: beside a server that wants initialize, a client of both eras has them all by that, over stdio and HTTP", async () => {
  using notes = makeSeveral({ left: [], right: "legacy" });
  await using served = await serve(notes);
  for (const way of [stdio(notes), http(served.url) as Transport]) {
    const client = makeClient("auto");
    await client.connect(way);
    expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => name.endsWith("__set"))).toEqual(["left__set", "right__set"]);
    expect(await client.callTool({ name: "right__get", arguments: { key: "a" } })).toMatchObject({ structuredContent: { value: "first" } });
    expect(await client.callTool({ name: "left__ask", arguments: { key: "a", value: "x" } })).toMatchObject({
      structuredContent: { value: "x" },
    });
  }
});

test("P1: beside a server that wants initialize, a client of the new era alone hears which, and has the others if it asks for them", async () => {
  using notes = makeSeveral({ left: ["--modern-only"], right: "legacy" });
  await using served = await serve(notes);
  const failed = await replyOf(await modernPost(served.url, { id: 1, method: "server/discover" }));
  expect(failed.error).toMatchObject({ code: -32601, message: expect.stringContaining("right want to be greeted with initialize") });
  const listed = await replyOf(await modernPost(served.url, { id: 2, method: "tools/list" }));
  expect(listed.result).toMatchObject({ tools: NAMES.map((name) => ({ name: `left__${name}` })) });
  const call = (name: string) => ({ id: 3, method: "tools/call", params: { name, arguments: { key: "a" } } });
  const left = await replyOf(await modernPost(served.url, call("left__get")));
  expect(left.result).toMatchObject({ structuredContent: { value: "first" } });
  const right = await replyOf(await modernPost(served.url, call("right__get")));
  expect(right.error).toMatchObject({ code: -32603, message: expect.stringContaining("begin with initialize") });
  const mismatch = await modernPost(served.url, call("left__get"), { headers: { "mcp-name": "get" } });
  expect([mismatch.status, (await replyOf(mismatch)).error?.code]).toEqual([400, -32020]);
  expect(served.stderr()).toContain("the server right is left out");
});

test("P1: over HTTP a subscription has a stream of its own, on which a server's end is told; closing it cancels it", async () => {
  using notes = makeSeveral({ left: [], right: [] });
  await using served = await serve(notes, ["--log-level", "info"]);
  const leaving = new AbortController();
  const request = { id: "é", method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } };
  const events = eventsOf(await modernPost(served.url, request, { signal: leaving.signal }));
  const _meta = { "io.modelcontextprotocol/subscriptionId": "é" };
  expect((await events.next()).value?.message).toMatchObject({
    method: "notifications/subscriptions/acknowledged",
    params: { _meta, notifications: { toolsListChanged: true } },
  });
  const change = events.next();
  let isChanged = false;
  void change.then(() => {
    isChanged = true;
  });
  await until("it was killed as often as it is started again", () => {
    notes.kill("right");
    return isChanged;
  });
  expect((await change).value?.message).toMatchObject({ method: "notifications/tools/list_changed", params: { _meta } });
  leaving.abort();
  const call = { id: 2, method: "tools/call", params: { name: "left__get", arguments: { key: "a" } } };
  expect((await replyOf(await modernPost(served.url, call))).result).toMatchObject({ structuredContent: { value: "first" } });
});

test("P1: a subscription hears that a server is gone for good, and the other's tools go on", async () => {
  using notes = makeSeveral({ left: [], right: [] });
  const client = makeClient({ pin: "2026-07-28" });
  await client.connect(stdio(notes));
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
  const subscription = await client.listen({ toolsListChanged: true });
  expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
  await until("it was killed as often as it is started again", () => {
    notes.kill("right");
    return changes > 0;
  });
  expect(JSON.stringify(await client.callTool({ name: "left__get", arguments: { key: "a" } }))).toContain("first");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES.map((name) => `left__${name}`));
  await until("the call says so", async () =>
    client.callTool({ name: "right__get", arguments: { key: "a" } }).then(
      () => false,
      (error: unknown) => String(error).includes("the server right can't answer"),
    ),
  );
  await subscription.close();
});
