// How does a changing call end in the record? Each way in which a server can answer, by the rule and by what is there afterwards.
import { afterEach, expect, test } from "bun:test";
import type { Action } from "../../src/journal/journal.ts";
import { answerOf, endSessions, resultOf, type Scene, startSession, until } from "../proxy/fixture.ts";

afterEach(endSessions);

const RULES = `
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }
    resource: "note:$.key"
    failed_when: ["Error: *"]
  - match: "notes.retitle"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.retitle", args: { key: "$.key", title: "$snapshot.title" } }
  - match: "notes.create"
    class: compensable
    inverse: { tool: "notes.remove", args: { key: "$result.key" } }
    observe: { tool: "notes.get", args: { key: "$result.key" }, absent_when: ["no such note"] }
    resource: "note:$result.key"
  - { match: "notes.send", class: irreversible, gate: never }
`;

/** Makes one call, whose reply is the given text of a result or an error, and gives what the record says of it. */
async function outcomeOf(tool: string, reply: string, during: (scene: Scene) => void = () => {}): Promise<Action> {
  const scene = await startSession({ rules: RULES });
  scene.call(1, tool, { key: "a", value: "new" });
  await until(() => scene.server.got.length === 1);
  during(scene);
  scene.says(`{"jsonrpc":"2.0","id":1,${reply}}`);
  await scene.session.settled();
  const [run] = await scene.journal.runs();
  const [action] = await scene.journal.actions(run?.id ?? "");
  if (action === undefined) throw new Error("nothing is recorded");
  return action;
}

const saying = (value: unknown, isError = false) => `"result":${JSON.stringify(resultOf(value, isError))}`;
const changed = (scene: Scene) => {
  scene.server.notes = { a: "new" };
};
/** The next read still shows what was there before. */
const lagging = (scene: Scene) => {
  scene.server.notes = undefined;
  const { push } = scene.server.own;
  scene.server.own.push = (...calls) => {
    for (const call of calls) call.give(answerOf({ key: "a", value: scene.server.notes === undefined ? "first" : "new" }));
    scene.server.notes ??= { a: "new" };
    return push.apply(scene.server.own, calls);
  };
};
/** From now on reads of ours are answered by nobody but this. */
const unreadable = (scene: Scene) => {
  scene.server.notes = undefined;
  const { push } = scene.server.own;
  scene.server.own.push = (...calls) => {
    for (const call of calls) call.give({ kind: "timeout", milliseconds: 5 });
    return push.apply(scene.server.own, calls);
  };
};

type Case = [string, string, string, ((scene: Scene) => void) | undefined, Partial<Action>];
const CASES: Case[] = [
  ["a write that succeeds", "set", saying({}), changed, { status: "applied", reason: null, postState: "present" }],
  ["a write that no read shows", "set", saying({}), undefined, { status: "applied", reason: null, postState: "none" }],
  ["a write that a read shows only after a moment", "set", saying({}), lagging, { status: "applied", reason: null, postState: "present" }],
  ["a write whose state can't be read afterwards", "set", saying({}), unreadable, { status: "applied", reason: null, postState: "none" }],
  ["an error that changed nothing", "set", saying({}, true), undefined, { status: "failed", reason: "tool-error" }],
  ["an error that changed something", "set", saying({}, true), changed, { status: "applied", reason: "tool-error", postState: "present" }],
  [
    "an error of which nothing shows what it did",
    "set",
    saying({}, true),
    unreadable,
    { status: "unknown", reason: "post-state-unreadable" },
  ],
  [
    "a protocol error that changed nothing",
    "set",
    '"error":{"code":1,"message":"x"}',
    undefined,
    { status: "failed", reason: "protocol-error" },
  ],
  [
    "a protocol error that changed something",
    "set",
    '"error":{"code":1,"message":"x"}',
    changed,
    { status: "applied", reason: "protocol-error" },
  ],
  [
    "a failure that the policy declares",
    "set",
    '"result":{"content":[{"type":"text","text":"Error: no"}]}',
    undefined,
    { status: "failed", reason: "declared-failure" },
  ],
  ["a task whose outcome arrives later", "set", '"result":{"task":{"taskId":"t"}}', undefined, { status: "intended", reason: null }],
  [
    "a creation",
    "create",
    saying({ key: "a" }),
    undefined,
    { status: "applied", reason: null, postState: "present", resources: ["notes:note:a"] },
  ],
  ["a creation that can't be seen yet", "create", saying({ key: "n9" }), undefined, { status: "applied", reason: null, postState: "none" }],
  [
    "a creation that doesn't say what it made",
    "create",
    saying({ done: true }),
    undefined,
    { status: "permanent", reason: "result-path-missing", inverse: null },
  ],
  ["an error without a snapshot", "create", saying({}, true), undefined, { status: "failed", reason: "tool-error-unverified" }],
  ["an irreversible call", "send", saying({}), undefined, { status: "permanent", reason: "irreversible", inverse: null }],
];

test.each(CASES)("P4: %s", async (_, tool, reply, during, expected) => {
  expect(await outcomeOf(tool, reply, during)).toMatchObject(expected);
});

test("P2: when the call is sent, its intent is written with the state it replaces and the way back", async () => {
  const { server, call, journal } = await startSession({ rules: RULES });
  call(1, "set", { key: "a", value: "new" });
  await until(() => server.got.length === 1);
  const [run] = await journal.runs();
  const [action] = await journal.actions(run?.id ?? "");
  expect(action).toMatchObject({ status: "intended", snapshotState: "present", resources: ["notes:note:a"] });
  expect(await journal.value(action?.snapshot ?? "")).toEqual({ key: "a", value: "first" });
  expect(await journal.value(action?.inverse ?? "")).toEqual({ server: "notes", tool: "set", args: { key: "a", value: "first" } });
});

