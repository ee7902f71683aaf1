// What does the plan do with each action, and what does it foresee? Never a call where the state isn't as the agent left it.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Circumstances } from "../../src/core/judge-change.ts";
import { judgeStep as judgeIn } from "../../src/core/judge-step.ts";
import { isHalting, isSending, type PlanAction } from "../../src/core/plan-step.ts";
import { readIgnoredPath } from "../../src/core/reference.ts";
import { isSameState, type State } from "../../src/core/state.ts";
import { planUndo } from "../../src/core/undo-plan.ts";
import { ACTION_STATUSES, type ActionStatus, PLAN_KINDS, TRANSITIONS } from "../../src/core/vocabulary.ts";
import { ABSENT, ALL, creation, present, readOf, UNREADABLE, write } from "./plan-actions.ts";

const PLAIN: Circumstances = { at: 0, overwrite: false, tryExpired: false };
const judgeStep = (action: PlanAction, now: State | undefined, circumstances: Partial<Circumstances> = {}) =>
  judgeIn(action, now, { ...PLAIN, ...circumstances });

const OLD = present("old");
const NEW = present("new");
const OTHER = present("somebody's");
const DAMAGED: State = { kind: "unreadable", cause: "damaged", why: "its digest is another" };
const NO_TRACE: State = { kind: "unreadable", cause: "no-trace", why: "nothing of it was seen" };
const NO_SERVER: State = { kind: "unreadable", cause: "no-server", why: "it isn't there" };
const FOLDER: State = { kind: "unreadable", cause: "tool-error", why: "it is a folder" };

/** A move of a thing to `b`, whose observation shows what is there. */
const move = (facts: Partial<PlanAction> = {}) =>
  creation({ tool: "move", class: "reversible", inverse: { server: "notes", tool: "move", args: { from: "b", to: "a" } }, ...facts });

/** A write to the name of a record, whose inverse puts back name and plan; and what is there once somebody changed the plan. */
const NAMED = {
  kind: "reference",
  reference: { namespace: "snapshot", steps: [{ kind: "member", name: "name" }], text: "$snapshot.name" },
} as const;
const PLANNED = {
  kind: "reference",
  reference: { namespace: "snapshot", steps: [{ kind: "member", name: "plan" }], text: "$snapshot.plan" },
} as const;
const BESIDE = present({ name: "new", plan: "pro" });
const beside = (facts: Partial<PlanAction> = {}) =>
  write({
    before: present({ name: "old", plan: "free" }),
    left: present({ name: "new", plan: "free" }),
    rules: { ...ALL, relevant: [NAMED.reference.steps, PLANNED.reference.steps] },
    wayBack: {
      server: "notes",
      tool: "set",
      template: {
        kind: "object",
        members: [
          ["name", NAMED],
          ["plan", PLANNED],
        ],
      },
      args: {},
      result: undefined,
    },
    ...facts,
  });

