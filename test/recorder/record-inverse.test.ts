// How does a step of an undo end? Whatever the server answers: what wasn't read back isn't undone, and both actions settle together.
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordRule } from "../../src/core/rule-record.ts";
import type { State } from "../../src/core/state.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { openJournal } from "../../src/journal/open.ts";
import { createLocks } from "../../src/recorder/locks.ts";
import { type InverseRequest, recordInverse } from "../../src/recorder/record-inverse.ts";
import type { Recorder } from "../../src/recorder/recorder.ts";
import type { Answer } from "../../src/upstream/upstream.ts";
import { intended, newIntent, newRun } from "../journal/calls.ts";
import { answerOf, type FakeServer, fakeServer, until } from "../proxy/fixture.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Scene {
  readonly journal: Journal;
  readonly server: FakeServer;
  readonly recorder: Recorder;
  readonly request: InverseRequest;
}

const OLD: State = { kind: "present", value: { key: "a", value: "old" } };
const NEW: State = { kind: "present", value: { key: "a", value: "new" } };

/** An applied write to note `a`, and the undo that is to put it back. */
async function prepare(facts: Partial<InverseRequest> = {}): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "synartesis-inverse-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const journal = await openJournal({ file: join(folder, "journal.db"), mode: "create" });
  cleanups.push(() => journal.close());
  const { id: run } = await journal.openRun(newRun());
  const id = await intended(journal, newIntent(run));
  await journal.settle(id, { status: "applied", reason: null });
  const undo = await journal.openRun(newRun({ kind: "undo", undoes: run }));
  const server = fakeServer();
  server.notes = undefined;
  const recorder = {
    journal,
    upstream: server,
    locks: createLocks(journal),
    clock: Date.now,
    log: { log: () => {} },
    readTimeout: 1000,
    meta: undefined,
    roots: null,
    other: async () => ({ kind: "failed" as const, why: "there is no other server" }),
  };
  const read = { server: "notes", tool: "get", args: { key: "a" } };
  const set = { server: "notes", tool: "set", args: { key: "a", value: "old" } };
  const original = { id, class: "reversible" as const, resources: ["notes:a"], rule: recordRule("unmentioned") };
  const rules = { ignore: [], sets: [], identity: [], relevant: undefined };
  const calls = [{ call: set, governing: "unmentioned" as const }];
  const own = {
    remainder: () => [],
    done: 0,
    confirmation: undefined,
    renew: undefined,
    after: undefined,
    undoneAs: "put-back",
    redoes: undefined,
  } as const;
  return { journal, server, recorder, request: { run: undo.id, original, rules, ...own, calls, read, now: NEW, meant: OLD, ...facts } };
}

/** Sends the inverse, gives these answers to it and to the read-back, and tells how it ended and what the record says. */
async function endOf(answers: readonly Answer[], facts: Partial<InverseRequest> = {}) {
  const { journal, server, recorder, request } = await prepare(facts);
  const ending = recordInverse(recorder, request);
  for (const [index, answer] of answers.entries()) {
    await until(() => server.own.length > index);
    server.own[index]?.give(answer);
  }
  const end = await ending;
  const original = await journal.action(request.original.id);
  const [step] = await journal.undosOf(original.id);
  return { end, original: `${original.status} ${original.reason}`, step: `${step?.status} ${step?.reason}`, calls: server.own.length };
}

const DONE = answerOf({ ok: true });
const REFUSED = answerOf({ error: "not now" }, true);
const shows = (value: string) => answerOf({ key: "a", value });

