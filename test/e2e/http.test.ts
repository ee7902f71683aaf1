// What does a client that comes by HTTP get, and what do the runs say of it? The executable, with the notes server behind it.
import { expect, test } from "bun:test";
import { childrenOf, crashWithServers } from "../support/agent.ts";
import { actions, expectIntact, runs, undo, until } from "../support/documents.ts";
import { eventsOf, HttpAgent, messagesOf, modernPost, post, replyOf, serve, TOKEN } from "../support/http.ts";
import { makeNotes } from "../support/notes.ts";

const FIRST = { a: "first", b: "second", c: "third" };

test("two clients at once have sessions, servers and runs of their own, and each run is undone by itself", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const [one, two] = await Promise.all([HttpAgent.start(served.url, { name: "one" }), HttpAgent.start(served.url, { name: "two" })]);
  expect(one.headers["mcp-session-id"]).not.toBe(two.headers["mcp-session-id"]);
  await Promise.all([one.call("set", { key: "a", value: "of one" }), two.call("set", { key: "b", value: "of two" })]);
  expect(await one.end()).toBe(200);
  expect(await two.end()).toBe(200);
  await until("both runs have ended", async () => (await runs(notes)).every(({ state }) => state === "ended"));
  const { runs: listed } = await notes.json<{ runs: { id: string; client: { name: string }; identity: string; calls: number }[] }>("list");
  expect(listed.map(({ client, identity, calls }) => [client.name, identity, calls]).sort()).toEqual([
    ["one", "default", 1],
    ["two", "default", 1],
  ]);
  const runOfOne = listed.find(({ client }) => client.name === "one")?.id ?? "";
  expect((await undo(notes, runOfOne)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ ...FIRST, b: "of two" });
  await expectIntact(notes);
});

test("P6: a call is held, approved by a person and made again, over HTTP", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const agent = await HttpAgent.start(served.url);
  const held = await agent.call("send", { to: "ada" });
  expect([held.isError, held.text.startsWith("Held by Synartesis")]).toEqual([true, true]);
  // What it tells the person to do is all that has to be done.
  expect(held.text).toMatch(/a person runs: .*approve .*\n.*adds --unknown-client/);
  expect(notes.state().sent).toEqual([]);
  expect((await notes.run("approve")).err).toContain("--unknown-client");
  expect((await notes.run("approve", "--unknown-client")).code).toBe(0);
  expect((await agent.call("send", { to: "ada" })).isError).toBe(false);
  expect((await agent.call("send", { to: "ada" })).isError).toBe(true);
  expect(notes.state().sent).toEqual(["ada"]);
});

test("a session that was ended is gone: its run has ended, and what comes for it is answered 404", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const agent = await HttpAgent.start(served.url);
  await agent.call("set", { key: "a", value: "1" });
  expect((await runs(notes))[0]?.state).toBe("open");
  await agent.end();
  await until("the run has ended", async () => (await runs(notes))[0]?.state === "ended");
  const late = await agent.post({ jsonrpc: "2.0", id: 9, method: "ping" });
  expect(late.status).toBe(404);
  expect(await late.json()).toMatchObject({ id: 9, error: { code: -32001 } });
  expect(await agent.end()).toBe(404);
});

test("P4: a client that disconnects cancels nothing: its call is carried out and recorded", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const agent = await HttpAgent.start(served.url);
  notes.trouble("set", "wait-after");
  const leaving = new AbortController();
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "1" } } };
  const lost = agent
    .post(call, {}, leaving.signal)
    .then((response) => response.text())
    .catch((error: Error) => error.name);
  await until("the write lands", () => notes.state().notes["a"] === "1");
  leaving.abort();
  expect(await lost).toBe("AbortError");
  expect((await agent.call("get", { key: "b" })).isError).toBe(false);
  notes.letAnswer("set");
  await until("the call is settled", async () => (await actions(notes)).find(({ tool }) => tool === "set")?.status === "applied");
});