type Case = [string, PlanAction, State | undefined, string, string];
const CASES: Case[] = [
  ["a held call", write({ status: "held" }), undefined, "skip", "changed-nothing"],
  ["an approved call", write({ status: "approved" }), undefined, "skip", "changed-nothing"],
  ["a denied call", write({ status: "denied" }), undefined, "skip", "changed-nothing"],
  ["an expired call", write({ status: "expired" }), undefined, "skip", "changed-nothing"],
  ["a failed call", write({ status: "failed" }), NEW, "skip", "changed-nothing"],
  ["a call that is undone", write({ status: "undone" }), NEW, "done", "undone-before"],
  ["a permanent call", write({ status: "permanent", reason: "result-path-missing" }), NEW, "permanent", "result-path-missing"],
  ["a permanent call without a reason", write({ status: "permanent" }), undefined, "permanent", "irreversible"],
  ["a read", write({ class: "readonly", inverse: undefined }), undefined, "skip", "read"],
  ["a read that was lost", write({ class: "readonly", status: "unknown" }), undefined, "skip", "read"],
  ["a write as the agent left it", write(), NEW, "restore", "as-left"],
  ["a write that is put back already", write(), OLD, "done", "as-before"],
  ["a write that somebody changed since", write(), OTHER, "conflict", "changed-since"],
  ["a write whose thing is gone since", write(), ABSENT, "done", "deleted-since"],
  ["a write whose thing a later call took away", write({ coveredBy: { run: "r", seq: 2, id: "i" } }), ABSENT, "conflict", "changed-since"],
  ["a write whose server isn't there", write(), NO_SERVER, "unknown", "server-unavailable"],
  ["a lost write whose server isn't there", write({ status: "unknown", left: undefined }), NO_SERVER, "unknown", "server-unavailable"],
  ["a stuck write whose server isn't there", write({ status: "stuck" }), NO_SERVER, "unknown", "server-unavailable"],
  ["a write past its undo window", write({ terms: { within: 1000 }, settledAt: -2000 }), NEW, "expired", "window-closed"],
  ["a stuck write past its undo window", write({ status: "stuck", terms: { within: 1 }, settledAt: -2 }), NEW, "expired", "window-closed"],
  ["a write beside which others wrote", beside(), BESIDE, "merge", "beside-others"],
  ["a stuck write beside which others wrote", beside({ status: "stuck" }), BESIDE, "merge", "beside-others"],
  ["an unsettled undo beside which others wrote", beside({ status: "undoing", interrupted: true }), BESIDE, "merge", "beside-others"],
  ["an addition, whatever others added", creation({ commutes: true }), OTHER, "compensate", "whatever-since"],
  ["an addition to what is gone", creation({ commutes: true }), ABSENT, "done", "gone-already"],
  [
    "a cut-off addition that others may have changed",
    creation({ commutes: true, status: "undoing", interrupted: true }),
    NEW,
    "unknown",
    "undo-not-known",
  ],
  ["a call to be sent again", write({ sentAgain: true }), NEW, "restore", "sent-again"],
  ["a call to be sent again that no read shows", creation({ sentAgain: true, read: undefined }), undefined, "compensate", "sent-again"],
  [
    "a call that was perhaps sent again",
    write({ sentAgain: true, status: "undoing", interrupted: true }),
    NEW,
    "unknown",
    "undo-not-known",
  ],
  ["a write whose state can't be read", write(), UNREADABLE, "conflict", "state-unreadable"],
  ["a write whose state wasn't read", write(), undefined, "conflict", "state-unreadable"],
  ["a write of which nothing shows what it left", write({ left: undefined }), NEW, "conflict", "post-state-missing"],
  ["a write of which nothing shows what it left, put back", write({ left: undefined }), OLD, "done", "as-before"],
  ["a write that left no trace", write({ left: NO_TRACE }), OLD, "done", "no-trace"],
  ["a write that left no trace then, but shows now", write({ left: NO_TRACE }), NEW, "conflict", "post-state-missing"],
  ["a write that left no trace, unreadable", write({ left: NO_TRACE }), UNREADABLE, "conflict", "state-unreadable"],
  ["a creation that left no trace", creation({ left: NO_TRACE }), ABSENT, "done", "no-trace"],
  ["a creation that left no trace then, but shows now", creation({ left: NO_TRACE }), NEW, "conflict", "post-state-missing"],
  ["a call that failed, unverified", write({ status: "failed", reason: "tool-error-unverified" }), NEW, "skip", "failed-unverified"],
  ["a move of what couldn't be read, then as now", move({ left: FOLDER }), FOLDER, "compensate", "unreadable-alike"],
  ["a move of what couldn't be read, and can now", move({ left: FOLDER }), OTHER, "conflict", "post-state-missing"],
  ["a move of what could be read, and can't now", move(), FOLDER, "conflict", "state-unreadable"],
  ["a move of what somebody replaced", move(), OTHER, "conflict", "changed-since"],
  ["a move that wasn't observed, unreadable", move({ left: undefined }), FOLDER, "conflict", "state-unreadable"],
  ["a creation that couldn't be read, then as now", creation({ left: FOLDER }), FOLDER, "conflict", "state-unreadable"],
  ["a write that couldn't be read, then as now", write({ left: FOLDER }), FOLDER, "conflict", "state-unreadable"],
  ["a write without a way back", write({ inverse: undefined }), NEW, "permanent", "not-captured"],
  ["a stuck write as the agent left it", write({ status: "stuck" }), NEW, "restore", "as-left"],
  ["a stuck write that a person put back", write({ status: "stuck" }), OLD, "done", "as-before"],
  ["a stuck write of another state", write({ status: "stuck" }), OTHER, "conflict", "changed-since"],
  ["a write whose recorded prior state is damaged", write({ before: DAMAGED }), NEW, "conflict", "record-damaged"],
  ["a write whose recorded state after it is damaged", write({ left: DAMAGED }), NEW, "conflict", "record-damaged"],
  ["a write that removed the thing", write({ left: ABSENT }), ABSENT, "restore", "as-left"],
  ["a creation as the agent left it", creation(), NEW, "compensate", "as-left"],
  ["a creation that somebody removed", creation(), ABSENT, "done", "gone-already"],
  ["a creation that somebody changed", creation(), OTHER, "conflict", "changed-since"],
  ["a creation that wasn't observed", creation({ left: undefined }), NEW, "conflict", "post-state-missing"],
  ["an offset that no read shows", creation({ read: undefined, left: undefined }), undefined, "compensate", "offset"],
  ["a lost write that didn't happen", write({ status: "unknown", left: undefined }), OLD, "skip", "did-not-happen"],
  ["a lost write that did something", write({ status: "unknown", left: undefined, reason: "reply-lost" }), NEW, "unknown", "reply-lost"],
  ["a lost write whose state can't be read", write({ status: "unknown", left: undefined }), UNREADABLE, "unknown", "reply-lost"],
  ["a lost write that may be under way", write({ status: "unknown", mayStillRun: true }), OLD, "unknown", "still-running"],
  ["an intent that never got an outcome", write({ status: "intended", left: undefined }), OLD, "skip", "did-not-happen"],
  ["an intent still under way", write({ status: "intended", mayStillRun: true }), OLD, "unknown", "still-running"],
  [
    "a lost creation",
    creation({ status: "unknown", read: undefined, left: undefined, reason: "server-ended" }),
    undefined,
    "unknown",
    "server-ended",
  ],
  ["an undo that another process is at", write({ status: "undoing" }), OLD, "unknown", "still-running"],
  ["a cut-off undo that worked", write({ status: "undoing", interrupted: true }), OLD, "done", "was-put-back"],
  ["a cut-off undo that did nothing", write({ status: "undoing", interrupted: true }), NEW, "restore", "not-put-back"],
  ["a cut-off undo, changed since", write({ status: "undoing", interrupted: true }), OTHER, "unknown", "undo-not-known"],
  ["a cut-off undo, unreadable", write({ status: "undoing", interrupted: true }), UNREADABLE, "unknown", "undo-not-known"],
  [
    "a cut-off undo whose server lives",
    write({ status: "undoing", interrupted: true, mayStillRun: true }),
    OLD,
    "unknown",
    "still-running",
  ],
  ["a lost undo that worked", write({ status: "unknown", interrupted: true }), OLD, "done", "was-put-back"],
  ["a cut-off removal that worked", creation({ status: "undoing", interrupted: true }), ABSENT, "done", "was-put-back"],
  ["a cut-off removal that did nothing", creation({ status: "undoing", interrupted: true }), NEW, "compensate", "not-put-back"],
  [
    "a cut-off offset that no read shows",
    creation({ status: "undoing", interrupted: true, read: undefined, left: undefined }),
    undefined,
    "unknown",
    "undo-not-known",
  ],
];

