// Did it really happen, and may it happen? What a rule requires is read before the call, what verifies it before the agent has its answer.
import { afterEach, expect, test } from "bun:test";
import type { CheckFact } from "../../src/core/checks.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Action } from "../../src/journal/journal.ts";
import { answerOf, cancel, endSessions, resultOf, type Scene, startSession, until } from "../proxy/fixture.ts";

afterEach(endSessions);

const READ = '{ tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }';
const INVERSE = '{ tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }';

function setRule(checks: string): string {
  return `
  - { match: "notes.get", class: readonly }
  - match: "notes.set"
    class: reversible
    snapshot: ${READ}
    inverse: ${INVERSE}
    ${checks}
  - { match: "notes.send", class: irreversible, gate: never, ${checks} }
`;
}

const VERIFIED = setRule(`verify: [{ name: "it is written", read: ${READ}, expect: { value: "$.value" } }]`);

async function recorded({ journal, session }: Scene): Promise<{ action: Action; checks: readonly CheckFact[] }> {
  await session.settled();
  await journal.flush();
  const [run] = await journal.runs();
  const [action] = await journal.actions(run?.id ?? "");
  if (action === undefined) throw new Error("nothing is recorded");
  const checks = action.checks === null ? [] : ((await journal.value(action.checks)) as unknown as readonly CheckFact[]); // plain data
  return { action, checks };
}

const blocksOf = (result: Record<string, unknown> | undefined) => (result?.["content"] ?? []) as JsonObject[];
const SET = { key: "a", value: "new" };

/** Makes the call, lets the server do `act` and say success. */
async function setNote(rules: string, act: (scene: Scene) => void = () => undefined): Promise<Scene> {
  const scene = await startSession({ rules });
  scene.call(1, "set", SET);
  await until(() => scene.server.got.length === 1);
  act(scene);
  scene.reply(1, { done: true });
  return scene;
}

const written = ({ server }: Scene) => {
  server.notes = { a: "new" };
};

test("a call that a check bears out is answered as the server sent it, and recorded as verified", async () => {
  const scene = await setNote(VERIFIED, written);
  expect(await scene.answerTo(1)).toEqual({ jsonrpc: "2.0", id: 1, result: resultOf({ done: true }) } as object);
  const { action, checks } = await recorded(scene);
  expect(action).toMatchObject({ status: "applied", verification: "verified", postState: "present" });
  const saw = { state: "present" as const, value: { key: "a", value: "new" } };
  expect(checks).toEqual([{ name: "it is written", source: "notes.get", when: "after", outcome: "pass", why: null, saw }]);
});

test("P4: a success that a check doesn't bear out reaches the agent as an error, with the tool's own result, and is no failure in the record", async () => {
  const scene = await setNote(VERIFIED);
  const { result } = await scene.answerTo(1);
  const own = resultOf({ done: true });
  const [block, ...blocks] = blocksOf(result);
  expect(result).toMatchObject({ isError: true, structuredContent: own["structuredContent"] });
  expect(blocks).toEqual(own["content"] as JsonObject[]);
  expect(block?.["text"]).toContain('it is written (notes.get): value is "first", not "new"');
  const { action, checks } = await recorded(scene);
  expect(action).toMatchObject({ status: "applied", verification: "failed" });
  expect(checks).toMatchObject([{ outcome: "fail", why: 'value is "first", not "new"' }]);
});

test("P4: a check whose read fails says nothing: the answer is the server's own, and the record says inconclusive", async () => {
  const scene = await setNote(VERIFIED, ({ server }) => {
    server.notes = undefined;
  });
  await until(() => scene.server.own.length === 2); // the snapshot, and the check
  expect(scene.told).toEqual([]);
  scene.server.own.at(-1)?.give({ kind: "timeout", milliseconds: 5 });
  scene.server.notes = { a: "new" };
  expect((await scene.answerTo(1)).result).toEqual(resultOf({ done: true }));
  const { action, checks } = await recorded(scene);
  expect(action).toMatchObject({ status: "applied", verification: "inconclusive" });
  expect(checks).toMatchObject([{ outcome: "unreadable", saw: { state: "unreadable" } }]);
});

