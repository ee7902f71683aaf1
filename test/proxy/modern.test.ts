// How does the modern era pass (2026-07-28)? Who asks stands in each request; a call may take several rounds, or become a task; and there are
// no sessions, so that quiet ends a run.
import { expect, test } from "bun:test";
import { type Scene, startSession, until } from "./fixture.ts";

const CLIENT = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "modern", version: "3" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};
const other = (name: string) => ({ ...CLIENT, "io.modelcontextprotocol/clientInfo": { name, version: "1" } });
const SET = { name: "set", arguments: { key: "a", value: "x" } };

const ask = ({ client }: Scene, id: number, method: string, params: object = {}, meta: object = CLIENT) =>
  client(JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...meta, progressToken: id } } }));
const answer = ({ says }: Scene, id: number, result: object) => says(JSON.stringify({ jsonrpc: "2.0", id, result }));
const DONE = { resultType: "complete", content: [], structuredContent: {} };
const wish = (state?: string) => ({
  resultType: "input_required",
  inputRequests: { sure: { method: "elicitation/create", params: {} } },
  ...(state === undefined ? {} : { requestState: state }),
});
const retryOf = (call: object, state?: string) => ({
  ...call,
  inputResponses: { sure: { action: "accept" } },
  ...(state === undefined ? {} : { requestState: state }),
});
const arrived = ({ server }: Scene, count: number) => until(() => server.got.length === count);
const statuses = async (scene: Scene) => (await scene.actions()).map(({ tool, status }) => `${tool} ${status}`);

/** Calls `set`, is asked for input by the server, and gives the scene once the client knows. */
async function asked(state?: string, options: Parameters<typeof startSession>[0] = {}): Promise<Scene> {
  const scene = await startSession(options);
  ask(scene, 1, "tools/call", SET);
  await arrived(scene, 1);
  answer(scene, 1, wish(state));
  await scene.answerTo(1);
  return scene;
}

test("P1: server/discover is the server's to answer; our instructions are added and every other byte stays", async () => {
  const scene = await startSession();
  ask(scene, 1, "server/discover");
  expect(scene.server.got).toHaveLength(1);
  scene.says('{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":1e3,"instructions":"Own.","capabilities":{ }}}');
  expect(scene.told[0]).toStartWith(
    '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":1e3,"instructions":"Own.\\n\\nSynartesis',
  );
  expect(scene.told[0]).toEndWith('","capabilities":{ }}}');
  expect(await scene.journal.runs()).toEqual([]); // a probe leaves nothing behind
});

test("P1: an unknown method's error passes as it came, so that a client can fall back to the other era", async () => {
  const scene = await startSession();
  ask(scene, 1, "server/discover");
  const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601, "message":"Method not found"}}';
  scene.says(error);
  expect(scene.told).toEqual([error]);
});

test("P2: reads of ours say of themselves what the call that needs them says", async () => {
  const scene = await startSession();
  ask(scene, 1, "tools/call", SET);
  await arrived(scene, 1);
  expect(scene.server.own[0]?.params["_meta"]).toEqual(CLIENT);
  answer(scene, 1, DONE);
  await scene.session.settled();
  expect(scene.server.own.length).toBeGreaterThan(1); // and after it
  for (const { params } of scene.server.own) expect(params["_meta"]).toEqual(CLIENT);
  expect(await statuses(scene)).toEqual(["set applied"]);
});

test("P1: a held call is answered with a complete result, as the era wants it; a legacy one without", async () => {
  const scene = await startSession();
  ask(scene, 1, "tools/call", { name: "send", arguments: { to: "ada" } });
  expect(Object.keys((await scene.answerTo(1)).result ?? {})).toEqual(["resultType", "content", "isError"]);
  scene.call(2, "send", { to: "ada" });
  expect(Object.keys((await scene.answerTo(2)).result ?? {})).toEqual(["content", "isError"]);
});

test("P1: a run is a client's identity: its calls share one, another client's don't, and each knows how it was spoken to", async () => {
  const scene = await startSession();
  for (const [id, name] of [
    [1, "one"],
    [2, "two"],
    [3, "one"],
  ] as const) {
    ask(scene, id, "tools/call", { name: "get", arguments: { key: "a" } }, other(name));
    answer(scene, id, DONE);
  }
  await scene.session.settled();
  await scene.journal.flush();
  const runs = await scene.journal.runs();
  const counts = await Promise.all(runs.map(async ({ id, client }) => [client?.name, (await scene.journal.actions(id)).length]));
  expect(counts.sort()).toEqual([
    ["one", 2],
    ["two", 1],
  ]);
  expect(runs.map(({ clientHello }) => clientHello)).toContainEqual({ _meta: other("one") });
});

