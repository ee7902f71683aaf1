// On which stream does a message of the server arrive, and does it arrive however quiet, fast or broken the stream is?
import { expect, test } from "bun:test";
import { eventsOf, HttpAgent, messagesOf, post, replyOf, type StreamEvent, TOKEN } from "../../support/http.ts";
import { until } from "../fixture.ts";
import { type Behind, startEndpoint } from "./fixture.ts";

const note = (data: unknown) => ({ method: "notifications/message", params: { level: "info", data } });
const dataOf = ({ message }: StreamEvent) => message?.params?.["data"];

/** Takes so many events that have a message. */
async function take(events: AsyncGenerator<StreamEvent>, count: number): Promise<StreamEvent[]> {
  const taken: StreamEvent[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done) throw new Error(`the stream ended after ${taken.length} messages`);
    if (value.message !== undefined) taken.push(value);
  }
  return taken;
}

test("an answer is a stream of events, opened before there is anything to say, and ends with the reply", async () => {
  const asked = Promise.withResolvers<() => void>();
  const { url } = await startEndpoint((request, client) =>
    asked.resolve(() => {
      client.say(note("before"));
      client.answer(request, { done: request.method });
    }),
  );
  const response = await (await HttpAgent.start(url)).post({ jsonrpc: "2.0", id: 1, method: "work" });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  (await asked.promise)();
  expect(await messagesOf(response)).toMatchObject([note("before"), { id: 1, result: { done: "work" } }]);
});

test("P4: a client whose stream broke before there was anything on it knows where and when to resume, and gets its answer", async () => {
  const asked = Promise.withResolvers<() => void>();
  const { url } = await startEndpoint((request, client) => asked.resolve(() => client.answer(request, { late: true })));
  const agent = await HttpAgent.start(url);
  const leaving = new AbortController();
  const body = (await agent.post({ jsonrpc: "2.0", id: 5, method: "work" }, {}, leaving.signal)).body?.getReader();
  const [, id = ""] = /^id: (\S+)\nretry: \d+\ndata: \n\n$/.exec(new TextDecoder().decode((await body?.read())?.value)) ?? [];
  leaving.abort();
  (await asked.promise)();
  expect(await messagesOf(await agent.listen({ "last-event-id": id }))).toMatchObject([{ id: 5, result: { late: true } }]);
});

test("progress goes to the request that asked for it, whichever was opened last", async () => {
  const waiting: (() => void)[] = [];
  const { url } = await startEndpoint((request, client) => {
    const { _meta } = request.value["params"] as { _meta: { progressToken: string } };
    waiting.push(() => {
      client.say({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: 1 } });
      client.answer(request, {});
    });
    if (waiting.length === 2) for (const answer of waiting) answer();
  });
  const agent = await HttpAgent.start(url);
  const ask = (id: number) => agent.post({ jsonrpc: "2.0", id, method: "work", params: { _meta: { progressToken: `of ${id}` } } });
  const answers = await Promise.all([ask(1), ask(2)].map(async (response) => messagesOf(await response)));
  expect(answers.map(([progress, reply]) => [progress?.params?.["progressToken"], reply?.id])).toEqual([
    ["of 1", 1],
    ["of 2", 2],
  ]);
});

test("what belongs to no request waits for the client's GET, which one reader has at a time", async () => {
  const { url, clients } = await startEndpoint(() => undefined);
  const agent = await HttpAgent.start(url);
  clients[0]?.say(note(1));
  clients[0]?.say({ id: 1, method: "roots/list" });
  const events = eventsOf(await agent.listen());
  expect((await take(events, 2)).map(({ message }) => message?.method)).toEqual(["notifications/message", "roots/list"]);
  expect((await agent.listen()).status).toBe(409);
  expect((await agent.post({ jsonrpc: "2.0", id: 1, result: { roots: [] } })).status).toBe(202);
  await until(() => clients[0]?.heard.at(-1)?.kind === "response");
  clients[0]?.say(note(2));
  expect((await take(events, 1)).map(dataOf)).toEqual([2]);
});

