// Which words may the record hold? Every closed vocabulary is declared here once: list -> type -> manifest schema -> SQL CHECK.

/** What undo can do for a tool (manifest `class`). */
export const ACTION_CLASSES = ["readonly", "reversible", "compensable", "irreversible"] as const;
export type ActionClass = (typeof ACTION_CLASSES)[number];

/** When a call waits for a person (manifest `gate`). */
export const GATES = ["always", "never", "on_write"] as const;
export type Gate = (typeof GATES)[number];

/** How SQL is written (manifest `sql`). */
export const SQL_DIALECTS = ["postgresql", "mysql", "sqlite"] as const;
export type SqlDialect = (typeof SQL_DIALECTS)[number];

export const RUN_KINDS = ["agent", "undo", "redo"] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** `open` while a process holds it; `ended` afterwards; `undone` and `partial` once an undo has been through it. */
export const RUN_STATES = ["open", "ended", "undone", "partial"] as const;
export type RunState = (typeof RUN_STATES)[number];

export const ACTION_STATUSES = [
  "held",
  "approved",
  "denied",
  "expired",
  "intended",
  "applied",
  "failed",
  "unknown",
  "undoing",
  "undone",
  "stuck",
  "permanent",
] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

/** Where an action has changed nothing, or what it changed is put back: nothing of it stands. */
export const SETTLED_STATUSES = ["held", "approved", "denied", "expired", "failed", "undone"] as const satisfies readonly ActionStatus[];

/** Tells whether nothing of an action with this status stands. */
export function isSettled(status: ActionStatus): boolean {
  return SETTLED_STATUSES.some((settled) => settled === status);
}

/** The legal changes of status; `new` is an action that isn't in the journal yet. Everything else is refused. */
export const TRANSITIONS: Readonly<Record<ActionStatus | "new", readonly ActionStatus[]>> = {
  new: ["held", "denied", "intended", "applied", "failed"], // applied and failed at once: reads, recorded after the fact
  held: ["approved", "denied", "expired"],
  approved: ["denied", "expired"], // denied: taken back before it was spent; spending an approval marks the decision; the new call is an action of its own
  denied: [],
  expired: [],
  intended: ["applied", "failed", "unknown", "permanent"],
  unknown: ["applied", "failed", "permanent", "undone"], // a late reply, a look at the world, or a person; undone where its undo was lost
  applied: ["undoing", "undone", "permanent", "unknown", "stuck"], // undone without undoing: found already put back
  undoing: ["undone", "applied", "unknown", "stuck"],
  stuck: ["undoing", "undone"],
  undone: ["applied"], // redo
  failed: [],
  permanent: ["applied"], // a newer policy knows the way back (undo --replan)
};

/** Why an action has its status. A code, never prose; the words that belong to it are kept beside it. */
export const REASONS = [
  // held
  "unmentioned",
  "no-case",
  "gate-always",
  "on-write",
  "arguments-outside",
  "limit-reached",
  "state-absent",
  "tool-unlisted",
  "ambiguous-call",
  // denied
  "by-person",
  "by-policy",
  "scope-missing",
  "environment-other",
  "snapshot-failed",
  "not-text",
  "resource-unclear",
  "journal-refused",
  "undo-under-way",
  "requirement-failed",
  // failed
  "tool-error",
  "tool-error-unverified",
  "declared-failure",
  "protocol-error",
  "not-sent",
  "cancelled-before-sending",
  // unknown
  "reply-lost",
  "server-ended",
  "process-ended",
  "post-state-unreadable",
  "task-pending",
  // permanent
  "irreversible",
  "result-path-missing",
  "not-captured",
  "not-restored",
  // stuck
  "drift",
  "read-back-differs",
  "inverse-failed",
  "read-back-failed",
  // undone
  "already-so",
  "deleted-since",
  "no-trace",
  "put-back",
  "compensated",
  "overwritten",
  "merged",
  // applied or failed
  "redone",
  "resolved-by-person",
] as const;
export type Reason = (typeof REASONS)[number];

/** What the world looked like before a change: `none` where the rule takes no snapshot. */
export const SNAPSHOT_STATES = ["none", "present", "absent"] as const;
export type SnapshotState = (typeof SNAPSHOT_STATES)[number];

/** What the checks after a call came to: any that fails is `failed`, all that pass are `verified`, none or an unreadable one is `inconclusive`. */
export const VERIFICATIONS = ["verified", "failed", "inconclusive"] as const;
export type Verification = (typeof VERIFICATIONS)[number];

/** What one check of a rule came to; `unreadable` where its read shows nothing that could be compared. */
export type CheckOutcome = "pass" | "fail" | "unreadable";

/** What was decided about a call, by policy or by a person. An approval is an `allow` by a person. */
export const DECISION_KINDS = ["allow", "hold", "deny", "repair"] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** What a person may choose at undo for an action in whose way something stands: leave it out, or put it back over what came later. */
export const CHOICES = ["skip", "overwrite"] as const;
export type Choice = (typeof CHOICES)[number];

/** What the undo plan does with an action (40-undo, "Plan, then act"). */
export const PLAN_KINDS = [
  "restore",
  "merge",
  "compensate",
  "done",
  "skip",
  "permanent",
  "expired",
  "conflict",
  "unknown",
  "kept",
] as const;
export type PlanKind = (typeof PLAN_KINDS)[number];
