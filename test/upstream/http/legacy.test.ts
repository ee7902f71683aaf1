import { describe, expect, test } from "bun:test";
import { sendCall } from "../../../src/upstream/send-call.ts";
import { buildResult } from "../../../src/wire/build.ts";
import { json, mannered, type Stream, serveHttp, stream } from "../../support/http-server.ts";
import { clientRequest, textOf, until } from "../fixture.ts";
import { connect, notification } from "./fixture.ts";

describe("a session", () => {
  test("P1: begins with initialize; its id and version go with everything after, and it is ended by DELETE", async () => {
    using server = serveHttp();
    const { upstream, ask } = await connect(server);
    await ask('{"jsonrpc":"2.0","id":1,"method":"x"}');
    await upstream.close();
    const [hello, initialized, ...rest] = server.seen;
    expect([hello?.headers.get("mcp-session-id"), hello?.headers.get("mcp-protocol-version")]).toEqual([null, null]);
    expect(hello?.headers.get("accept")).toBe("application/json, text/event-stream");
    expect(initialized?.message.method).toBe("notifications/initialized");
    expect(rest.map(({ method }) => method).sort()).toEqual(["DELETE", "GET", "POST"]);
    for (const { headers } of [...rest, ...(initialized ? [initialized] : [])])
      expect([headers.get("mcp-session-id"), headers.get("mcp-protocol-version")]).toEqual(["session-1", "2025-06-18"]);
  });

  test("P1: carries every byte as it came, both ways", async () => {
    const reply = '{"jsonrpc":"2.0","id":7.0,"result":{"big":12345678901234567890,"__proto__":[1.0,"\\ud800"],"new":{}}}';
    using server = serveHttp(({ message }) => (message?.method === "odd/one" ? json(reply) : undefined));
    const { ask } = await connect(server);
    const sent = '{ "jsonrpc":"2.0","id":7.0, "method":"odd/one","params":{"\\u0061":1e2,"x":12345678901234567890} }';
    expect(textOf((await ask(sent)) as never)).toBe(reply);
    expect(server.of("odd/one")[0]?.text).toBe(sent);
  });

  test("P1: a reply over several lines becomes one, and a byte order mark goes", async () => {
    using server = serveHttp(({ message }) =>
      message?.method === "pretty"
        ? json(`\uFEFF${JSON.stringify({ jsonrpc: "2.0", id: 1, result: { a: "x\ny" } }, null, 2)}\r\n`)
        : undefined,
    );
    const { ask } = await connect(server);
    const text = textOf((await ask('{"jsonrpc":"2.0","id":1,"method":"pretty"}')) as never);
    expect(text).not.toContain("\n");
    expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: 1, result: { a: "x\ny" } });
  });

  test("that the server no longer knows is told as its end: what was refused was not carried out, what was in flight is lost with it", async () => {
    let known = true;
    using server = serveHttp(({ message }) => {
      if (message?.method === "slow") return new Promise<Response>(() => {});
      return known ? undefined : json({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null }, { status: 404 });
    });
    const { upstream, ask, exits } = await connect(server);
    const ours = upstream.request("slow", {});
    await until(() => server.of("slow").length === 1 && server.seen.length === 4);
    known = false;
    expect(await ask('{"jsonrpc":"2.0","id":2,"method":"x"}')).toMatchObject({ sent: false });
    expect(await ours).toEqual({ kind: "ended" });
    await until(() => exits.length === 1);
    expect(exits[0]?.lastWords).toContain("session had ended");
    expect(upstream.alive).toBe(false);
  });

  test.each([true, false])("that a server answers 400 to is gone if a ping gets the same (%p)", async (isGone) => {
    let known = true;
    using server = serveHttp(({ message }) => {
      if (known || (!isGone && message?.method === "ping")) return undefined;
      return json({ jsonrpc: "2.0", error: { code: -32000, message: "Bad Request" }, id: message?.id ?? null }, { status: 400 });
    });
    const { ask, exits } = await connect(server);
    await until(() => server.seen.length === 3); // initialize, initialized, GET
    known = false;
    const answer = await ask('{"jsonrpc":"2.0","id":2,"method":"x"}');
    if (!isGone) expect(answer).toMatchObject({ kind: "response", value: { error: { code: -32000 } } });
    else expect(answer).toMatchObject({ sent: false });
    if (isGone) await until(() => exits.length === 1);
    expect([exits.length, server.of("ping").length]).toEqual([isGone ? 1 : 0, 1]);
  });

  test("the messages sent before it is open wait for it", async () => {
    const { promise: later, resolve: open } = Promise.withResolvers<void>();
    using server = serveHttp((seen) => (seen.message?.method === "initialize" ? later.then(() => mannered(seen)) : undefined));
    const { upstream, messages } = await connect(server, { initialize: false });
    upstream.forward(clientRequest('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'));
    upstream.forward(clientRequest('{"jsonrpc":"2.0","id":2,"method":"x"}'));
    await until(() => server.seen.length === 1);
    open();
    await until(() => messages.length === 2);
    expect(server.of("x")[0]?.headers.get("mcp-session-id")).toBe("session-1");
  });
});

