// What is done with one action, by its status and by what is there now? Each pair of status and kind that can occur has its case, and no other occurs.
import { expect, test } from "bun:test";
import type { PlanAction } from "../../src/core/plan-step.ts";
import type { State } from "../../src/core/state.ts";
import { planUndo } from "../../src/core/undo-plan.ts";
import { ACTION_STATUSES, type ActionStatus, PLAN_KINDS, type PlanKind } from "../../src/core/vocabulary.ts";
import {
  ABSENT,
  BESIDE,
  beside,
  creation,
  DAMAGED,
  FOLDER,
  judgeStep,
  move,
  NEW,
  NO_SERVER,
  NO_TRACE,
  OLD,
  OTHER,
  readOf,
  UNREADABLE,
  write,
} from "./plan-actions.ts";

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
  ["a lost undo that did nothing", write({ status: "unknown", interrupted: true }), NEW, "restore", "not-put-back"],
  ["a lost removal that did nothing", creation({ status: "unknown", interrupted: true }), NEW, "compensate", "not-put-back"],
  ["a lost undo beside which others wrote", beside({ status: "unknown", interrupted: true }), BESIDE, "merge", "beside-others"],
  [
    "a lost undo whose inverse is lost too",
    write({ status: "unknown", interrupted: true, inverse: undefined }),
    NEW,
    "conflict",
    "not-mergeable",
  ],
  [
    "a cut-off undo whose inverse is lost",
    write({ status: "undoing", interrupted: true, inverse: undefined }),
    NEW,
    "conflict",
    "not-mergeable",
  ],
  ["a stuck creation as the agent left it", creation({ status: "stuck" }), NEW, "compensate", "as-left"],
  ["a stuck write without a way back", write({ status: "stuck", inverse: undefined }), NEW, "permanent", "not-captured"],
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
  if (kind === "merge") expect(step.inverse?.[0]?.args).toEqual({ name: "old", plan: "pro" });
  else expect(step.inverse).toEqual(kind === "restore" || kind === "compensate" ? action.inverse : undefined);
});

/** Which kinds a step can have, by the status of its action. A new status doesn't compile without an entry; `kept` is for each, see below. */
const KINDS_OF: Readonly<Record<ActionStatus, readonly PlanKind[]>> = {
  held: ["skip"],
  approved: ["skip"],
  denied: ["skip"],
  expired: ["skip"],
  failed: ["skip"],
  intended: ["skip", "unknown"],
  // With an undo that was lost, it is judged by what became of that.
  unknown: ["restore", "merge", "compensate", "done", "skip", "conflict", "unknown"],
  applied: ["restore", "merge", "compensate", "done", "skip", "permanent", "expired", "conflict", "unknown"],
  stuck: ["restore", "merge", "compensate", "done", "permanent", "expired", "conflict", "unknown"],
  undoing: ["restore", "merge", "compensate", "done", "conflict", "unknown"],
  undone: ["done"],
  permanent: ["permanent"],
};

const pairsOf = (cases: readonly (readonly [ActionStatus, PlanKind])[]) => [...new Set(cases.map((pair) => pair.join(" -> ")))].sort();
const ALL_PAIRS = pairsOf(ACTION_STATUSES.flatMap((status) => KINDS_OF[status].map((kind) => [status, kind] as const)));

test("every pair of status and kind that can occur is judged in a case above, and every kind of the vocabulary has one", () => {
  expect(pairsOf(CASES.map(([, { status }, , kind]) => [status, kind as PlanKind]))).toEqual(ALL_PAIRS);
  expect(new Set([...Object.values(KINDS_OF).flat(), "kept"])).toEqual(new Set(PLAN_KINDS));
});

/** Every combination of what an action in a journal can be. */
function* everyAction(): Generator<PlanAction> {
  const shapes = [
    write(),
    beside(),
    creation(),
    creation({ read: undefined }),
    write({ inverse: undefined }),
    creation({ commutes: true }),
  ];
  // Only of these an undo may have been cut off; and one that is neither is somebody's who is at it.
  for (const status of ACTION_STATUSES)
    for (const shape of shapes)
      for (const left of [shape.left, undefined, ABSENT, DAMAGED, NO_TRACE, FOLDER])
        for (const sentAgain of [false, true])
          for (const mayStillRun of [false, true])
            for (const interrupted of status === "undoing" || status === "unknown" ? [false, true] : [false])
              for (const terms of [undefined, { within: 1 }])
                yield { ...shape, status, left, sentAgain, mayStillRun, interrupted, terms, settledAt: 0 };
  for (const status of ["intended", "unknown", "applied", "failed"] as const)
    yield write({ status, class: "readonly", inverse: undefined, read: undefined, before: undefined, left: undefined });
}

test("P3: whatever is known of an action, and whatever is there now, no other pair occurs", () => {
  const states = [undefined, OLD, NEW, OTHER, BESIDE, ABSENT, UNREADABLE, NO_SERVER, FOLDER];
  const found: (readonly [ActionStatus, PlanKind])[] = [];
  for (const action of everyAction())
    for (const now of [...states, action.before, action.left])
      for (const overwrite of [false, true])
        for (const at of [0, 10]) found.push([action.status, judgeStep(action, now, { overwrite, at }).kind]);
  expect(pairsOf(found)).toEqual(ALL_PAIRS);
});

test("whatever its status, an action that wasn't asked for or was skipped is kept", () => {
  for (const status of ACTION_STATUSES) {
    const action = write({ status });
    const now = new Map([[readOf("a").key, NEW]]);
    expect(planUndo([action], now, { selected: new Set() }).steps[0]).toMatchObject({ kind: "kept", reason: "not-asked" });
    const skipped = planUndo([action], now, { choices: new Map([[action.id, "skip"]]) });
    expect(skipped.steps[0]).toMatchObject({ kind: "kept", reason: "skipped" });
    expect([skipped.halt, skipped.steps[0]?.inverse]).toEqual([undefined, undefined]);
  }
});
