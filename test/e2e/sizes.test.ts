// How large and how many may messages be? Up to the limit, both ways, in order and unchanged, with memory a small multiple of the largest one.
import { expect, test } from "bun:test";
import { Agent, textOf } from "../support/agent.ts";
import { actions, expectIntact } from "../support/documents.ts";
import { MIB, makeSizes, peakOf } from "../support/sizes.ts";

test("P1: results and arguments of 20 MiB pass both ways, a read's and a change's, and are recorded", async () => {
  using sandbox = makeSizes();
  const agent = await Agent.start(sandbox);
  const size = 20 * MIB;
  expect(textOf(await agent.call("give", { size }))).toHaveLength(size);
  expect(textOf(await agent.call("take", { text: "y".repeat(size) }))).toBe(String(size));
  expect(textOf(await agent.call("put", { text: "z".repeat(size) }))).toBe("kept");
  expect((await agent.call("kept")).structuredContent).toEqual({ length: size });
  expect(await agent.end()).toBe(0);
  expect((await actions(sandbox)).map(({ tool, status }) => `${tool} ${status}`)).toEqual([
    "give applied",
    "take applied",
    "put applied",
    "kept applied",
  ]);
  await expectIntact(sandbox);
});

const LARGE: [string, string, object][] = [
  ["a large result", "give", { size: 16 * MIB }],
  ["a read with large arguments", "take", { text: "x".repeat(16 * MIB) }],
  ["a change with large arguments", "put", { text: "x".repeat(16 * MIB) }],
];
test.skipIf(process.platform !== "linux").each(LARGE)("memory stays under four times the largest message: %s", async (_, tool, args) => {
  using sandbox = makeSizes();
  await using agent = await Agent.start(sandbox);
  await agent.call("take", { text: "small" });
  const pid = await agent.proxyPid();
  const idle = peakOf(pid);
  await agent.call(tool, args);
  await agent.call("kept"); // what is done after the answer has been done by now
  expect(peakOf(pid) - idle).toBeLessThan(4 * 16);
});

test("P1: a burst of 10,000 notifications arrives whole and in order, before the answer that follows it", async () => {
  using sandbox = makeSizes();
  await using agent = await Agent.start(sandbox);
  const count = 10_000;
  await agent.call("burst", { count });
  const messages = agent.lines.map((line) => JSON.parse(line) as { method?: string; params?: { data: number } });
  const numbers = messages.filter(({ method }) => method === "notifications/message").map(({ params }) => params?.data);
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index));
});

test("P1: int64 numbers, __proto__ and UTF-8 that arrives byte by byte pass unchanged", async () => {
  using sandbox = makeSizes();
  await using agent = await Agent.start(sandbox);
  await agent.call("raw");
  expect(agent.lines.at(-1)).toEndWith(
    ',"result":{"content":[{"type":"text","text":"ä€𝄞"}],"structuredContent":{"big":9223372036854775807,"__proto__":{"a":1},"x":1.0}}}',
  );
});

test("P1: a message above --max-message gets an error with its own id, and the session goes on", async () => {
  using sandbox = makeSizes();
  await using agent = await Agent.start(sandbox, ["--max-message", "1MiB"]);
  const tooLarge = await agent.request("tools/call", { name: "take", arguments: { text: "x".repeat(2 * MIB) } });
  expect(tooLarge.error?.message).toContain("--max-message");
  const lost = await agent.request("tools/call", { name: "give", arguments: { size: 2 * MIB } });
  expect(lost.error?.message).toContain("longer than 1048576 bytes (--max-message)");
  expect(textOf(await agent.call("take", { text: "small" }))).toBe("5");
});