test.each(CASES)("P3: %s", (_, action, now, kind, reason) => {
  const step = judgeStep(action, now);
  expect({ kind: step.kind, reason: step.reason }).toEqual({ kind, reason } as never);
  if (kind === "merge") expect(step.inverse?.args).toEqual({ name: "old", plan: "pro" });
  else expect(step.inverse).toEqual(kind === "restore" || kind === "compensate" ? action.inverse : undefined);
});

test("every status is judged somewhere above, and every kind that this version plans occurs", () => {
  expect(new Set(CASES.map(([, { status }]) => status))).toEqual(new Set(ACTION_STATUSES));
  const kinds = new Set(CASES.map(([, , , kind]) => kind));
  // What is `kept` is a matter of what was asked for: see below.
  expect([...kinds, "kept"].sort()).toEqual([...PLAN_KINDS].sort() as string[]);
});

test("P3: a conflict shows field by field what was, what the agent left and what is there now, and who may have the ignored ones", () => {
  const reading = readIgnoredPath("at");
  if (reading.kind !== "reference") throw new Error(reading.reason);
  const states = {
    before: present({ name: "ada", plan: "free", at: 1 }),
    left: present({ name: "ada", plan: "pro", at: 2 }),
    rules: { ...ALL, ignore: [reading.reference] },
  };
  const step = judgeStep(write(states), present({ name: "eve", plan: "pro", at: 3 }));
  expect(step.conflicts).toEqual([{ path: "name", before: "ada", left: "ada", now: "eve" }]);
  expect(judgeStep(write(states), present({ name: "ada", plan: "pro", at: 3 })).kind).toBe("restore");
});

