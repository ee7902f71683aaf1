import { afterEach, expect, test } from "bun:test";
import fc from "fast-check";
import { digestOf, sha256 } from "../../src/core/digest.ts";
import { canonicalJson, type Json, parseJson } from "../../src/core/json.ts";
import { intended, newCall, newIntent, newRead, newRun } from "./calls.ts";
import { cleanUp, start, tamper } from "./fixture.ts";

afterEach(cleanUp);
test("P2: an intent is on disk with its arguments, prior state and way back once it is acknowledged", async () => {
  const { file, journal, run } = await start();
  const intent = newIntent(run.id);
  const id = await intended(journal, intent);
  const other = await start({ file }); // another connection sees only what is committed
  const action = await other.journal.action(id);
  expect(action).toMatchObject({
    run: run.id,
    seq: 1,
    status: "intended",
    snapshotState: "present",
    postState: "none",
    resources: ["crm:c1"],
  });
  expect(await other.journal.value(action.args)).toEqual(intent.args);
  expect(await other.journal.value(action.snapshot ?? "")).toEqual(intent.snapshot as Json);
  expect(await other.journal.value(action.inverse ?? "")).toEqual(intent.inverse as Json);
  expect(await other.journal.value(action.read ?? "")).toEqual(intent.read as Json);
});

test("an outcome settles an action with what it showed, and leaves the rest as it was", async () => {
  const { journal, run } = await start();
  const id = await intended(journal, newIntent(run.id));
  const before = await journal.action(id);
  const outcome = { status: "applied", reason: null, result: { ok: true }, resources: ["crm:c2", "crm:c1"], postState: "absent" } as const;
  expect(await journal.settle(id, outcome)).toBe(true);
  const { settledAt, ...after } = await journal.action(id);
  const result = digestOf({ ok: true });
  expect<object>({ ...after, settledAt: null }).toEqual({
    ...before,
    status: "applied",
    result,
    resources: ["crm:c1", "crm:c2"],
    postState: "absent",
  });
  expect(settledAt).toBeNumber();
  await journal.addPostState(id, "present", { name: "new" });
  expect(await journal.action(id)).toMatchObject({ postState: "present", post: digestOf({ name: "new" }) });
});

test("P4: a reply that comes late settles an unknown action, and a second one changes nothing", async () => {
  const { journal, run } = await start();
  const id = await intended(journal, newIntent(run.id));
  expect(await journal.settle(id, { status: "unknown", reason: "reply-lost" })).toBe(true);
  expect(await journal.settle(id, { status: "applied", reason: null, result: 1 })).toBe(true);
  expect(await journal.settle(id, { status: "applied", reason: null, result: 2 })).toBe(false);
  expect((await journal.action(id)).result).toBe(digestOf(1));
});

test("P3: a step claims what it undoes once, and settles both together", async () => {
  const { journal, run } = await start();
  const id = await intended(journal, newIntent(run.id));
  await journal.settle(id, { status: "applied", reason: null });
  const undo = await journal.openRun(newRun({ kind: "undo", undoes: run.id }));
  const [first, second] = await Promise.all([
    journal.intend(newIntent(undo.id, { undoes: id })),
    journal.intend(newIntent(undo.id, { undoes: id })),
  ]);
  expect(second).toEqual({ kind: "claim-lost", status: "undoing" });
  if (first.kind !== "intended") throw new Error(first.kind);
  expect(await journal.actions(undo.id)).toHaveLength(1);
  const original = { action: id, status: "undone", reason: "put-back" } as const;
  expect(await journal.settle(first.action, { status: "applied", reason: null }, original)).toBe(true);
  expect(await journal.action(id)).toMatchObject({ status: "undone", reason: "put-back" });
  expect((await journal.undosOf(id)).map((action) => action.id)).toEqual([first.action]);
});

