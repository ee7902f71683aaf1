// What if calls on one thing come at once: in one packet, fifty at a time, or through two proxies? Each step has its own before and left.
import { expect, test } from "bun:test";
import type { Journal } from "../../src/journal/journal.ts";
import { openJournal } from "../../src/journal/open.ts";
import { Agent, crashWithServers } from "../support/agent.ts";
import { expectIntact, journalFile, stepsOf, undo, until } from "../support/documents.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";

const BEFORE = { a: "first", b: "second", c: "third" };

/** What each change of a thing, through whichever proxy, found and left, in the order in which they were written down; and its run. */
async function changesOf(notes: NotesSandbox, key: string) {
  const journal = await openJournal({ file: journalFile(notes), mode: "existing" });
  try {
    const changes = (await journal.actionsSince(0)).filter(({ resources }) => resources.includes(`notes:note:${key}`));
    return await Promise.all(
      changes.map(async ({ run, snapshot, post }) => ({ run, found: await noteIn(journal, snapshot), left: await noteIn(journal, post) })),
    );
  } finally {
    await journal.close();
  }
}

async function noteIn(journal: Journal, digest: string | null): Promise<unknown> {
  const state = digest === null ? null : await journal.value(digest);
  return (state as { value?: unknown } | null)?.value; // the notes server's results are objects
}

async function chainOf(notes: NotesSandbox, key: string): Promise<unknown[]> {
  return (await changesOf(notes, key)).map(({ found, left }) => [found, left]);
}

test("P3: two writes to one note in one packet are undone, each to what it had found", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const set = (id: number, value: string) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "set", arguments: { key: "a", value } } });
  const second = agent.await(102, () => undefined);
  await agent.await(101, () => agent.send(`${set(101, "x")}\n${set(102, "y")}`));
  await second;
  expect(await agent.end()).toBe(0);
  expect(await chainOf(notes, "a")).toEqual([
    ["first", "x"],
    ["x", "y"],
  ]);
  expect(stepsOf(await undo(notes))).toEqual([
    [2, "restore", "undone"],
    [1, "restore", "undone"],
  ]);
  expect(notes.state().notes).toEqual(BEFORE);
});

test("P3: fifty writes to ten notes at once are undone completely", async () => {
  using notes = makeNotes();
  const before = Object.fromEntries(Array.from({ length: 10 }, (_, number) => [`k${number}`, `old ${number}`]));
  notes.setState({ next: 1, notes: before, sent: [] });
  await using agent = await Agent.start(notes);
  await Promise.all(Array.from({ length: 50 }, (_, number) => agent.call("set", { key: `k${number % 10}`, value: `new ${number}` })));
  expect(await agent.end()).toBe(0);
  const undone = await undo(notes);
  expect(undone).toMatchObject({ state: "undone", outstanding: [] });
  expect(undone.steps.map(({ end }) => end)).toEqual(Array.from({ length: 50 }, () => "undone"));
  expect(notes.state().notes).toEqual(before);
});

test("P3: writes of two proxies on one note: each found what the one before had left, whichever proxy that came through", async () => {
  using notes = makeNotes();
  await using first = await Agent.start(notes);
  await using second = await Agent.start(notes);
  const writes = Array.from({ length: 20 }, (_, number) => `value ${number}`);
  await Promise.all(writes.map((value, number) => (number % 2 === 0 ? first : second).call("set", { key: "a", value })));
  expect([await first.end(), await second.end()]).toEqual([0, 0]);
  const chain = await changesOf(notes, "a");
  expect(chain.map(({ left }) => left).toSorted()).toEqual(writes.toSorted());
  expect(chain.map(({ found }) => found)).toEqual(["first", ...chain.slice(0, -1).map(({ left }) => left)]);
  await expectIntact(notes);
});

test("P3: what two agents did in turn to one note is undone agent by agent, the later one first", async () => {
  using notes = makeNotes();
  await using first = await Agent.start(notes);
  await using second = await Agent.start(notes);
  await first.call("set", { key: "a", value: "x" });
  await second.call("set", { key: "a", value: "y" });
  expect([await first.end(), await second.end()]).toEqual([0, 0]);
  const [earlier = "", later = ""] = (await changesOf(notes, "a")).map(({ run }) => run);
  expect(stepsOf(await undo(notes, earlier, "--dry-run"))).toEqual([[1, "conflict", null]]);
  expect(stepsOf(await undo(notes, later))).toEqual([[1, "restore", "undone"]]);
  expect(notes.state().notes).toMatchObject({ a: "x" });
  expect(stepsOf(await undo(notes, earlier))).toEqual([[1, "restore", "undone"]]);
  expect(notes.state().notes).toEqual(BEFORE);
});

test("P3: a slow call keeps another proxy's call on its thing waiting, and nothing else", async () => {
  using notes = makeNotes();
  await using first = await Agent.start(notes);
  await using second = await Agent.start(notes);
  notes.trouble("set", "wait-after");
  const slow = first.call("set", { key: "a", value: "x" });
  await until("the slow call is carried out", () => notes.state().notes["a"] === "x");
  const waiting = second.call("set", { key: "a", value: "y" });
  await second.call("set", { key: "b", value: "z" });
  expect((await second.call("get", { key: "a" })).structuredContent).toEqual({ key: "a", value: "x" });
  expect(notes.received().filter(({ name, args }) => name === "set" && args["value"] === "y")).toEqual([]);
  notes.letAnswer("set");
  await Promise.all([slow, waiting]);
  expect([await first.end(), await second.end()]).toEqual([0, 0]);
  expect(await chainOf(notes, "a")).toEqual([
    ["first", "x"],
    ["x", "y"],
  ]);
});

test("P3: a proxy that is killed in the middle of a call keeps nobody else waiting", async () => {
  using notes = makeNotes();
  await using first = await Agent.start(notes);
  await using second = await Agent.start(notes);
  notes.trouble("set", "hang-after");
  first.call("set", { key: "a", value: "x" }).catch(() => undefined); // never answered
  await until("the call is carried out", () => notes.state().notes["a"] === "x");
  const waiting = second.call("set", { key: "a", value: "y" });
  await crashWithServers(await first.proxyPid());
  await waiting;
  expect(await second.end()).toBe(0);
  expect(await chainOf(notes, "a")).toEqual([
    ["first", undefined],
    ["x", "y"],
  ]);
});