test("a GET that broke goes on after the last event that its reader had, and misses none", async () => {
  const { url, clients } = await startEndpoint(() => undefined);
  const agent = await HttpAgent.start(url);
  const leaving = new AbortController();
  const first = eventsOf(await agent.listen({}, leaving.signal));
  for (const number of [1, 2, 3]) clients[0]?.say(note(number));
  const [, second] = await take(first, 2);
  leaving.abort();
  clients[0]?.say(note(4));
  const again = eventsOf(await agent.listen({ "last-event-id": second?.id ?? "" }));
  expect((await take(again, 2)).map(dataOf)).toEqual([3, 4]);
  // A reader that doesn't know that its connection is dead comes again while it is still open.
  const third = eventsOf(await agent.listen({ "last-event-id": second?.id ?? "" }));
  expect((await take(third, 2)).map(dataOf)).toEqual([3, 4]);
  expect((await again.next()).done).toBe(true);
});

test("P4: the answer to a POST whose stream broke is there when its client resumes it", async () => {
  let finish = () => {};
  const { url } = await startEndpoint((request, client) => {
    client.say(note("begun"));
    finish = () => client.answer(request, { late: true });
  });
  const agent = await HttpAgent.start(url);
  const leaving = new AbortController();
  const events = eventsOf(await agent.post({ jsonrpc: "2.0", id: 5, method: "work" }, {}, leaving.signal));
  const [begun] = await take(events, 1);
  leaving.abort();
  finish();
  const resumed = await agent.listen({ "last-event-id": begun?.id ?? "" });
  expect(await messagesOf(resumed)).toMatchObject([{ id: 5, result: { late: true } }]);
});

test("a client from 2025-11-25 on is told where to resume before there is an event, older ones are not", async () => {
  const { url, clients } = await startEndpoint(() => undefined);
  const firstOf = async (version: string) => {
    const agent = await HttpAgent.start(url, { version });
    clients.at(-1)?.say(note(version));
    return (await eventsOf(await agent.listen()).next()).value as StreamEvent;
  };
  expect(await firstOf("2025-11-25")).toEqual({ id: "g-0", message: undefined });
  expect(await firstOf("2025-06-18")).toMatchObject({ id: "g-1", message: note("2025-06-18") });
});

test("P1: a burst of 10,000 notifications arrives in order and whole, in a request and outside of one", async () => {
  const burst = (client: Behind) => {
    for (let number = 0; number < 10_000; number += 1) client.say(note(number));
  };
  const { url, clients } = await startEndpoint((request, client) => {
    burst(client);
    client.answer(request, {});
  });
  const agent = await HttpAgent.start(url);
  const expected = Array.from({ length: 10_000 }, (_, number) => number);
  const events = eventsOf(await agent.listen());
  const inside = await messagesOf(await agent.post({ jsonrpc: "2.0", id: 1, method: "burst" }));
  expect(inside.slice(0, -1).map(({ params }) => params?.["data"])).toEqual(expected);
  expect(inside.at(-1)?.id).toBe(1);
  if (clients[0] !== undefined) burst(clients[0]);
  expect((await take(events, 10_000)).map(dataOf)).toEqual(expected);
});

test("a quiet stream outlives the time after which idle connections are closed", async () => {
  const { url, clients } = await startEndpoint(() => undefined, { times: { ping: 60_000 } });
  const events = eventsOf(await (await HttpAgent.start(url, { version: "2025-06-18" })).listen());
  const next = events.next();
  // Bun closes idle connections after ten seconds unless it is told not to, in steps of four.
  expect(await Promise.race([next, Bun.sleep(13_000)])).toBeUndefined();
  clients[0]?.say(note("still here"));
  expect(dataOf((await next).value as StreamEvent)).toBe("still here");
});

test("a quiet stream is kept alive by comments, for those on the way that close what is quiet", async () => {
  const { url } = await startEndpoint(() => undefined, { times: { ping: 20 } });
  const body = (await (await HttpAgent.start(url, { version: "2025-06-18" })).listen()).body?.getReader();
  let text = "";
  while (text.length < 16) text += new TextDecoder().decode((await body?.read())?.value);
  expect(text).toStartWith(": \n\n: \n\n: \n\n: \n\n");
});