test("P4: a client that was quiet for long begins a new run, and what waited for it in the old one is unknown", async () => {
  let now = 1_000_000;
  const scene = await asked("s1", { quiet: 900_000, clock: () => now });
  now += 899_999;
  ask(scene, 2, "tools/call", { name: "get", arguments: { key: "a" } });
  answer(scene, 2, DONE);
  await scene.answerTo(2);
  now += 900_000;
  ask(scene, 3, "tools/call", { name: "get", arguments: { key: "b" } });
  answer(scene, 3, DONE);
  await scene.answerTo(3);
  await until(() => scene.server.got.length === 3);
  await scene.session.settled();
  await scene.journal.flush();
  const [second, first] = await scene.journal.runs();
  expect([first?.state, second?.state]).toEqual(["ended", "open"]);
  const before = await scene.journal.actions(first?.id ?? "");
  expect(before.map(({ tool, status, reason }) => [tool, status, reason])).toEqual([
    ["set", "unknown", "process-ended"],
    ["get", "applied", null],
  ]);
  expect(await scene.journal.actions(second?.id ?? "")).toHaveLength(1);
});

test("P4: a quiet client's run ends by itself, but never while a call of it is under way", async () => {
  const scene = await startSession({ quiet: 30 });
  ask(scene, 1, "tools/call", SET);
  await arrived(scene, 1);
  await Bun.sleep(100); // time is what is tested
  expect((await scene.journal.runs())[0]?.state).toBe("open");
  answer(scene, 1, DONE);
  for (let state = "open"; state !== "ended"; ) {
    await Bun.sleep(5);
    state = (await scene.journal.runs())[0]?.state ?? "";
  }
  expect(await statuses(scene)).toEqual(["set applied"]);
});

test("P6: a call over two rounds is one action with one decision, sent as it came, and settled by the last result", async () => {
  const rules = `
  - { match: "notes.send", class: irreversible }
`;
  const scene = await startSession({ rules });
  const send = { name: "send", arguments: { to: "ada" } };
  ask(scene, 1, "tools/call", send);
  await scene.answerTo(1);
  const [hold] = await scene.journal.waiting();
  await scene.journal.approve(hold?.id ?? "", "ada", 60_000);
  ask(scene, 2, "tools/call", send);
  await arrived(scene, 1);
  answer(scene, 2, wish("opaque \u00e9"));
  await scene.answerTo(2);
  expect(await statuses(scene)).toEqual(["send approved", "send intended"]);
  ask(scene, 3, "tools/call", retryOf(send, "opaque \u00e9"));
  await arrived(scene, 2);
  expect(JSON.parse(scene.server.got[1] ?? "")).toMatchObject({ id: 3, params: retryOf(send, "opaque \u00e9") });
  answer(scene, 3, DONE);
  expect((await scene.answerTo(3)).result?.["resultType"]).toBe("complete");
  await scene.session.settled();
  expect(await statuses(scene)).toEqual(["send approved", "send permanent"]);
});

test("P6: one approval lets one call through over its rounds; the same retry again is a call of its own, and held", async () => {
  const scene = await startSession();
  const send = { name: "send", arguments: { to: "ada" } };
  ask(scene, 1, "tools/call", send);
  await scene.answerTo(1);
  const [hold] = await scene.journal.waiting();
  await scene.journal.approve(hold?.id ?? "", "ada", 60_000);
  ask(scene, 2, "tools/call", send);
  await arrived(scene, 1);
  answer(scene, 2, wish("s1"));
  await scene.answerTo(2);
  ask(scene, 3, "tools/call", retryOf(send, "s1"));
  await arrived(scene, 2);
  ask(scene, 4, "tools/call", retryOf(send, "s1"));
  expect((await scene.answerTo(4)).result?.["isError"]).toBe(true);
  expect(scene.server.got).toHaveLength(2);
});

const FOREIGN: [string, string | undefined, object][] = [
  ["another state", "s1", retryOf(SET, "s2")],
  ["no state where there was one", "s1", retryOf(SET)],
  ["a state where there was none", undefined, retryOf(SET, "s1")],
  ["other arguments", "s1", retryOf({ name: "set", arguments: { key: "a", value: "y" } }, "s1")],
  ["no answer at all", undefined, SET],
];
test.each(FOREIGN)("P6: a retry with %s belongs to nothing open, so it is a call of its own", async (_, state, retry) => {
  const scene = await asked(state);
  ask(scene, 2, "tools/call", retry);
  await arrived(scene, 2);
  expect(await statuses(scene)).toEqual(["set intended", "set intended"]);
});

