// Which actions do the tests of the plan judge? A write to a note that was applied and that a read shows, but for what a test names.
import { digestOf } from "../../src/core/digest.ts";
import type { Json } from "../../src/core/json.ts";
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
    settledAt: 0,
    read: readOf("a"),
    before: present("old"),
    left: present("new"),
    inverse: { server: "notes", tool: "set", args: { key: "a", value: "old" } },
    wayBack: undefined,
    sentAgain: false,
    coveredBy: undefined,
    interrupted: false,
    mayStillRun: false,
    approvedBy: null,
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
    inverse: { server: "notes", tool: "remove", args: { key: "n1" } },
    ...facts,
  });
}