test("P3: what the inverse needs and the snapshot doesn't have refuses the write", async () => {
  const { server, call, answerTo, actions } = await startSession({ rules: RULES });
  call(1, "retitle", { key: "a", title: "x" });
  expect(JSON.stringify((await answerTo(1)).result)).toContain("$snapshot.title");
  expect(server.got).toEqual([]);
  expect(await actions()).toMatchObject([{ status: "denied", reason: "snapshot-failed" }]);
});

const COUNTED = `
  - match: "notes.add"
    class: compensable
    commutes: true
    inverse: { tool: "notes.add", args: { key: "$result.key", by: { from: "$.by", negate: true } } }
  - match: "notes.edit"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { value: "$snapshot.value", was: "$current.value", rev: "$result.rev" } }
  - match: "notes.mark"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.mark", args: { value: "$snapshot.nowhere", rev: "$result.rev" } }
`;

test.each<[string, object, string]>([
  ["add", { key: "a", by: "five" }, "the inverse needs $.by, which the arguments don't have as a number"],
  ["add", { key: "a" }, "the inverse needs $.by, which the arguments don't have."],
  ["mark", { key: "a" }, "the inverse needs $snapshot.nowhere, which the snapshot doesn't have"],
])(
  "P3: what can't be put back for want of something that is known before is refused, also where the inverse reads the result: %s %j",
  async (...[tool, args, why]) => {
    const { server, call, answerTo, actions } = await startSession({ rules: COUNTED });
    call(1, tool, args);
    expect(JSON.stringify((await answerTo(1)).result)).toContain(why);
    expect(server.got).toEqual([]);
    expect(await actions()).toMatchObject([{ status: "denied", reason: "snapshot-failed" }]);
  },
);

test("an inverse is kept resolved, a present state by that of before, and as the policy has it", async () => {
  const { server, call, reply, session, journal } = await startSession({ rules: COUNTED });
  call(1, "edit", { key: "a" });
  await until(() => server.got.length === 1);
  reply(1, { rev: 3 });
  await session.settled();
  const [action] = await journal.actions((await journal.runs())[0]?.id ?? "");
  expect(await journal.value(action?.inverse ?? "")).toMatchObject({ tool: "set", args: { value: "first", was: "first", rev: 3 } });
  const args = { value: "$snapshot.value", was: "$current.value", rev: "$result.rev" };
  expect(action?.rule).toMatchObject({ inverse: { server: "notes", tool: "set", args } });
});

test("P5: a write to what isn't there is held; approved, it is sent and permanent", async () => {
  const { server, call, answerTo, reply, session, journal, actions } = await startSession({ rules: RULES });
  call(1, "set", { key: "new", value: "x" });
  await answerTo(1);
  expect(await actions()).toMatchObject([{ status: "held", reason: "state-absent" }]);
  const [hold] = await journal.waiting();
  await journal.approve(hold?.id ?? "", "ada", 60_000);
  call(2, "set", { key: "new", value: "x" });
  await until(() => server.got.length === 1);
  reply(2, {});
  await session.settled();
  expect((await actions()).at(-1)).toMatchObject({ status: "permanent", reason: "state-absent" });
});

test("P3: half a snapshot is none: one with bytes that are no text refuses the write", async () => {
  const { server, call, answerTo, actions } = await startSession({ rules: RULES });
  server.notes = undefined;
  call(1, "set", { key: "a", value: "x" });
  await until(() => server.own.length === 1);
  server.own[0]?.give(answerOf({ key: "a", value: "b\uFFFDd" }));
  await answerTo(1);
  expect(server.got).toEqual([]);
  expect(await actions()).toMatchObject([{ status: "denied", reason: "not-text" }]);
});

test("P3: a text that could be read as JSON, of which only the whole is written back, is kept and written back as the very text", async () => {
  const text = '{ "a" : 1.0,\n  "a": 2 }\n';
  const { server, call, journal } = await startSession({
    rules: `
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot" } }
`,
  });
  server.notes = undefined;
  call(1, "set", { key: "a", value: "x" });
  await until(() => server.own.length === 1);
  const answer = answerOf({});
  server.own[0]?.give({ ...answer, result: { content: [{ type: "text", text }] } } as typeof answer);
  await until(() => server.got.length === 1);
  const [run] = await journal.runs();
  const [action] = await journal.actions(run?.id ?? "");
  expect(await journal.value(action?.snapshot ?? "")).toBe(text);
  expect(await journal.value(action?.inverse ?? "")).toMatchObject({ args: { value: text } });
  expect(action?.rule).toMatchObject({ asText: true });
});

test("P5: a call that touches more things than can be told apart is refused, and says so", async () => {
  const { server, call, answerTo, actions, session } = await startSession({
    rules: `
  - { match: "notes.link", class: compensable, inverse: { tool: "notes.unlink" }, resource: "$.p[]/$.p[]" }
`,
  });
  call(1, "link", { p: Array.from({ length: 200 }, (_, index) => index) });
  expect(JSON.stringify((await answerTo(1)).result)).toContain("more than 10000 things");
  await session.settled();
  expect(server.got).toEqual([]);
  expect(await actions()).toMatchObject([{ status: "denied", reason: "resource-unclear" }]);
});