test("a client that takes only JSON gets its answer as JSON, and the rest on its GET", async () => {
  const { url } = await startEndpoint((request, client) => {
    client.say(note("aside"));
    client.answer(request, {});
  });
  const agent = await HttpAgent.start(url);
  const response = await agent.post({ jsonrpc: "2.0", id: 1, method: "work" }, { accept: "application/json" });
  expect(await response.json()).toMatchObject({ id: 1 });
  expect((await take(eventsOf(await agent.listen()), 1)).map(dataOf)).toEqual(["aside"]);
});

test("an id that is in use is refused, and its owner still gets the answer", async () => {
  const requests: (() => void)[] = [];
  const { url } = await startEndpoint((request, client) => requests.push(() => client.answer(request, { own: true })));
  const agent = await HttpAgent.start(url);
  const first = agent.post({ jsonrpc: "2.0", id: 1, method: "slow" });
  await until(() => requests.length === 1);
  expect((await agent.post({ jsonrpc: "2.0", id: 1, method: "slow" })).status).toBe(400);
  const other = agent.post({ jsonrpc: "2.0", id: "1", method: "slow" });
  await until(() => requests.length === 2);
  for (const answer of requests) answer();
  expect((await replyOf(await first)).result).toEqual({ own: true });
  expect((await replyOf(await other)).id).toBe("1");
});

test("a reader that takes nothing is let go, and the others don't wait for it for ever", async () => {
  const big = "x".repeat(100_000);
  const { url, clients } = await startEndpoint((request, client) => client.answer(request, {}), {
    times: { stuck: 200 },
    maxMessage: 1 << 26,
  });
  const agent = await HttpAgent.start(url);
  const { hostname, port } = new URL(url);
  const opened = Promise.withResolvers<void>();
  const data = (own: Bun.Socket) => {
    own.pause();
    opened.resolve();
  };
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data } });
  const headers = { host: hostname, authorization: `Bearer ${TOKEN}`, accept: "text/event-stream", ...agent.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /mcp HTTP/1.1\r\n${lines.join("")}\r\n`);
  await opened.promise;
  const [client] = clients;
  for (let number = 0; number < 300; number += 1) client?.say(note(big));
  const begun = performance.now();
  await client?.drained();
  expect(performance.now() - begun).toBeGreaterThan(150);
  expect((await agent.request("ping")).result).toEqual({});
  socket.terminate();
});

test("a session that is begun and left ends by itself; one whose client came back stays", async () => {
  const { url, clients } = await startEndpoint((request, client) => client.answer(request, {}), { times: { halfOpen: 100 } });
  const stays = await HttpAgent.start(url);
  const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } };
  const left = (await post(url, hello)).headers.get("mcp-session-id") ?? "";
  await until(() => clients[1]?.ended === true);
  expect((await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, { "mcp-session-id": left })).status).toBe(404);
  expect((await stays.request("ping")).result).toEqual({});
});

/** Opens a connection and sends a text; resolves with what came back once the other side has closed it. */
async function untilClosed(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const closed = Promise.withResolvers<string>();
  let heard = "";
  const data = (_: unknown, chunk: Buffer) => {
    heard += chunk.toString();
  };
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data, close: () => closed.resolve(heard) } });
  socket.write(text);
  return closed.promise;
}

test("a body whose rest never comes is refused after a time and its connection closed, and headers that never end are cut", async () => {
  const { url, logged } = await startEndpoint(() => undefined, { times: { bodyIdle: 100 } });
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer ${TOKEN}\r\n`;
  expect(await untilClosed(url, `${head}Content-Length: 9000\r\n\r\n{"jsonrpc"`)).toStartWith("HTTP/1.1 400");
  expect(await untilClosed(url, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"jso\r\n`)).toStartWith("HTTP/1.1 400");
  expect(logged.filter((line) => line === "a request was refused")).toHaveLength(2);
  await untilClosed(url, head); // by the runtime, after some twelve seconds
});