test("P3: a call that is sent again in place of an original leaves there what it showed, and nothing of before", async () => {
  const { journal, run } = await start();
  const id = await intended(journal, newIntent(run.id));
  await journal.settle(id, { status: "applied", reason: null, result: 1, postState: "present", post: { name: "new" } });
  await journal.move(id, "applied", "undone", "already-so");
  const redo = await journal.openRun(newRun({ kind: "redo", undoes: run.id }));
  const step = await intended(journal, newIntent(redo.id));
  const outcome = { result: 2, postState: "absent" } as const;
  const original = { action: id, status: "applied", reason: "redone", outcome } as const;
  expect(await journal.settle(step, { status: "applied", reason: null, result: 3 }, original)).toBe(true);
  const after = await journal.action(id);
  expect(after).toMatchObject({ status: "applied", reason: "redone", result: digestOf(2), postState: "absent", post: null });
  expect(after.inverse).toBe(digestOf(newIntent(run.id).inverse ?? null));
});

test("a step whose original has moved on settles neither", async () => {
  const { journal, run } = await start();
  const id = await intended(journal, newIntent(run.id));
  const step = await intended(journal, newIntent(run.id));
  const original = { action: id, status: "undone", reason: "put-back" } as const;
  expect(await journal.settle(step, { status: "applied", reason: null }, original)).toBe(false);
  expect([(await journal.action(id)).status, (await journal.action(step)).status]).toEqual(["intended", "intended"]);
});

test("P3: one of several calls is intended only by who knows the latest step at the action, and once that has ended", async () => {
  const { journal, run } = await start();
  const id = await intended(journal, newIntent(run.id));
  await journal.settle(id, { status: "applied", reason: null });
  const undo = await journal.openRun(newRun({ kind: "undo", undoes: run.id }));
  const next = (after: string | null) => journal.intend(newIntent(undo.id, { undoes: id, after }));
  const first = await intended(journal, newIntent(undo.id, { undoes: id, after: null }));
  const lost = { kind: "claim-lost", status: "undoing" };
  expect([await next(null), await next(first)]).toEqual([lost, lost] as never); // one doesn't know of it, the other doesn't wait for its end
  await journal.settle(first, { status: "applied", reason: null });
  expect(await next(null)).toEqual(lost as never);
  const second = await intended(journal, newIntent(undo.id, { undoes: id, after: first }));
  await journal.settle(second, { status: "failed", reason: "tool-error" }, { action: id, status: "stuck", reason: "inverse-failed" });
  expect(await next(first)).toEqual({ kind: "claim-lost", status: "stuck" });
  const third = await intended(journal, newIntent(undo.id, { undoes: id, after: second }));
  await journal.settle(third, { status: "applied", reason: null }, { action: id, status: "undone", reason: "put-back" });
  expect(await next(third)).toEqual({ kind: "claim-lost", status: "undone" });
});

test("reads are written with the next change, before it, or by themselves after a moment", async () => {
  const { journal, run } = await start();
  journal.recordFinished(newRead(run.id));
  await intended(journal, newIntent(run.id));
  expect((await journal.actions(run.id)).map(({ status }) => status)).toEqual(["applied", "intended"]);
  for (let count = 0; count < 1000; count++) journal.recordFinished(newRead(run.id, { args: { count } }));
  while ((await journal.actions(run.id)).length < 1002) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await journal.actions(run.id)).map(({ seq }) => seq)).toEqual(Array.from({ length: 1002 }, (_, index) => index + 1));
});