test("a server that lags is asked again before its word is doubted", async () => {
  const scene = await setNote(VERIFIED, ({ server }) => {
    server.notes = undefined;
  });
  await until(() => scene.server.own.length === 2); // the snapshot, and the check
  scene.server.notes = { a: "new" };
  scene.server.own.at(-1)?.give(answerOf({ key: "a", value: "first" }));
  expect((await scene.answerTo(1)).result?.["isError"]).toBeUndefined();
  expect((await recorded(scene)).action.verification).toBe("verified");
});

test("what the server sends while a call is verified doesn't wait for that", async () => {
  const scene = await setNote(VERIFIED, ({ server }) => {
    server.notes = undefined;
  });
  await until(() => scene.server.own.length === 2); // the snapshot, and the check
  scene.says('{"jsonrpc":"2.0","id":"s1","method":"roots/list"}');
  await until(() => scene.told.length === 1);
  expect(scene.told[0]).toContain("roots/list");
  written(scene);
  scene.server.own.at(-1)?.give(answerOf({ key: "a", value: "new" }));
  await scene.answerTo(1);
  expect(scene.told).toHaveLength(2);
});

test("a call that the client gives up on is verified all the same, and recorded", async () => {
  const scene = await startSession({ rules: VERIFIED });
  scene.call(1, "set", SET);
  await until(() => scene.server.got.length === 1);
  scene.client(cancel(1));
  scene.reply(1, { done: true });
  expect((await recorded(scene)).action).toMatchObject({ status: "applied", verification: "failed" });
});

test("a result without blocks is attached as JSON", async () => {
  const scene = await startSession({ rules: VERIFIED });
  scene.call(1, "set", SET);
  await until(() => scene.server.got.length === 1);
  scene.says('{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","structuredContent":{"n":9007199254740993}}}');
  await scene.answerTo(1);
  const text = scene.told.at(-1) ?? "";
  expect(JSON.parse(text).result).toMatchObject({ resultType: "complete", isError: true, content: [{ type: "text" }, { type: "text" }] });
  expect(text).toContain("9007199254740993");
});

test("an error of the tool needs no verification", async () => {
  const scene = await startSession({ rules: VERIFIED });
  scene.call(1, "send", SET);
  await until(() => scene.server.got.length === 1);
  scene.says(JSON.stringify({ jsonrpc: "2.0", id: 1, result: resultOf({ no: 1 }, true) }));
  await scene.answerTo(1);
  expect((await recorded(scene)).action).toMatchObject({ status: "failed", verification: null, checks: null });
});

test("a call that nothing can undo is verified as others are", async () => {
  const scene = await startSession({ rules: VERIFIED });
  scene.call(1, "send", { key: "a", value: "first" });
  await until(() => scene.server.got.length === 1);
  scene.reply(1, { sent: true });
  await scene.answerTo(1);
  expect((await recorded(scene)).action).toMatchObject({ status: "permanent", verification: "verified" });
});

test("a check that compares with an argument that wasn't given proves nothing", async () => {
  const scene = await startSession({ rules: VERIFIED });
  scene.call(1, "send", { key: "a" });
  await until(() => scene.server.got.length === 1);
  scene.reply(1, { sent: true });
  await scene.answerTo(1);
  expect((await recorded(scene)).action.verification).toBe("inconclusive");
});

const GUARDED = setRule(`require: [{ name: "it is as the agent saw it", read: ${READ}, expect: { key: "$.key", value: "$.seen" } }]`);

test("P2: a requirement isn't weaker for an argument that the agent leaves out: the call is denied with that reason", async () => {
  const scene = await startSession({ rules: GUARDED });
  scene.call(1, "set", SET);
  const { result } = await scene.answerTo(1);
  expect(blocksOf(result)[0]?.["text"]).toContain(
    "it is as the agent saw it (notes.get): what it expects needs $.seen, which the arguments don't have",
  );
  expect(scene.server.got).toEqual([]);
  scene.call(2, "set", { ...SET, seen: "first" });
  await until(() => scene.server.got.length === 1);
});

const COMPARED = setRule(`verify: [{ name: "it is written", read: ${READ}, expect: { key: "$.key", value: "$.value", by: ["$.by"] } }]`);

