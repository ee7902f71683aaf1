// What does one proxy do while another one, on the same journal, is at work on the same thing? It waits until that is seen to its end.
import { afterEach, expect, test } from "bun:test";
import { NOTES_RULES } from "../support/notes.ts";
import { answerOf, cancel, endSessions, type Scene, startSession, until } from "./fixture.ts";

afterEach(endSessions);

/** Two proxies of one journal; the first one's call on `a` has been answered to its agent, and the read of what it left hasn't come back. */
async function whileStateIsRead(): Promise<{ first: Scene; second: Scene; answerRead: () => void }> {
  const first = await startSession();
  const second = await startSession({ journalFile: first.journal.path });
  first.call(1, "set", { key: "a", value: "x" });
  await until(() => first.server.got.length === 1);
  first.server.notes = undefined; // from now on its reads are answered by hand
  first.reply(1, { key: "a", value: "x" });
  await first.answerTo(1);
  await until(() => first.server.own.length === 2);
  return { first, second, answerRead: () => first.server.own[1]?.give(answerOf({ key: "a", value: "x" })) };
}

test("P3: until what a call left has been read, no other proxy's change of that thing is sent; of other things, and reads, they are", async () => {
  const { second, answerRead } = await whileStateIsRead();
  second.call(1, "set", { key: "a", value: "y" });
  second.call(2, "get", { key: "a" });
  second.call(3, "set", { key: "b", value: "y" });
  await until(() => second.server.got.length === 2);
  expect(second.server.own.map(({ args }) => args["key"])).toEqual(["b"]);
  expect(second.server.got.every((text) => !text.includes('"id":1,'))).toBe(true);
  answerRead();
  await until(() => second.server.got.length === 3);
  expect(second.server.got[2]).toContain('"id":1,');
});

test("a call that is cancelled while it waits for another proxy is dropped: not sent, not answered, and recorded so", async () => {
  const { second, answerRead } = await whileStateIsRead();
  second.call(1, "set", { key: "a", value: "y" });
  second.call(2, "set", { key: "b", value: "y" });
  await until(() => second.server.got.length === 1); // the first one waits by then
  second.client(cancel(1));
  second.reply(2, { key: "b", value: "y" });
  await second.session.settled();
  expect(second.told.filter((text) => text.includes('"id":1'))).toEqual([]);
  expect(second.server.got).toHaveLength(1);
  expect(await second.actions()).toContainEqual(expect.objectContaining({ status: "failed", reason: "cancelled-before-sending" }));
  answerRead();
});

test("P6: calls at the same time through two proxies of one run can't be more together than a limit lets through", async () => {
  const rules = NOTES_RULES.replace('    resource: "note:$.key"\n', '    resource: "note:$.key"\n    limits: { per_run: 1 }\n');
  const first = await startSession({ rules, joinKey: "one" });
  const second = await startSession({ rules, joinKey: "one", journalFile: first.journal.path });
  for (const { server } of [first, second]) server.notes = undefined;
  first.call(1, "set", { key: "a", value: "x" });
  second.call(2, "set", { key: "b", value: "x" });
  await until(() => first.server.own.length === 1 && second.server.own.length === 1); // both are let through, and neither is written down
  for (const { server } of [first, second]) server.own[0]?.give(answerOf({ value: "old" }));
  const got = () => [...first.server.got, ...second.server.got].length;
  const told = () => [...first.told, ...second.told].filter((text) => text.includes("1 such calls in this run"));
  await until(() => got() === 1 && told().length === 1);
  expect((await first.actions()).map(({ status, reason }) => [status, reason])).toContainEqual(["held", "limit-reached"]);
});
