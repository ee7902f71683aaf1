// What becomes of a tool call in its session? Cancelled, held, in turn with others, or with an outcome that can't be written down.
import { afterEach, expect, test } from "bun:test";
import { SynartesisError } from "../../src/errors.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { overridden } from "../journal/fixture.ts";
import { answerOf, cancel, endSessions, startSession, until } from "./fixture.ts";

afterEach(endSessions);

test("P2: a call cancelled during its snapshot is dropped: nothing is sent, nothing answered, and it is recorded as cancelled", async () => {
  const { session, server, told, call, client, actions } = await startSession();
  server.notes = undefined;
  call(1, "set", { key: "a", value: "x" });
  await until(() => server.own.length === 1);
  client(cancel(1));
  server.own[0]?.give(answerOf({ key: "a", value: "first" }));
  await session.settled();
  expect(server.got).toEqual([]);
  expect(told).toEqual([]);
  expect(await actions()).toEqual([{ tool: "set", status: "failed", reason: "cancelled-before-sending", postState: "none" }]);
});

test("P2: a call cancelled while it waits for the one before it is dropped, and the next one goes on", async () => {
  const { session, server, call, client, reply, answerTo, actions } = await startSession();
  call(1, "set", { key: "a", value: "1" });
  call(2, "set", { key: "a", value: "2" });
  call(3, "set", { key: "a", value: "3" });
  await until(() => server.got.length === 1);
  client(cancel(2));
  reply(1, {});
  await until(() => server.got.length === 2);
  reply(3, {});
  await answerTo(3);
  await session.settled();
  expect(server.got.map((text) => JSON.parse(text).id)).toEqual([1, 3]);
  const statuses = (await actions()).map(({ status, reason }) => [status, reason]);
  expect(statuses.sort()).toEqual([
    ["applied", null],
    ["applied", null],
    ["failed", "cancelled-before-sending"],
  ]);
});

test("P4: a call cancelled after it was sent: the server is told, its late reply still settles it, and it holds up nobody", async () => {
  const { session, server, call, client, reply, actions } = await startSession();
  call(1, "set", { key: "a", value: "1" });
  call(2, "set", { key: "a", value: "2" });
  await until(() => server.got.length === 1);
  client(cancel(1));
  await until(() => server.got.length === 3); // the cancellation, and the call behind it
  expect(server.got[1]).toBe(cancel(1));
  expect(JSON.parse(server.got[2] ?? "").id).toBe(2);
  reply(2, {});
  reply(1, {});
  await session.settled();
  expect((await actions()).map(({ status }) => status)).toEqual(["applied", "applied"]);
});

test("P4: a call cancelled after it was sent and never answered isn't called failed", async () => {
  const { server, call, client, ends, session, actions } = await startSession();
  call(1, "set", { key: "a", value: "1" });
  await until(() => server.got.length === 1);
  client(cancel(1));
  ends();
  await session.settled();
  expect((await actions()).map(({ status }) => status)).toEqual(["unknown"]);
});

test("P6: a call cancelled while it waits for the journal isn't answered, and holds nothing open", async () => {
  const gate = Promise.withResolvers<void>();
  const wait = (journal: Journal) => overridden(journal, { standing: async (key) => gate.promise.then(() => journal.standing(key)) });
  const { session, told, call, client } = await startSession({ wrapJournal: wait });
  call(1, "send", { to: "ada" });
  client(cancel(1));
  gate.resolve();
  await session.settled();
  expect(told).toEqual([]);
});

test("P3: two calls on one thing run one after the other; the second one's snapshot shows what the first one left", async () => {
  const { server, call, reply, answerTo, journal, session } = await startSession();
  call(1, "set", { key: "a", value: "1" });
  call(2, "set", { key: "a", value: "2" });
  await until(() => server.got.length === 1);
  expect(server.own).toHaveLength(1);
  server.notes = { a: "1" };
  reply(1, {});
  await answerTo(1);
  await until(() => server.got.length === 2);
  reply(2, {});
  await session.settled();
  const [run] = await journal.runs();
  const [first, second] = await journal.actions(run?.id ?? "");
  expect(await journal.value(first?.snapshot ?? "")).toEqual({ key: "a", value: "first" });
  expect(await journal.value(second?.snapshot ?? "")).toEqual({ key: "a", value: "1" });
});

