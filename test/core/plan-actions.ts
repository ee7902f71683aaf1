// Which actions do the tests of the plan judge, and in which states? A write to a note that was applied and that a read shows, but for what a test names.

import { digestOf } from "../../src/core/digest.ts";
import type { Json } from "../../src/core/json.ts";
import type { Circumstances } from "../../src/core/judge-change.ts";
import { judgeStep as judgeIn } from "../../src/core/judge-step.ts";
import type { PlanAction } from "../../src/core/plan-step.ts";
import type { State } from "../../src/core/state.ts";

export function present(value: Json): State {
  return { kind: "present", value };
}
export const ABSENT: State = { kind: "absent" };
export const UNREADABLE: State = { kind: "unreadable", cause: "failed", why: "it didn't answer" };

/** The read of a note. */
export function readOf(key: string): NonNullable<PlanAction["read"]> {
  const call = { server: "notes", tool: "get", args: { key } };
  return { key: digestOf(call), call };
}

/** Everything of a state counts. */
export const ALL: PlanAction["rules"] = { ignore: [], sets: [], identity: [], relevant: undefined };

/** A write to note `a` that replaced "old" by "new". */
export function write(facts: Partial<PlanAction> = {}): PlanAction {
  return {
    id: `action-${facts.seq ?? 1}`,
    run: "run-1",
    seq: 1,
    server: "notes",
    tool: "set",
    class: "reversible",
    status: "applied",
    reason: null,
    detail: null,
    resources: ["notes:a"],
    rules: ALL,
    commutes: false,
    terms: undefined,
    effect: undefined,
    settledAt: 0,
    lostCall: `action-${facts.seq ?? 1}`,
    read: readOf("a"),
    before: present("old"),
    left: present("new"),
    inverse: [{ server: "notes", tool: "set", args: { key: "a", value: "old" } }],
    wayBack: undefined,
    done: 0,
    sentAgain: false,
    coveredBy: undefined,
    interrupted: false,
    mayStillRun: false,
    approvedBy: null,
    verification: null,
    approvedAt: null,
    ...facts,
  };
}

/** A creation of note `n1`, which an observation showed. */
export function creation(facts: Partial<PlanAction> = {}): PlanAction {
  return write({
    tool: "create",
    class: "compensable",
    resources: ["notes:n1"],
    read: readOf("n1"),
    before: undefined,
    inverse: [{ server: "notes", tool: "remove", args: { key: "n1" } }],
    ...facts,
  });
}

const PLAIN: Circumstances = { at: 0, overwrite: false, tryExpired: false };
/** Judges an action with nothing chosen, but for what a test says. */
export const judgeStep = (action: PlanAction, now: State | undefined, circumstances: Partial<Circumstances> = {}) =>
  judgeIn(action, now, { ...PLAIN, ...circumstances });

export const OLD = present("old");
export const NEW = present("new");
export const OTHER = present("somebody's");
export const DAMAGED: State = { kind: "unreadable", cause: "damaged", why: "its digest is another" };
export const NO_TRACE: State = { kind: "unreadable", cause: "no-trace", why: "nothing of it was seen" };
export const NO_SERVER: State = { kind: "unreadable", cause: "no-server", why: "it isn't there" };
export const FOLDER: State = { kind: "unreadable", cause: "tool-error", why: "it is a folder" };

/** A move of a thing to `b`, whose observation shows what is there. */
export const move = (facts: Partial<PlanAction> = {}) =>
  creation({ tool: "move", class: "reversible", inverse: [{ server: "notes", tool: "move", args: { from: "b", to: "a" } }], ...facts });

/** A write to the name of a record, whose inverse puts back name and plan; and what is there once somebody changed the plan. */
const NAMED = {
  kind: "reference",
  reference: { namespace: "snapshot", steps: [{ kind: "member", name: "name" }], text: "$snapshot.name" },
} as const;
const PLANNED = {
  kind: "reference",
  reference: { namespace: "snapshot", steps: [{ kind: "member", name: "plan" }], text: "$snapshot.plan" },
} as const;
export const BESIDE = present({ name: "new", plan: "pro" });
export const beside = (facts: Partial<PlanAction> = {}) =>
  write({
    before: present({ name: "old", plan: "free" }),
    left: present({ name: "new", plan: "free" }),
    rules: { ...ALL, relevant: [NAMED.reference.steps, PLANNED.reference.steps] },
    wayBack: {
      templates: [
        {
          server: "notes",
          tool: "set",
          args: {
            kind: "object",
            members: [
              ["name", NAMED],
              ["plan", PLANNED],
            ],
          },
        },
      ],
      args: {},
      result: undefined,
    },
    ...facts,
  });