test("P3: an offset that nothing shows is marked unverified, and only that", () => {
  expect(judgeStep(creation({ read: undefined }), undefined).verified).toBe(false);
  expect(judgeStep(creation(), NEW).verified).toBe(true);
  expect(judgeStep(write(), NEW).verified).toBe(true);
});

test("many writes to one thing show no false conflict: each is judged by what the newer one will put back", () => {
  const values = Array.from({ length: 101 }, (_, index) => present(String(index)));
  const actions = values.slice(1).map((left, index) => write({ seq: index + 1, before: values[index], left }));
  const plan = planUndo(actions, new Map([[readOf("a").key, present("100")]]));
  expect(plan.steps.map(({ kind }) => kind)).toEqual(Array(100).fill("restore"));
  expect(plan.steps.map(({ action }) => action.seq)).toEqual(actions.map(({ seq }) => seq).reverse());
  expect(plan.steps.some(({ assumed }) => assumed)).toBe(false);
  expect(plan.halt).toBeUndefined();
});

test("P3: writes to one thing of which somebody changed the last halt there, and what is older isn't planned as if nothing were", () => {
  const actions = [write({ seq: 1, left: present("1") }), write({ seq: 2, before: present("1"), left: present("2") })];
  const plan = planUndo(actions, new Map([[readOf("a").key, OTHER]]));
  expect(plan.steps.map(({ kind }) => kind)).toEqual(["conflict", "conflict"]);
  expect(plan.halt).toBe(0);
});

test("a lost write that didn't happen doesn't stand in the way of an older one", () => {
  const lost = write({ seq: 2, status: "unknown", before: present("1"), left: undefined });
  const plan = planUndo([write({ seq: 1, left: present("1") }), lost], new Map([[readOf("a").key, present("1")]]));
  expect(plan.steps.map(({ kind }) => kind)).toEqual(["skip", "restore"]);
});

test("a write and then a move of the same thing: the write is judged as if the move had been taken back", () => {
  const move = write({
    seq: 2,
    tool: "move",
    class: "compensable",
    resources: ["notes:a", "notes:b"],
    read: readOf("b"),
    before: undefined,
    left: NEW,
    inverse: { server: "notes", tool: "move", args: { from: "b", to: "a" } },
  });
  const now = new Map<string, State>([
    [readOf("a").key, ABSENT], // it was moved away
    [readOf("b").key, NEW],
  ]);
  const plan = planUndo([write({ seq: 1 }), move], now);
  expect(plan.steps.map(({ kind, assumed }) => [kind, assumed])).toEqual([
    ["compensate", false],
    ["restore", true],
  ]);
});

test("a write that left no trace, and then a move: it is judged by what was there before it", () => {
  const later = move({ seq: 2, resources: ["notes:a", "notes:b"], read: readOf("b"), left: OLD });
  const plan = planUndo([write({ seq: 1, left: NO_TRACE }), later], new Map([[readOf("b").key, OLD]]));
  expect(plan.steps.map(({ kind, reason, assumed }) => [kind, reason, assumed])).toEqual([
    ["compensate", "as-left", false],
    ["done", "no-trace", true],
  ]);
});

test("a creation and then an update: the removal is planned for the state that the update's undo leaves", () => {
  const created = creation({ seq: 1, left: present("made") });
  const updated = write({ seq: 2, resources: ["notes:n1"], read: readOf("n1"), before: present("made"), left: present("changed") });
  const plan = planUndo([created, updated], new Map([[readOf("n1").key, present("changed")]]));
  expect(plan.steps.map(({ kind, now }) => [kind, now])).toEqual([
    ["restore", present("changed")],
    ["compensate", present("made")],
  ]);
});

test("what wasn't asked for is kept, and halts nothing", () => {
  const actions = [write({ seq: 1, status: "unknown", left: undefined }), write({ seq: 2, resources: ["notes:b"], read: readOf("b") })];
  const plan = planUndo(actions, new Map([[readOf("b").key, NEW]]), { selected: new Set(["action-2"]) });
  expect(plan.steps.map(({ kind }) => kind)).toEqual(["restore", "kept"]);
  expect(plan.halt).toBeUndefined();
});

const values = fc.oneof(
  fc.constantFrom<State>(OLD, NEW, OTHER, ABSENT, UNREADABLE),
  fc.jsonValue().map((json) => present(JSON.parse(JSON.stringify(json)))),
);
const actions = fc.record({
  status: fc.constantFrom(...ACTION_STATUSES),
  class: fc.constantFrom("reversible" as const, "compensable" as const),
  before: fc.option(values, { nil: undefined }),
  left: fc.option(values, { nil: undefined }),
  interrupted: fc.boolean(),
  mayStillRun: fc.boolean(),
});