test("one operation that fails doesn't take along those that share its commit", async () => {
  const { journal, run } = await start();
  const results = await Promise.allSettled([
    journal.intend(newIntent(run.id)),
    journal.intend(newIntent(run.id, { undoes: "nosuchaction" })),
    // A reason that the vocabulary doesn't have, as only a bug could send it.
    journal.hold(newCall(run.id), "nonsense" as "unmentioned"),
    journal.intend(newIntent(run.id)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect((await journal.actions(run.id)).map(({ seq, status }) => [seq, status])).toEqual([
    [1, "intended"],
    [2, "intended"],
  ]);
});

test("a policy's denial is recorded with its decision", async () => {
  const { journal, run } = await start();
  journal.recordFinished(newRead(run.id, { status: "denied", reason: "snapshot-failed", detail: "timeout", result: undefined }));
  await journal.flush();
  const [action] = await journal.actions(run.id);
  expect(action).toMatchObject({ status: "denied", reason: "snapshot-failed", detail: "timeout", result: null });
  expect(await journal.decisions(action?.id ?? "")).toMatchObject([{ kind: "deny", by: "policy", reasons: ["snapshot-failed"] }]);
});

test("values come back exactly: any JSON, numbers by their digits, lone surrogates, large and small", async () => {
  const { journal, run } = await start();
  const texts = fc.oneof(
    fc.json(),
    fc.string({ unit: "binary", maxLength: 30 }).map((text) => JSON.stringify({ [text]: text })),
    fc.constantFrom(
      '{"id":9223372036854775807,"e":1.50,"z":-0}',
      '"\\ud800"',
      '{"__proto__":{"a":1}}',
      `["${"long \\udfff ".repeat(2000)}"]`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const value = parseJson(text);
      const { args } = await journal.action(await intended(journal, newIntent(run.id, { args: value })));
      expect(args).toBe(sha256(canonicalJson(value)));
      expect(canonicalJson(await journal.value(args))).toBe(canonicalJson(value));
    }),
    { numRuns: 60 },
  );
});

test("a value that is stored in parts comes back exactly", async () => {
  const { journal, run } = await start();
  const value = parseJson(`{"numbers":[${"1.50,9223372036854775807,".repeat(100_000)}0],"text":"${"ä\\ud800𝄞\\n".repeat(700_000)}"}`);
  const { args } = await journal.action(await intended(journal, newIntent(run.id, { args: value })));
  expect(args).toBe(sha256(canonicalJson(value)));
  expect(canonicalJson(await journal.value(args)) === canonicalJson(value)).toBe(true);
});

test("words from outside survive in every column, lone surrogates too", async () => {
  const { journal, run } = await start();
  const odd = 'a\ud800\u0000"\udc00z';
  const id = await intended(journal, newIntent(run.id, { server: odd, tool: odd, resources: [odd], rule: { [odd]: odd } }));
  await journal.settle(id, { status: "failed", reason: "tool-error", detail: odd });
  expect(await journal.action(id)).toMatchObject({ server: odd, tool: odd, resources: [odd], rule: { [odd]: odd }, detail: odd });
  await journal.describeRun(run.id, { client: { name: odd, version: odd } });
  expect((await journal.findRun(run.id)).client).toEqual({ name: odd, version: odd });
  const held = await journal.hold(newCall(run.id), "unmentioned");
  expect(await journal.deny(held.id, odd, odd)).toMatchObject({ by: odd, reasons: [odd] });
});

test("an action is found by the beginning of its id if that is only its", async () => {
  const ids = ["journal", "run0000000000000", "abc1000000000000", "abc2000000000000", "abc0000000000000", "abc"][Symbol.iterator]();
  const { journal, run } = await start({ newId: () => ids.next().value ?? crypto.randomUUID() });
  const [, second] = [await intended(journal, newIntent(run.id)), await intended(journal, newIntent(run.id))];
  expect((await journal.findAction("ABC2")).id).toBe(second);
  expect((await journal.findRun("r")).id).toBe(run.id);
  await expect(journal.findAction("abc")).rejects.toMatchObject({
    code: "ambiguous",
    message: expect.stringContaining("abc2000000000000"),
  });
  for (const prefix of ["", "abd", "a%", "_", "\ud800", "{"])
    await expect(journal.findAction(prefix)).rejects.toMatchObject({ code: "not-found" });
});

test("a damaged row or value makes one action unreadable, not the journal", async () => {
  const { file, journal, run } = await start();
  const bad = await intended(journal, newIntent(run.id, { args: { text: "x".repeat(5000) } }));
  const good = await intended(journal, newIntent(run.id));
  tamper(file, "UPDATE actions SET rule = '{', resources = '[1]', status = 'nonsense' WHERE id = ?", bad);
  tamper(file, "UPDATE blobs SET content = x'00' WHERE encoding = 'zstd'");
  const [first, second] = await journal.actions(run.id);
  expect(first).toMatchObject({ id: bad, status: "unknown", rule: null, resources: [], damaged: ["status", "rule", "resources"] });
  expect(second).toMatchObject({ id: good, status: "intended" });
  expect(second?.damaged).toBeUndefined();
  await expect(journal.value(first?.args ?? "")).rejects.toMatchObject({ code: "journal-damaged" });
  expect(await journal.value(second?.args ?? "")).toEqual({ id: "c1", name: "new" });
});