test("P4: a modern client that closes its stream cancels the call, and the server is told so", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  notes.trouble("set", "wait-after");
  const leaving = new AbortController();
  const lost = modernPost(
    served.url,
    { id: 1, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "1" } } },
    { signal: leaving.signal },
  ).catch((error: Error) => error.name);
  await until("the write lands", () => notes.state().notes["a"] === "1");
  leaving.abort();
  expect(await lost).toBe("AbortError");
  await until("the server hears of it", () => notes.heard().some((line) => line.includes("notifications/cancelled")));
  notes.letAnswer("set");
  await until("the call is settled", async () => (await actions(notes))[0]?.status === "applied");
});

test("modern clients use the same ids at once and get each their own answers", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const ask = (key: string) => modernPost(served.url, { id: 1, method: "tools/call", params: { name: "get", arguments: { key } } });
  const replies = await Promise.all(["a", "b", "c", "a", "b", "c"].map(async (key) => replyOf(await ask(key))));
  expect(replies.map(({ id, result }) => [id, result?.["structuredContent"]])).toEqual(
    ["a", "b", "c", "a", "b", "c"].map((key) => [1, { key, value: FIRST[key as "a" | "b" | "c"] }]),
  );
  expect(await runs(notes)).toHaveLength(1);
});

test("a modern client of another name, or with another token, has a run of its own", async () => {
  using notes = makeNotes();
  const made = await notes.json<{ token: string; entry: { name: string; sha256: string } }>("token", "create", "ci-agent");
  notes.write("synartesis.yaml", `${await Bun.file(`${notes.folder}/synartesis.yaml`).text()}\ntokens: [${JSON.stringify(made.entry)}]\n`);
  await using served = await serve(notes);
  const set = (key: string, client: string, headers = {}) =>
    modernPost(
      served.url,
      { id: 1, method: "tools/call", params: { name: "set", arguments: { key, value: client } } },
      { client, headers },
    );
  const answers = await Promise.all([set("a", "x"), set("b", "y"), set("c", "x", { authorization: `Bearer ${made.token}` })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { runs: listed } = await notes.json<{ runs: { identity: string }[] }>("list");
  expect(listed.map(({ identity }) => identity).sort()).toEqual(["ci-agent", "default", "default"]);
  expect((await notes.run("list")).out).toContain("as ci-agent");
  expect((await notes.run("show", (await runs(notes))[0]?.id ?? "")).out).toMatch(/ as (ci-agent|default), on notes, open/);
});

test("the headers of a modern request have to say what its body says", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const get = { id: 1, method: "tools/call", params: { name: "get", arguments: { key: "a" } } };
  const codeOf = async (headers: Record<string, string>, meta = {}) => {
    const response = await modernPost(served.url, get, { headers, meta });
    return [response.status, (await replyOf(response)).error?.code];
  };
  expect(await codeOf({ "mcp-name": "set" })).toEqual([400, -32020]);
  expect(await codeOf({ "mcp-name": "=?base64?Z2V0?=" })).toEqual([200, undefined]);
  expect(await codeOf({ "mcp-method": "tools/list" })).toEqual([400, -32020]);
  expect(await codeOf({ "mcp-protocol-version": "2025-11-25" })).toEqual([400, -32020]);
  const unknown = await modernPost(served.url, get, {
    headers: { "mcp-protocol-version": "2031-01-01" },
    meta: { "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
  });
  expect(unknown.status).toBe(400);
  expect((await replyOf(unknown)).error).toMatchObject({
    code: -32022,
    data: { requested: "2031-01-01", supported: ["2026-07-28"] },
  });
  expect(await codeOf({}, { "io.modelcontextprotocol/clientCapabilities": undefined })).toEqual([400, -32602]);
  for (const method of ["GET", "DELETE"]) {
    const response = await fetch(served.url, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "mcp-protocol-version": "2026-07-28" },
    });
    expect([method, response.status]).toEqual([method, 405]);
  }
});

test("a batch is answered as one where the version has batches, and refused where it has none", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const batch = [
    { jsonrpc: "2.0", id: "x", method: "ping" },
    { jsonrpc: "2.0", method: "notifications/anything" },
    { jsonrpc: "2.0", id: "y", method: "tools/call", params: { name: "get", arguments: { key: "a" } } },
  ];
  const old = await HttpAgent.start(served.url, { version: "2025-03-26" });
  const answered = await old.post(batch);
  expect(answered.status).toBe(200);
  expect((await messagesOf(answered)).map(({ id }) => id).sort()).toEqual(["x", "y"]);
  expect((await old.post([{ jsonrpc: "2.0", method: "notifications/anything" }])).status).toBe(202);
  expect((await old.post([])).status).toBe(400);
  const later = await HttpAgent.start(served.url, { version: "2025-06-18" });
  expect((await later.post(batch)).status).toBe(400);
});

