import { expect, test } from "bun:test";
import { type Stream, serveHttp, stream } from "../../support/http-server.ts";
import { until } from "../fixture.ts";
import { connect } from "./fixture.ts";

/** A server of 2024-11-05: a stream on GET, messages to where its first event says. */
function serveOld(endpoint = "/messages?session=1", status = 405) {
  const streams: Stream[] = [];
  const server = serveHttp(({ method, path, message }) => {
    if (method === "GET" && path === "/mcp") {
      const opened = stream();
      opened.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      streams.push(opened);
      return opened.response;
    }
    if (path !== "/messages")
      return new Response("<html><title>Nothing here</title>", { status, headers: { "content-type": "text/html" } });
    const result =
      message.method === "initialize" ? { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: {} } : { asked: message.method };
    if (message.id !== undefined) streams.at(-1)?.send({ jsonrpc: "2.0", id: message.id, result });
    return new Response("Accepted", { status: 202 });
  });
  return { server, streams };
}

test.each([400, 404, 405])("P1: a server that answers the first POST with %i is spoken to over its old stream", async (status) => {
  const { server, streams } = serveOld(undefined, status);
  using _ = server;
  const { upstream, ask, messages } = await connect(server);
  expect(await ask('{"jsonrpc":"2.0","id":1,"method":"x"}')).toMatchObject({ value: { result: { asked: "x" } } });
  streams[0]?.send({ jsonrpc: "2.0", method: "notifications/message", params: {} });
  await until(() => messages.length === 2);
  expect(await upstream.request("y", {})).toMatchObject({ kind: "result", result: { asked: "y" } });
  expect(server.seen.filter(({ path, method }) => path === "/mcp" && method === "POST").length).toBe(1);
});

test("P4: the end of the old stream is the end of the session, and loses what is in flight", async () => {
  const { server, streams } = serveOld();
  using _ = server;
  const { upstream, exits } = await connect(server);
  const answer = server.answer;
  server.answer = (seen) => (seen.message?.method === "slow" ? new Response(null, { status: 202 }) : answer(seen));
  const ours = upstream.request("slow", {});
  await until(() => server.of("slow").length === 1);
  streams[0]?.close();
  expect(await ours).toEqual({ kind: "ended" });
  expect(exits.map(({ lastWords }) => lastWords)).toEqual(["the server closed its stream"]);
});

test("an endpoint on another origin is not believed, and nothing is sent there", async () => {
  using elsewhere = serveHttp();
  const { server } = serveOld(elsewhere.url.href);
  using _ = server;
  const { ask } = await connect(server, { initialize: false });
  const loss = await ask('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
  expect(loss).toMatchObject({ sent: false, why: expect.stringContaining("another origin") });
  expect(elsewhere.seen).toEqual([]);
});

test("a server of neither transport is told by what it answered first", async () => {
  using server = serveHttp(
    () => new Response("<html><title>404 Not Found</title>", { status: 404, headers: { "content-type": "text/html" } }),
  );
  const { ask } = await connect(server, { initialize: false });
  const loss = await ask('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
  expect(loss).toMatchObject({ sent: false, why: expect.stringMatching(/HTTP 404.*a web page, "404 Not Found".*nor is it an old/) });
});