test("P1: calls on two things, and reads, don't wait for each other", async () => {
  const { server, call } = await startSession();
  call(1, "set", { key: "a", value: "1" });
  call(2, "set", { key: "b", value: "2" });
  call(3, "get", { key: "a" });
  await until(() => server.got.length === 3);
  expect(server.got.map((text) => JSON.parse(text).id).sort()).toEqual([1, 2, 3]);
});

test("P3: the lock is kept until the state after a write is read, though the agent has its answer", async () => {
  const { server, call, reply, answerTo } = await startSession();
  call(1, "set", { key: "a", value: "1" });
  call(2, "set", { key: "a", value: "2" });
  await until(() => server.got.length === 1);
  server.notes = undefined;
  reply(1, {});
  await answerTo(1);
  await until(() => server.own.length === 2);
  expect(server.got).toHaveLength(1);
  server.own[1]?.give(answerOf({ key: "a", value: "1" }));
  await until(() => server.own.length === 3);
  server.own[2]?.give(answerOf({ key: "a", value: "1" }));
  await until(() => server.got.length === 2);
});

test("P1: the text of a held call is one text block without structuredContent, and names the command that approves it", async () => {
  const { call, answerTo } = await startSession();
  call(1, "send", { to: "ada" });
  const { result } = await answerTo(1);
  expect(Object.keys(result ?? {}).sort()).toEqual(["content", "isError"]);
  const [block] = (result?.["content"] as { type: string; text: string }[] | undefined) ?? [];
  expect(block?.type).toBe("text");
  const id = /^Request: (\w+)\./m.exec(block?.text ?? "")?.[1];
  expect(block?.text).toContain(`a person runs: approve ${id}`);
});

test("P5: a tool that no rule mentions is held; one that the server never listed as well, with that reason", async () => {
  const { client, says, call, answerTo, server, actions } = await startSession();
  call(1, "unheard-of", {});
  await answerTo(1);
  client('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  says('{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"known"}],"nextCursor":"2"}}');
  client('{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"2"}}');
  says('{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"later"}]}}');
  call(4, "known", {});
  call(5, "later", {});
  call(6, "nowhere", {});
  await Promise.all([answerTo(4), answerTo(5), answerTo(6)]);
  expect(server.got.map((text) => JSON.parse(text).method)).toEqual(["tools/list", "tools/list"]);
  expect((await actions()).map(({ tool, reason }) => `${tool} ${reason}`).sort()).toEqual([
    "known unmentioned",
    "later unmentioned",
    "nowhere tool-unlisted",
    "unheard-of unmentioned",
  ]);
});

test("P3: a write whose state can't be read beforehand is refused with that reason, and not sent", async () => {
  const { server, call, answerTo, actions } = await startSession();
  server.notes = undefined;
  call(1, "set", { key: "a", value: "x" });
  await until(() => server.own.length === 1);
  server.own[0]?.give({ kind: "timeout", milliseconds: 1000 });
  expect(JSON.stringify((await answerTo(1)).result)).toContain("did not answer within 1 s");
  expect(server.got).toEqual([]);
  expect(await actions()).toEqual([{ tool: "set", status: "denied", reason: "snapshot-failed", postState: "none" }]);
});

test("P2: where the intent can't be written the call isn't sent, and the agent is told why; reads still pass", async () => {
  const refuse = async () => {
    throw new SynartesisError("journal-unusable", "The disk is full.", { hint: "Make room" });
  };
  const { server, call, reply, answerTo } = await startSession({ wrapJournal: (journal) => overridden(journal, { intend: refuse }) });
  call(1, "set", { key: "a", value: "x" });
  const text = JSON.stringify((await answerTo(1)).result);
  expect(text).toContain("was not sent");
  expect(text).toContain("The disk is full. Make room");
  expect(server.got).toEqual([]);
  call(2, "get", { key: "a" });
  await until(() => server.got.length === 1);
  reply(2, { key: "a" });
  expect((await answerTo(2)).result?.["structuredContent"]).toEqual({ key: "a" });
});