test.each([
  ["it is as meant", [DONE, shows("old")], {}, { kind: "undone", verified: true }, "undone put-back", "applied null"],
  [
    "it is something else",
    [DONE, shows("odd")],
    {},
    { kind: "stuck", reason: "read-back-differs" },
    "stuck read-back-differs",
    "applied null",
  ],
  [
    "nothing changed, however often it is read",
    [DONE, shows("new"), shows("new"), shows("new"), shows("new")],
    {},
    { kind: "stuck", reason: "read-back-differs" },
    "stuck read-back-differs",
    "applied null",
  ],
  [
    "it is as meant once the read has caught up",
    [DONE, shows("new"), shows("old")],
    {},
    { kind: "undone", verified: true },
    "undone put-back",
    "applied null",
  ],
  [
    "a thing that was offset is answered with an error that no word of the policy names",
    [DONE, REFUSED],
    { meant: undefined },
    { kind: "undone", verified: false },
    "undone compensated",
    "applied null",
  ],
  [
    "a thing that was put back is answered with an error that no word of the policy names",
    [DONE, REFUSED],
    {},
    { kind: "stuck", reason: "read-back-failed" },
    "stuck read-back-failed",
    "applied null",
  ],
  [
    "it can't be read",
    [DONE, { kind: "timeout", milliseconds: 9 }],
    {},
    { kind: "stuck", reason: "read-back-failed" },
    "stuck read-back-failed",
    "applied null",
  ],
  [
    "the server says no and nothing changed",
    [REFUSED, shows("new")],
    {},
    { kind: "refused" },
    "applied inverse-failed",
    "failed tool-error",
  ],
  [
    "the server says no and it is as meant",
    [REFUSED, shows("old")],
    {},
    { kind: "undone", verified: true },
    "undone put-back",
    "applied tool-error",
  ],
  [
    "the server says no and it is something else",
    [REFUSED, shows("odd")],
    {},
    { kind: "stuck", reason: "inverse-failed" },
    "stuck inverse-failed",
    "applied tool-error",
  ],
  ["the server ends", [{ kind: "ended" }], {}, { kind: "unknown", reason: "server-ended" }, "unknown server-ended", "unknown server-ended"],
  [
    "an offset that no read shows",
    [DONE],
    { read: undefined, now: undefined, meant: undefined },
    { kind: "undone", verified: false },
    "undone compensated",
    "applied null",
  ],
  [
    "an offset that changed what was there",
    [DONE, shows("gone")],
    { meant: undefined },
    { kind: "undone", verified: true },
    "undone put-back",
    "applied null",
  ],
  [
    "an offset that changed nothing",
    [DONE, shows("new"), shows("new"), shows("new"), shows("new")],
    { meant: undefined },
    { kind: "stuck", reason: "read-back-differs" },
    "stuck read-back-differs",
    "applied null",
  ],
  [
    "an offset that is refused, unseen",
    [REFUSED],
    { read: undefined, now: undefined, meant: undefined },
    { kind: "stuck", reason: "inverse-failed" },
    "stuck inverse-failed",
    "failed tool-error-unverified",
  ],
] as [string, Answer[], Partial<InverseRequest>, object, string, string][])(
  "P3: after the inverse, %s",
  async (_, answers, facts, end, original, step) => {
    const ended = await endOf(answers, facts);
    expect(ended).toMatchObject({ end, original, step, calls: answers.length });
  },
);

test("P3: a server that is gone is sent nothing, and the action stays applied", async () => {
  const { journal, server, recorder, request } = await prepare();
  server.alive = false;
  expect(await recordInverse(recorder, request)).toMatchObject({ kind: "refused" });
  expect(server.own).toEqual([]);
  expect((await journal.action(request.original.id)).status).toBe("applied");
});

test("P3: of two that claim one action, one sends and the other is told, having sent nothing", async () => {
  const { server, recorder, request } = await prepare();
  const both = [recordInverse(recorder, request), recordInverse(recorder, request)];
  await until(() => server.own.length === 1);
  server.own[0]?.give(DONE);
  await until(() => server.own.length === 2);
  server.own[1]?.give(shows("old"));
  const ends = await Promise.all(both);
  expect(ends.map(({ kind }) => kind).sort()).toEqual(["claim-lost", "undone"]);
  expect(server.own.filter(({ tool }) => tool === "set")).toHaveLength(1);
});

test("P2: when the inverse is sent the claim and the intent are written, and its key is the action's, whenever it is sent", async () => {
  const { journal, server, recorder, request } = await prepare();
  const ending = recordInverse(recorder, request);
  await until(() => server.own.length === 1);
  expect((await journal.action(request.original.id)).status).toBe("undoing");
  expect((await journal.undosOf(request.original.id)).map(({ status }) => status)).toEqual(["intended"]);
  expect(server.own[0]?.params["_meta"]).toEqual({ "synartesis/idempotency-key": `undo:${request.original.id}` });
  server.own[0]?.give({ kind: "ended" });
  await ending;
});