test("a message that goes on many lines, or says what no list knows, reaches the server as it is", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const agent = await HttpAgent.start(served.url);
  const call = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "two\nlines" } } };
  const response = await agent.post(JSON.stringify(call, null, 2).replaceAll("\n", "\r\n"));
  expect((await replyOf(response)).result?.["structuredContent"]).toEqual({ key: "a", value: "two\nlines" });
  expect((await agent.request("x/unheard-of", { any: "thing" })).result).toEqual({});
});

test("what isn't a message, or has no session, gets the error that it deserves", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const statusAndCode = async (response: Response) => [
    response.status,
    ((await response.json()) as { error: { code: number } }).error.code,
  ];
  expect(await statusAndCode(await post(served.url, "{oops"))).toEqual([400, -32700]);
  expect(await statusAndCode(await post(served.url, "42"))).toEqual([400, -32600]);
  expect(await statusAndCode(await post(served.url, { jsonrpc: "2.0", id: 1, method: "tools/list" }))).toEqual([400, -32600]);
  expect(await statusAndCode(await post(served.url, {}, { "content-type": "text/plain" }))).toEqual([415, -32600]);
  const agent = await HttpAgent.start(served.url);
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect(await statusAndCode(await agent.post(ping, { "mcp-protocol-version": "1999-01-01" }))).toEqual([400, -32600]);
  expect(await statusAndCode(await agent.post(ping, { accept: "image/png" }))).toEqual([406, -32600]);
  expect((await agent.post(ping, { accept: "application/json" })).headers.get("content-type")).toBe("application/json");
  expect((await agent.post(ping, { accept: "text/event-stream" })).headers.get("content-type")).toBe("text/event-stream");
});

test("P2: SIGTERM lets the calls in flight settle, answers them, and ends every server and run", async () => {
  using notes = makeNotes();
  const served = await serve(notes);
  const agent = await HttpAgent.start(served.url);
  const listening = await agent.listen();
  notes.trouble("set", "wait-after");
  const call = agent.call("set", { key: "a", value: "1" });
  await until("the write lands", () => notes.state().notes["a"] === "1");
  const stopped = served.stop();
  notes.letAnswer("set");
  expect((await call).isError).toBe(false);
  expect(await stopped).toBe(0);
  for await (const { message } of eventsOf(listening)) expect(message).toBeUndefined();
  expect((await runs(notes)).map(({ state }) => state)).toEqual(["ended"]);
  expect((await actions(notes)).map(({ status }) => status)).toEqual(["applied"]);
});

test("a server that can't be started is said to the client, and the others go on", async () => {
  using notes = makeNotes();
  notes.write("synartesis.yaml", "version: 1\nservers:\n  notes: { command: ./is-not-there }\n");
  await using served = await serve(notes);
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const reply = await replyOf(await post(served.url, { jsonrpc: "2.0", id: 0, method: "initialize", params: hello }));
  expect(reply.error?.message).toContain("is-not-there");
  expect(served.child.exitCode).toBeNull();
});

test("P2: a proxy that is killed leaves no server behind, and its runs are closed by a person", async () => {
  using notes = makeNotes();
  const served = await serve(notes);
  const agents = [await HttpAgent.start(served.url), await HttpAgent.start(served.url)];
  await Promise.all(agents.map((agent, at) => agent.call("set", { key: "ab"[at], value: "killed" })));
  expect(childrenOf(served.child.pid)).toHaveLength(4); // beside each its guardian
  await crashWithServers(served.child.pid);
  await served.child.exited;
  const left = await runs(notes);
  expect(left.map(({ state }) => state)).toEqual(["open", "open"]);
  for (const { id } of left) expect((await notes.run("close", id)).code).toBe(0);
  for (const { id } of left) expect((await undo(notes, id)).state).toBe("undone");
  expect(notes.state().notes).toEqual(FIRST);
});