test("P3: where a read shows the state, no call is ever planned unless it is as the agent left it, and nothing may be at work on it", () => {
  fc.assert(
    fc.property(actions, fc.option(values, { nil: undefined }), (facts, now) => {
      const action = write(facts);
      const step = judgeStep(action, now);
      if (!isSending(step)) return;
      expect(action.left !== undefined && now !== undefined && isSameState(now, action.left, action.rules.ignore)).toBe(true);
      expect(["applied", "stuck"].includes(action.status) || action.interrupted).toBe(true);
      expect(action.interrupted && action.mayStillRun).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("P3: a plan never sends, and never calls done, what it couldn't see", () => {
  fc.assert(
    fc.property(actions, (facts) => {
      for (const now of [undefined, UNREADABLE]) {
        const { kind, inverse } = judgeStep(write(facts), now);
        expect(inverse).toBeUndefined();
        if (kind === "done") expect(facts.status).toBe("undone");
      }
    }),
  );
});

test("P3: the steps of a plan are the run's actions, each once, newest first, and it halts at the first that must halt", () => {
  const things = fc.constantFrom("a", "b", "c");
  fc.assert(
    fc.property(fc.array(fc.tuple(actions, things, values)), (made) => {
      const run = made.map(([facts, key], index) =>
        write({ ...facts, id: String(index), seq: index + 1, resources: [`notes:${key}`], read: readOf(key) }),
      );
      const now = new Map(made.map(([, key, state]) => [readOf(key).key, state]));
      const plan = planUndo(run, now);
      expect(plan.steps.map(({ action }) => action.seq)).toEqual(run.map(({ seq }) => seq).reverse());
      const first = plan.steps.findIndex(isHalting);
      expect(plan.halt).toBe(first < 0 ? undefined : first);
    }),
  );
});

test("a stack of writes to several things, undone as planned, ends in the state before all of them", () => {
  const writes = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.string()), { maxLength: 20 });
  fc.assert(
    fc.property(writes, (made) => {
      const world: Record<string, string> = { a: "0", b: "0", c: "0" };
      const run = made.map(([key, value], index) => {
        const before = present(world[key] ?? "");
        world[key] = value;
        const inverse = { server: "notes", tool: "set", args: { key, value: before.kind === "present" ? before.value : null } };
        return write({ seq: index + 1, resources: [`notes:${key}`], read: readOf(key), before, left: present(value), inverse });
      });
      const now = new Map(Object.entries(world).map(([key, value]) => [readOf(key).key, present(value)]));
      for (const { inverse, kind } of planUndo(run, now).steps) {
        expect(["restore", "done"]).toContain(kind);
        if (inverse) world[(inverse.args as { key: string }).key] = (inverse.args as { value: string }).value;
      }
      expect(world).toEqual({ a: "0", b: "0", c: "0" });
    }),
  );
});

/** Every change of status that the recorder and undo ask the journal for. */
const USED: [ActionStatus | "new", ActionStatus][] = [
  ["new", "intended"],
  ["new", "held"],
  ["new", "applied"],
  ["new", "failed"],
  ["new", "denied"],
  ["intended", "applied"],
  ["intended", "failed"],
  ["intended", "unknown"],
  ["intended", "permanent"],
  ["unknown", "failed"], // undo has seen that it didn't happen
  ["unknown", "applied"], // a lost undo, of which the world shows what became
  ["unknown", "undone"],
  ["undone", "applied"], // redo
  ["applied", "undoing"],
  ["stuck", "undoing"],
  ["undoing", "undone"],
  ["undoing", "applied"],
  ["undoing", "stuck"],
  ["undoing", "unknown"],
  ["applied", "undone"],
  ["stuck", "undone"],
  ["applied", "stuck"],
  ["permanent", "applied"],
];
test.each(USED)("the record allows the change from %s to %s", (from, to) => {
  expect(TRANSITIONS[from]).toContain(to);
});

test("P3: nothing that changed nothing can become undone, and no status is out of reach", () => {
  for (const status of ["held", "denied", "expired", "failed", "intended"] as const) expect(TRANSITIONS[status]).not.toContain("undone");
  const reached = new Set<ActionStatus>(TRANSITIONS.new);
  for (const status of reached) for (const next of TRANSITIONS[status]) reached.add(next);
  expect(reached).toEqual(new Set(ACTION_STATUSES));
});
