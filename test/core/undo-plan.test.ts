// What does the plan do with each action, and what does it foresee? Never a call where the state isn't as the agent left it.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { isHalting, isSending } from "../../src/core/plan-step.ts";
import { readIgnoredPath } from "../../src/core/reference.ts";
import { isSameState, type State } from "../../src/core/state.ts";
import { planUndo } from "../../src/core/undo-plan.ts";
import { ACTION_STATUSES, type ActionStatus, TRANSITIONS } from "../../src/core/vocabulary.ts";
import { ABSENT, ALL, creation, judgeStep, move, NEW, NO_TRACE, OLD, OTHER, present, readOf, UNREADABLE, write } from "./plan-actions.ts";

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
    inverse: [{ server: "notes", tool: "move", args: { from: "b", to: "a" } }],
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
        const inverse = [{ server: "notes", tool: "set", args: { key, value: before.kind === "present" ? before.value : null } }];
        return write({ seq: index + 1, resources: [`notes:${key}`], read: readOf(key), before, left: present(value), inverse });
      });
      const now = new Map(Object.entries(world).map(([key, value]) => [readOf(key).key, present(value)]));
      for (const { inverse, kind } of planUndo(run, now).steps) {
        expect(["restore", "done"]).toContain(kind);
        const [call] = inverse ?? [];
        if (call) world[(call.args as { key: string }).key] = (call.args as { value: string }).value;
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