test("P4: of what a check compares, no part is passed over because the agent left an argument out: it is inconclusive", async () => {
  const scene = await setNote(COMPARED, written);
  expect((await scene.answerTo(1)).result?.["isError"]).toBeUndefined();
  const { action, checks } = await recorded(scene);
  expect(action.verification).toBe("inconclusive");
  expect(checks).toMatchObject([{ outcome: "unreadable", why: "what it expects needs $.by, which the arguments don't have" }]);
});

const REQUIRED = setRule(`require: [{ name: "it is the first", read: ${READ}, expect: { value: "first" } }]`);

test("what is required and is so lets the call pass, and is recorded with it before it is sent", async () => {
  const scene = await startSession({ rules: REQUIRED });
  scene.call(1, "set", SET);
  await until(() => scene.server.got.length === 1);
  const [run] = await scene.journal.runs();
  const [action] = await scene.journal.actions(run?.id ?? "");
  expect(await scene.journal.value(action?.checks ?? "")).toMatchObject([{ name: "it is the first", when: "before", outcome: "pass" }]);
  written(scene);
  scene.reply(1, {});
  await scene.answerTo(1);
  expect((await recorded(scene)).action).toMatchObject({ status: "applied", verification: null });
});

const REFUSALS: [what: string, prepare: (scene: Scene) => void, key: string, why: string][] = [
  [
    "otherwise",
    (scene) => {
      scene.server.notes = { a: "second" };
    },
    "a",
    'it is the first (notes.get): value is "second", not "first"',
  ],
  ["gone", () => undefined, "zzz", "it is the first (notes.get): nothing is there"],
];

test.each(REFUSALS)("P2: what is required and is %s denies the call with the reason: nothing is sent", async (_, prepare, key, why) => {
  const scene = await startSession({ rules: REQUIRED });
  prepare(scene);
  scene.call(1, "send", { key, value: "new" });
  const { result } = await scene.answerTo(1);
  expect(result).toMatchObject({ isError: true });
  const [block] = blocksOf(result);
  expect(block?.["text"]).toContain(why);
  expect(scene.server.got).toEqual([]);
  const { action } = await recorded(scene);
  expect(action).toMatchObject({ status: "denied", reason: "requirement-failed", detail: `the policy requires first: ${why}` });
});

test("P4: what is required and can't be read denies the call, too", async () => {
  const scene = await startSession({ rules: REQUIRED });
  scene.server.notes = undefined;
  scene.call(1, "send", SET);
  await until(() => scene.server.own.length === 1);
  scene.server.own[0]?.give({ kind: "timeout", milliseconds: 5 });
  expect((await scene.answerTo(1)).result).toMatchObject({ isError: true });
  expect(scene.server.got).toEqual([]);
  expect((await recorded(scene)).action).toMatchObject({ status: "denied", reason: "requirement-failed" });
});

test("P6: an approval isn't spent on a call that a requirement denies", async () => {
  const held = REQUIRED.replace("gate: never", "gate: always");
  const scene = await startSession({ rules: held });
  scene.call(1, "send", SET);
  await scene.answerTo(1);
  const [hold] = await scene.journal.waiting();
  await scene.journal.approve(hold?.id ?? "", "ada", 60_000);
  scene.server.notes = { a: "second" };
  scene.call(2, "send", SET);
  await scene.answerTo(2);
  expect(scene.server.got).toEqual([]);
  scene.server.notes = { a: "first" };
  scene.call(3, "send", SET);
  await until(() => scene.server.got.length === 1);
  scene.reply(3, {});
  await scene.answerTo(3);
});

test("P5: what a call brings along to be compared has to be what is there: an empty object is not met by any", async () => {
  const read = '{ tool: "notes.get", args: { key: a }, absent_when: ["no such note"] }';
  const rules = `\n  - { match: "notes.send", class: irreversible, gate: never, require: [{ name: same, read: ${read}, expect: "$.note" }] }\n`;
  const scene = await startSession({ rules });
  scene.call(1, "send", { note: { key: "a" } });
  expect((await scene.answerTo(1)).result).toMatchObject({ isError: true });
  scene.call(2, "send", { note: { key: "a", value: "first" } });
  await until(() => scene.server.got.length === 1);
  scene.reply(2, { sent: true });
  await scene.answerTo(2);
});