test("P1: what was asked before the end of the session may still be answered, for a while", async () => {
  const { promise: go, resolve } = Promise.withResolvers<void>();
  using server = serveHttp((seen) => (seen.message?.method === "slow" ? go.then(() => mannered(seen)) : undefined));
  const { upstream, messages } = await connect(server);
  upstream.forward(clientRequest('{"jsonrpc":"2.0","id":4,"method":"slow"}'));
  await until(() => server.of("slow").length === 1);
  const closed = upstream.close();
  resolve();
  await closed;
  expect(messages.map((message) => message.kind === "response" && message.id)).toEqual(["4"]);
  expect(server.seen.at(-1)?.method).toBe("DELETE");
});

describe("streams of events", () => {
  test("P1: bring what belongs to a request before its reply, in order, and stay open however quiet", async () => {
    const streams: Stream[] = [];
    using server = serveHttp(({ message }) => {
      if (message?.method !== "long") return undefined;
      const opened = stream();
      streams.push(opened);
      return opened.response;
    });
    const { upstream, messages } = await connect(server);
    const answer = upstream.request("long", {}, { timeout: 60_000 });
    await until(() => streams.length === 1);
    const [opened] = streams as [Stream];
    opened.write(": a comment, to keep it open\n\n");
    for (let n = 0; n < 500; n++) opened.send({ jsonrpc: "2.0", method: "notifications/progress", params: { n } });
    opened.write('event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":9,"method":"roots/list"}\r\n\r\n');
    await until(() => messages.length === 501);
    expect(messages.slice(0, 500).map((message) => (message as unknown as { value: { params: { n: number } } }).value.params.n)).toEqual([
      ...Array(500).keys(),
    ]);
    upstream.forward(buildResult("9", { roots: [] }));
    await until(() => server.seen.some(({ message }) => message?.result?.roots !== undefined));
    opened.send({ jsonrpc: "2.0", id: server.of("long")[0]?.message.id, result: "done" });
    expect(await answer).toMatchObject({ kind: "result", result: "done" });
  });

  test("P4: that are cut off before the reply are taken up again where they were, after the time the server wants", async () => {
    const resumed: (string | null)[] = [];
    let first: Stream | undefined;
    using server = serveHttp(({ method, message, headers }) => {
      if (message?.method === "poll") {
        first = stream();
        first.write("id: 1\nretry: 20\ndata:\n\n"); // a priming event
        first.close();
        return first.response;
      }
      const from = headers.get("last-event-id");
      if (method !== "GET" || from === null) return undefined;
      resumed.push(from);
      const next = stream();
      if (from === "1") next.send({ jsonrpc: "2.0", method: "notifications/message", params: {} }, "2");
      else next.send({ jsonrpc: "2.0", id: server.of("poll")[0]?.message.id, result: "at last" }, "3");
      next.close();
      return next.response;
    });
    const { upstream, messages } = await connect(server);
    expect(await upstream.request("poll", {})).toMatchObject({ kind: "result", result: "at last" });
    expect(resumed).toEqual(["1", "2"]);
    expect(messages.map(({ kind }) => kind)).toEqual(["notification"]);
    expect(server.of("poll").length).toBe(1);
  });

  test("P4: that are cut off without an event id lose the reply, and say that the call may have happened", async () => {
    using server = serveHttp(({ message }) => {
      if (message?.method !== "tools/call") return undefined;
      const cut = stream();
      cut.send({ jsonrpc: "2.0", method: "notifications/progress", params: {} });
      cut.close();
      return cut.response;
    });
    const { upstream } = await connect(server);
    expect(await sendCall(upstream, { name: "t" })).toMatchObject({
      kind: "ended",
      sent: true,
      why: expect.stringContaining("closed the stream"),
    });
    expect(server.of("tools/call").length).toBe(1);
  });

  test("of the server's own bring its messages, are taken up again, and tell the end of the session", async () => {
    const opened: Stream[] = [];
    const asked: (string | null)[] = [];
    using server = serveHttp(({ method, headers }) => {
      if (method !== "GET") return undefined;
      asked.push(headers.get("last-event-id"));
      if (asked.length === 3) return new Response(null, { status: 404 });
      const next = stream();
      opened.push(next);
      return next.response;
    });
    const { messages, exits } = await connect(server);
    await until(() => opened.length === 1);
    opened[0]?.write("retry: 10\n");
    opened[0]?.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }, "a");
    await until(() => messages.length === 1);
    opened[0]?.close();
    await until(() => opened.length === 2);
    opened[1]?.close();
    await until(() => exits.length === 1);
    expect(asked).toEqual([null, "a", "a"]);
  });
});