test("P6: what belongs to no open round is held like any other call that can't be undone", async () => {
  const scene = await asked("s1");
  ask(scene, 2, "tools/call", retryOf({ name: "send", arguments: { to: "ada" } }, "s1"));
  expect((await scene.answerTo(2)).result?.["isError"]).toBe(true);
  expect(scene.server.got).toHaveLength(1);
});

test("P3: while a call waits for input others may change the thing; what they left is what its undo will put back", async () => {
  const scene = await asked("s1");
  ask(scene, 2, "tools/call", { name: "set", arguments: { key: "a", value: "second" } });
  await arrived(scene, 2); // it isn't held up
  scene.server.notes = { a: "second" };
  answer(scene, 2, DONE);
  await scene.answerTo(2);
  ask(scene, 3, "tools/call", retryOf(SET, "s1"));
  await arrived(scene, 3);
  scene.server.notes = { a: "x" };
  answer(scene, 3, DONE);
  await scene.session.settled();
  const [run] = await scene.journal.runs();
  const [first] = await scene.journal.actions(run?.id ?? "");
  expect(first?.status).toBe("applied");
  expect(await scene.journal.value(first?.snapshot ?? "")).toEqual({ key: "a", value: "second" });
  expect(await scene.journal.value(first?.inverse ?? "")).toMatchObject({ args: { key: "a", value: "second" } });
});

test("P2: a retry whose thing is gone meanwhile isn't sent, and the agent is told; the same retry may come again", async () => {
  const scene = await asked("s1");
  scene.server.notes = {};
  ask(scene, 2, "tools/call", retryOf(SET, "s1"));
  const { result } = await scene.answerTo(2);
  expect(result).toMatchObject({ resultType: "complete", isError: true });
  expect(JSON.stringify(result)).toContain("has been removed");
  expect(scene.server.got).toHaveLength(1);
  scene.server.notes = { a: "first" };
  ask(scene, 3, "tools/call", retryOf(SET, "s1"));
  await arrived(scene, 2);
});

test("P1: a retry that the client cancels before it is sent is dropped, and may come again", async () => {
  const scene = await asked("s1");
  scene.server.notes = undefined;
  ask(scene, 2, "tools/call", retryOf(SET, "s1"));
  await until(() => scene.server.own.length === 3);
  scene.client('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
  scene.server.notes = { a: "first" };
  scene.server.own[2]?.give({ kind: "ended" });
  ask(scene, 3, "tools/call", retryOf(SET, "s1"));
  await arrived(scene, 2);
  expect(JSON.parse(scene.server.got[1] ?? "").id).toBe(3);
});

test("P1: a read over two rounds is recorded once", async () => {
  const scene = await startSession();
  const get = { name: "get", arguments: { key: "a" } };
  ask(scene, 1, "tools/call", get);
  answer(scene, 1, wish());
  await scene.answerTo(1);
  ask(scene, 2, "tools/call", retryOf(get));
  await arrived(scene, 2);
  answer(scene, 2, DONE);
  await scene.answerTo(2);
  await scene.session.settled();
  expect(await statuses(scene)).toEqual(["get applied"]);
});

test("P3: a server that asks our own read for the roots is told what the client told it", async () => {
  const scene = await startSession();
  const roots = [{ uri: "file:///r" }];
  const request = { resultType: "input_required", inputRequests: { r: { method: "roots/list" } }, requestState: "q" };
  ask(scene, 1, "tools/call", { name: "get", arguments: { key: "a" } });
  answer(scene, 1, request);
  await scene.answerTo(1);
  ask(scene, 2, "tools/call", { name: "get", arguments: { key: "a" }, requestState: "q", inputResponses: { r: { roots } } });
  await arrived(scene, 2);
  answer(scene, 2, DONE);
  scene.server.notes = undefined;
  ask(scene, 3, "tools/call", SET);
  await until(() => scene.server.own.length === 1);
  const message = JSON.parse(JSON.stringify({ result: request }));
  scene.server.own[0]?.give({ kind: "result", result: message.result, message: message });
  await until(() => scene.server.own.length === 2);
  expect(scene.server.own[1]?.params).toMatchObject({ requestState: "q", inputResponses: { r: { roots } } });
});

const TASK = { resultType: "task", taskId: "t1", status: "working" };
const ENDS: [string, (scene: Scene) => void, string][] = [
  ["tasks/get shows its result", (scene) => tasksGet(scene, { status: "completed", result: DONE }), "set applied"],
  [
    "a notification shows its result",
    (scene) => notified(scene, "notifications/tasks", { status: "completed", result: DONE }),
    "set applied",
  ],
  ["it failed and nothing has changed", (scene) => tasksGet(scene, { status: "failed", error: { code: 1, message: "no" } }), "set failed"],
  ["it was cancelled and nothing has changed", (scene) => tasksGet(scene, { status: "cancelled" }), "set failed"],
];
test.each(ENDS)("P4: a call that became a task stays open until %s", async (_, end, expected) => {
  const scene = await startSession();
  ask(scene, 1, "tools/call", SET);
  await arrived(scene, 1);
  answer(scene, 1, TASK);
  await scene.answerTo(1);
  tasksGet(scene, { status: "working" }, 8);
  notified(scene, "notifications/tasks", { status: "input_required" });
  expect(await statuses(scene)).toEqual(["set intended"]);
  end(scene);
  await comesTrue(async () => (await statuses(scene))[0] === expected);
});

test("P4: a legacy task that failed but changed something is applied; one whose result comes by tasks/result is judged by that", async () => {
  const scene = await startSession();
  for (const [id, task, key] of [
    [1, "t1", "a"],
    [2, "t2", "b"],
  ] as const) {
    scene.client(
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "set", arguments: { key, value: "x" }, task: {} } }),
    );
    await arrived(scene, id);
    answer(scene, id, { task: { taskId: task, status: "working" } });
  }
  scene.server.notes = { a: "x", b: "x" };
  notified(scene, "notifications/tasks/status", { status: "failed", statusMessage: "half of it" });
  scene.client('{"jsonrpc":"2.0","id":9,"method":"tasks/result","params":{"taskId":"t2"}}');
  scene.says('{"jsonrpc":"2.0","id":9,"result":{"content":[]}}');
  await comesTrue(async () => (await statuses(scene)).join() === "set applied,set applied");
  expect((await scene.actions()).map(({ reason, postState }) => [reason, postState])).toEqual([
    ["protocol-error", "present"],
    [null, "present"],
  ]);
});