test("P2: where the outcome can't be written the agent gets the server's own answer, with a warning and no error", async () => {
  const refuse = async () => {
    throw new SynartesisError("journal-unusable", "The disk is full.");
  };
  const { server, call, reply, answerTo, session } = await startSession({
    wrapJournal: (journal) => overridden(journal, { settle: refuse }),
  });
  call(1, "set", { key: "a", value: "x" });
  await until(() => server.got.length === 1);
  reply(1, { key: "a", value: "x" });
  const { result } = await answerTo(1);
  expect(result?.["structuredContent"]).toEqual({ key: "a", value: "x" });
  expect(result?.["isError"]).toBeUndefined();
  const blocks = (result?.["content"] as { text: string }[] | undefined) ?? [];
  expect(blocks[0]?.text).toBe('{"key":"a","value":"x"}');
  expect(blocks[1]?.text).toContain("its outcome is not recorded (The disk is full.)");
  await session.settled();
});

test("P6: an approval is for what the call says besides its arguments, too, and that is shown", async () => {
  const { client, answerTo, server, journal, session, reply } = await startSession();
  const send = (id: number, more: object) =>
    client(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "send", arguments: { to: "ada" }, ...more } }));
  send(1, { _meta: { progressToken: 1, "claudecode/toolUseId": "toolu_1" } });
  await answerTo(1);
  const [plain] = await journal.waiting();
  expect(plain?.detail).toBeNull();
  await journal.approve(plain?.id ?? "", "ada", 60_000);
  const others = [{ _meta: { impersonate: "root" } }, { task: { ttl: 1 } }, { extra: true }];
  for (const [at, more] of others.entries()) {
    send(2 + at, more);
    await answerTo(2 + at);
  }
  expect(server.got).toEqual([]);
  expect((await journal.waiting()).map(({ detail }) => detail)).toEqual(others.map((more) => JSON.stringify(more)));
  send(9, { _meta: { progressToken: 9, "claudecode/toolUseId": "toolu_2", "io.modelcontextprotocol/x": 1 } });
  await until(() => server.got.length === 1);
  reply(9, { sent: true });
  await session.settled();
});

test("a call that is answered by a denial, or by what waits in another run, is in the record of its own run", async () => {
  const { call, answerTo, actions, journal } = await startSession();
  const other = await startSession();
  call(1, "send", { to: "ada" });
  await answerTo(1);
  const [held] = await journal.waiting();
  await journal.deny(held?.id ?? "", "ada", "not her");
  call(2, "send", { to: "ada" });
  await answerTo(2);
  expect(await actions()).toMatchObject([
    { status: "denied", reason: "by-person" },
    { status: "denied", reason: "by-person" },
  ]);
  other.call(1, "send", { to: "bob" });
  await other.answerTo(1);
  expect(await other.actions()).toMatchObject([{ status: "held" }]);
});

test("P5: a call that can't be judged is answered with a refusal, recorded and not sent, and the next one passes", async () => {
  const { session, server, call, reply, answerTo, actions } = await startSession({
    rules: `
  - { match: notes.set, class: irreversible, gate: never, args: { properties: { key: { const: { a: 1 } } } } }
  - { match: notes.get, class: readonly, args: { properties: { key: { const: { a: 1 } } } } }
`,
  });
  // The schema's library compares such a member by calling it.
  for (const [id, tool] of ["set", "get"].entries()) call(id, tool, { key: { valueOf: 1 } });
  for (const id of [0, 1]) expect((await answerTo(id)).result).toMatchObject({ isError: true });
  call(2, "set", { key: { a: 1 } });
  await until(() => server.got.length === 1);
  reply(2, {});
  await session.settled();
  expect(server.got.map((text) => JSON.parse(text).id)).toEqual([2]);
  const ends = (await actions()).map(({ tool, status, reason }) => [tool, status, reason]);
  expect(ends.sort()).toEqual([
    ["get", "denied", "journal-refused"],
    ["set", "denied", "journal-refused"],
    ["set", "permanent", "irreversible"],
  ]);
});
