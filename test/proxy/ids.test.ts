// Which ids does a server see? The client's as they came, and for reads of our own others of the same JSON type, each once, never 0.
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { makeRaw, REVERSIBLE } from "../support/raw.ts";

const CALLS: [string, (number | string)[]][] = [
  ["numbers", [7, 8, 2_147_483_646]],
  ["texts", ["7", "seven", "synartesis"]],
];

test.each(CALLS)("P1: where the client's ids are %s, so are ours, and none of them is one of the client's", async (_, ids) => {
  using raw = makeRaw('{"value":"before"}', REVERSIBLE);
  await using agent = await Agent.start(raw);
  const sent = ids.map(
    (id, index) =>
      `{"id":${JSON.stringify(id)},"method":"tools/call", "params":{"name":"set","arguments":{"value":${index}}},"jsonrpc":"2.0"}`,
  );
  for (const [index, id] of ids.entries()) {
    const reply = await agent.await(id, () => agent.send(sent[index] ?? ""));
    expect(reply.id).toBe(id);
  }
  expect(await agent.end()).toBe(0);
  expect(raw.lines('"name":"set"')).toEqual(sent);
  const own = raw.lines('"name":"get"').map((line) => JSON.parse(line).id as number | string);
  expect(own).toHaveLength(2 * ids.length); // before and after each
  expect(new Set([...own, ...ids]).size).toBe(3 * ids.length);
  expect(new Set(own.map((id) => typeof id))).toEqual(new Set([typeof ids[0]]));
  expect(own).not.toContain(0);
  expect(agent.lines.map((line) => JSON.parse(line).id)).toEqual([1, ...ids]); // and no reply to ours reaches the client
});

test("P1: ids of ours fit into 32 bits, at the end that no client counts up to", async () => {
  using raw = makeRaw('{"value":"before"}', REVERSIBLE);
  await using agent = await Agent.start(raw);
  await agent.call("set", { value: 1 });
  await agent.end();
  const [ours] = raw.lines('"name":"get"').map((line) => JSON.parse(line).id as number);
  expect(ours).toBeGreaterThan(2 ** 31 - 2 ** 21);
  expect(ours).toBeLessThan(2 ** 31); // real servers decode ids as 32-bit integers
});
