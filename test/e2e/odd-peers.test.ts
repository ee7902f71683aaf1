// Clients and servers that are odd, and within their rights or not: ids used twice, ids as doubles, a client that never reads.
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { actions, runs } from "../support/documents.ts";
import { makeNotes } from "../support/notes.ts";
import { BUN, EXECUTABLE, makeSandbox } from "../support/sandbox.ts";

test("P4: a request with the id of a call under way doesn't take its place, and the call is settled", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("set", "wait-after");
  const answers = agent.await(77, () =>
    agent.send({ jsonrpc: "2.0", id: 77, method: "tools/call", params: { name: "set", arguments: { key: "a", value: "1" } } }),
  );
  agent.send({ jsonrpc: "2.0", id: 77, method: "ping" });
  expect((await answers).error?.message).toContain("in use");
  notes.letAnswer("set");
  expect((await agent.call("set", { key: "a", value: "2" })).isError).toBeUndefined();
  await agent.end();
  expect((await actions(notes)).map(({ status }) => status)).toEqual(["applied", "applied"]);
  expect(agent.lines.filter((line) => line.includes('"id":77')).length).toBe(2);
});

const DOUBLES = `
const say = (id, result) => console.log(\`{"jsonrpc":"2.0","id":\${id}.0,"result":\${JSON.stringify(result)}}\`);
for await (const line of console) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === "initialize") say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "doubles", version: "1" } });
  else say(id, { content: [{ type: "text", text: "ok" }] });
}`;

test("P1: a server that answers 7.0 to 7 is understood, and its answer passes as it is", async () => {
  using sandbox = makeSandbox();
  const server = sandbox.write("doubles.js", DOUBLES);
  sandbox.write(
    "synartesis.yaml",
    `version: 1\nservers:\n  d: { command: ${JSON.stringify(BUN)}, args: [${JSON.stringify(server)}] }\ntools:\n  - { match: "d.*", class: readonly }\n`,
  );
  await using agent = await Agent.start(sandbox);
  await agent.call("anything");
  expect(agent.lines.at(-1)).toContain('"id":2.0,');
  await agent.end();
  expect((await actions(sandbox)).map(({ status }) => status)).toEqual(["applied"]);
});

test("P6: a call whose bytes are no UTF-8 is refused: what a person would see of it isn't what would be sent", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const call = Buffer.from('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"send","arguments":{"to":"caf?"}}}\n');
  call[call.indexOf("?")] = 0xe9;
  const reply = await agent.await(9, () => {
    agent.child.stdin.write(call);
    agent.child.stdin.flush();
  });
  expect(JSON.stringify(reply.result)).toContain("no UTF-8");
  expect(notes.received()).toEqual([]);
});

test("P2: a client that never reads can't keep the proxy, or its run, alive", async () => {
  using notes = makeNotes();
  notes.setState({ next: 1, notes: { a: "x".repeat(2_000_000) }, sent: [] });
  const child = Bun.spawn([EXECUTABLE, "proxy"], { cwd: notes.folder, env: notes.env, stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "deaf", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`);
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "get", arguments: { key: "a" } } })}\n`,
  );
  child.stdin.flush();
  while (notes.received().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect((await runs(notes)).map(({ state }) => state)).toEqual(["ended"]);
});
