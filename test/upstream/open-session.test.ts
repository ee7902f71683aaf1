import { afterEach, expect, test } from "bun:test";
import { clientlessEvents, openSession } from "../../src/upstream/open-session.ts";
import { Witness } from "../../src/upstream/witness.ts";
import { endStarted, startOdd } from "./fixture.ts";

afterEach(endStarted);

const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

test("a session opens on a server that talks before it has answered", async () => {
  const { upstream } = await startOdd(["--chatty"]);
  expect(await openSession(upstream, HELLO)).toMatchObject({ kind: "opened", result: { serverInfo: { name: "odd" } } });
  expect(await upstream.request("seen", {})).toMatchObject({
    result: [{ method: "initialize", params: HELLO }, { method: "notifications/initialized" }, {}],
  });
});

test("a server that dies before it has answered fails with its last words", async () => {
  const { upstream } = await startOdd(["--die"]);
  expect(await openSession(upstream, HELLO)).toEqual({
    kind: "failed",
    reason: "the server ended; it printed last:\nError: set TOKEN first",
  });
});

test("a server that fails says how: its exit code or signal, what it printed on stdout, or that it only sends back", async () => {
  const how = async (...args: string[]) => {
    const witness = new Witness();
    const { upstream } = await startOdd([], { command: "sh", args: ["-c", ...args], events: clientlessEvents([], witness) });
    const opened = await openSession(upstream, HELLO, { witness });
    return opened.kind === "failed" ? opened.reason : "opened";
  };
  expect(await how("exit 3")).toBe("the server ended with exit code 3 (it printed nothing)");
  expect(await how("kill -9 $$")).toBe("the server was ended by SIGKILL (it printed nothing)");
  expect(await how("echo 'usage: serve PORT'; echo why >&2; exit 1")).toBe(
    "the server ended with exit code 1; on stdout it printed what is no MCP:\nusage: serve PORT\nand on stderr last:\nwhy",
  );
  expect(await how("exec cat")).toContain("it sends back what it is sent, so it doesn't speak MCP");
});

test("a server that never answers fails in time", async () => {
  const { upstream } = await startOdd([], { command: "sleep", args: ["60"] });
  expect(await openSession(upstream, HELLO, { timeout: 50 })).toEqual({
    kind: "failed",
    reason: "no answer within 0.05 s (it printed nothing)",
  });
});

test("without a client, roots are answered as given and what else the server asks is refused", async () => {
  const { upstream } = await startOdd([], { events: clientlessEvents([{ uri: "file:///r" }]) });
  expect(await upstream.request("ask", {})).toMatchObject({ result: { roots: [{ uri: "file:///r" }] } });
  expect(await upstream.request("askMore", {})).toMatchObject({ result: { code: -32601 } });
});

test("the tools of all pages are listed, entries without a name left out", async () => {
  const { upstream } = await startOdd();
  const list = await upstream.listTools();
  expect(list).toMatchObject({ kind: "tools", tools: [{ name: "one" }, { name: "two", annotations: { readOnlyHint: true } }] });
});

test("a list that never ends is a failure, never half a list", async () => {
  const { upstream } = await startOdd(["--loop"]);
  expect(await upstream.listTools()).toMatchObject({ kind: "failed" });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

test("a hello of the modern era asks the server who it is, without initialize; each further request says who asks", async () => {
  const { upstream } = await startOdd(["--modern"]);
  const session = await openSession(upstream, { _meta: META });
  expect(session).toMatchObject({ kind: "opened", info: { name: "modern", version: "2" }, meta: META, result: { asked: { _meta: META } } });
  await upstream.listTools({ meta: META });
  const seen = await upstream.request("seen", {});
  expect(seen).toMatchObject({
    result: [{ method: "server/discover" }, { params: { _meta: META } }, { params: { _meta: META, cursor: "2" } }, {}],
  });
});

test("a server that refuses initialize is tried in the modern era", async () => {
  const { upstream } = await startOdd(["--modern"]);
  expect(await openSession(upstream, HELLO)).toMatchObject({ kind: "opened", info: { name: "modern" }, meta: META });
});

test("a server that refuses server/discover is told the same by initialize", async () => {
  const { upstream } = await startOdd();
  expect(await openSession(upstream, { _meta: META })).toMatchObject({ kind: "opened", info: { name: "odd" }, meta: undefined });
});