test("P4: a cancelled task of which nothing shows what it did is unknown; so is one that went with its server", async () => {
  const scene = await startSession();
  ask(scene, 1, "tools/call", { name: "create", arguments: { value: "x" } });
  await arrived(scene, 1);
  answer(scene, 1, TASK);
  tasksGet(scene, { status: "cancelled" });
  ask(scene, 2, "tools/call", { name: "create", arguments: { value: "y" } });
  await arrived(scene, 3);
  answer(scene, 2, { ...TASK, taskId: "t2" });
  await scene.answerTo(2);
  scene.ends();
  await comesTrue(async () => (await statuses(scene)).join() === "create unknown,create unknown");
});

test("P4: a call whose end is never seen is unknown when the run ends", async () => {
  const scene = await asked("s1");
  ask(scene, 2, "tools/call", { name: "set", arguments: { key: "b", value: "x" } });
  await arrived(scene, 2);
  answer(scene, 2, TASK);
  await scene.answerTo(2);
  await scene.session.settled();
  const [run] = await scene.journal.runs();
  await scene.journal.leaveRun(run?.id ?? "");
  expect(await statuses(scene)).toEqual(["set unknown", "set unknown"]);
});

test("P1: a subscription stays open while others come and go, and ends with the server only", async () => {
  const scene = await startSession();
  ask(scene, 1, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  ask(scene, 2, "tools/list");
  answer(scene, 2, { tools: [] });
  await scene.session.settled();
  const note =
    '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}';
  scene.says(note);
  expect(scene.told.at(-1)).toBe(note);
  scene.ends();
  expect((await scene.answerTo(1)).error?.code).toBe(-32603);
});

test("P1: both eras share one process: each request is treated as its own era wants", async () => {
  const scene = await startSession();
  scene.client(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"old","version":"1"}}}',
  );
  scene.says('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}');
  scene.call(2, "set", { key: "a", value: "1" });
  ask(scene, 3, "tools/call", { name: "set", arguments: { key: "b", value: "2" } });
  await arrived(scene, 3);
  expect(scene.server.own.map(({ params }) => params["_meta"])).toContain(undefined);
  expect(scene.server.own.map(({ params }) => params["_meta"])).toContainEqual(CLIENT);
  expect((await scene.journal.runs()).map(({ client }) => client?.name).sort()).toEqual(["modern", "old"]);
});

function tasksGet(scene: Scene, state: object, id = 9): void {
  ask(scene, id, "tasks/get", { taskId: "t1" });
  answer(scene, id, { resultType: "complete", taskId: "t1", ...state });
}

function notified({ says }: Scene, method: string, state: object): void {
  says(JSON.stringify({ jsonrpc: "2.0", method, params: { taskId: "t1", ...state } }));
}

/** Waits for what has to be asked for; the test's own time limit is the end of it. */
async function comesTrue(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(2);
}