describe("what nobody answers", () => {
  test("notifications leave in the order in which they came, and a request after them", async () => {
    using server = serveHttp();
    const { upstream, ask } = await connect(server);
    for (let n = 0; n < 40; n++) upstream.forward(notification(`{"jsonrpc":"2.0","method":"notifications/x","params":{"n":${n}}}`));
    await ask('{"jsonrpc":"2.0","id":1,"method":"after"}');
    const order = server.seen
      .filter(({ message }) => ["notifications/x", "after"].includes(message?.method))
      .map(({ message }) => message.params?.n);
    expect(order).toEqual([...Array(40).keys(), undefined]);
  });

  test("an answer of the client's overtakes a notification that the server holds back until it has it", async () => {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    using server = serveHttp(({ message }) => {
      if (message?.result !== undefined) resolve();
      if (message?.method === "notifications/held") return answered.then(() => new Response(null, { status: 202 }));
      return undefined;
    });
    const { upstream, ask } = await connect(server);
    upstream.forward(notification('{"jsonrpc":"2.0","method":"notifications/held"}'));
    upstream.forward(buildResult("5", {}));
    expect(await ask('{"jsonrpc":"2.0","id":1,"method":"x"}')).toMatchObject({ kind: "response" });
  });

  test("a cancellation is sent as a message, and the late reply still comes", async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    using server = serveHttp((seen) => (seen.message?.method === "slow" ? go.then(() => mannered(seen)) : undefined));
    const { upstream, messages } = await connect(server);
    upstream.forward(clientRequest('{"jsonrpc":"2.0","id":4,"method":"slow"}'));
    await until(() => server.of("slow").length === 1);
    upstream.forward(notification('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}'));
    await until(() => server.of("notifications/cancelled").length === 1);
    resolve();
    await until(() => messages.length === 1);
    expect(messages[0]).toMatchObject({ kind: "response", id: "4" });
  });
});

describe("sizes", () => {
  test("P1: a message of 8 MB passes in both directions, as JSON and as an event", async () => {
    using server = serveHttp((seen) => {
      if (seen.message?.method !== "event") return undefined;
      const opened = stream();
      opened.send({ jsonrpc: "2.0", id: seen.message.id, result: { params: seen.message.params } });
      opened.close();
      return opened.response;
    });
    const { upstream } = await connect(server);
    const big = "é".repeat(4_000_000);
    for (const method of ["json", "event"])
      expect(
        ((await upstream.request(method, { big })) as unknown as { result: { params: { big: string } } }).result.params.big === big,
      ).toBe(true);
  });

  test("a message above the limit is passed over and told, and the connection goes on", async () => {
    using server = serveHttp(({ message }) => {
      const reply = { jsonrpc: "2.0", id: message?.id, result: "x".repeat(20_000) };
      if (message?.method === "big-json") return json(reply);
      if (message?.method !== "big-event") return undefined;
      const opened = stream();
      opened.send(reply);
      opened.close();
      return opened.response;
    });
    const { upstream } = await connect(server, { maxMessage: 10_000 });
    expect(await upstream.request("big-json", {})).toMatchObject({ kind: "error" });
    expect(await upstream.request("big-event", {})).toMatchObject({ kind: "error" });
    expect(await upstream.request("small", {})).toMatchObject({ kind: "result" });
  });
});
