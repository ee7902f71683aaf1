// How is a call recorded: its intent before it is sent, its outcome after, reads as they come? Writes run inside the writer's transaction,
// with their values made into blobs before it.
import { effectOf } from "../core/hints.ts";
import { type Json, printJson } from "../core/json.ts";
import type { ActionStatus, Reason, SnapshotState, Verification } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Blob, Blobs } from "./blobs.ts";
import { approvalStands, spendApproval } from "./decisions.ts";
import type { FinishedCall, IntentResult, NewCall, NewIntent, Original, Outcome } from "./journal.ts";
import { isFull } from "./limits.ts";
import { getAction, noSuchAction, undosOf } from "./read-actions.ts";
import type { Columns, Transaction } from "./transaction.ts";

/** What an action that is new in the journal has beside what is known of the call. */
interface Beginning {
  readonly status: ActionStatus;
  readonly reason: Reason | null;
  readonly set?: Columns;
}

/** Adds an action at the end of its run and gives its id and seq. */
export function insertAction(
  transaction: Transaction,
  call: NewCall,
  args: Blob,
  { status, reason, set }: Beginning,
): { id: string; seq: number } {
  const id = transaction.sources.newId();
  const seq = transaction.nextSeq(call.run);
  transaction.insert(`action.${status}`, id, "actions", id, {
    run: call.run,
    seq,
    server: printJson(call.server),
    tool: printJson(call.tool),
    class: call.class,
    status,
    reason,
    detail: "null",
    rule: printJson(call.rule),
    call_key: call.callKey,
    resources: printJson(call.resources),
    args: transaction.store(args),
    snapshot_state: "none",
    post_state: "none",
    received_at: call.receivedAt,
    ...set,
  });
  return { id, seq };
}

/** Records an intent, spends its approval, takes its place under a limit and claims what it undoes; if one of these can't be had, nothing is written. */
export function intend(
  transaction: Transaction,
  intent: NewIntent,
  values: Blobs<Pick<NewIntent, "args" | "read" | "snapshot" | "inverse" | "checks">>,
): IntentResult {
  const now = transaction.sources.clock();
  if (intent.approval !== null && !approvalStands(transaction, intent.approval, intent.callKey, now)) return { kind: "approval-gone" };
  if (intent.undoes !== null && !canClaim(transaction, intent.undoes, intent.after))
    return { kind: "claim-lost", status: requireStatus(transaction, intent.undoes) };
  if (isFull(transaction.connection, intent, now)) return { kind: "limit-reached" };
  const set: Columns = {
    ...storeAll(transaction, { read: values.read, snapshot: values.snapshot, inverse: values.inverse, checks: values.checks }),
    snapshot_state: intent.snapshotState,
    undoes: intent.undoes,
    approval: intent.approval,
    sent_at: now,
  };
  const { id, seq } = insertAction(transaction, intent, values.args, { status: "intended", reason: null, set });
  if (intent.approval !== null) spendApproval(transaction, intent.approval, id);
  if (intent.undoes !== null && transaction.statusOf(intent.undoes) !== "undoing")
    transaction.changeStatus(intent.undoes, "undoing", { reason: null });
  return { kind: "intended", action: id, seq };
}

/** Tells whether an action may be put back, or go on being put back, by whoever knows of the steps up to `after`. */
function canClaim(transaction: Transaction, action: string, after: string | null | undefined): boolean {
  const isFree = transaction.canBecome(action, "undoing");
  if (after === undefined) return isFree;
  const latest = undosOf(transaction.connection, action).at(-1);
  const isOpen = latest?.status === "intended" || latest?.status === "unknown";
  return (latest?.id ?? null) === after && !isOpen && (isFree || transaction.statusOf(action) === "undoing");
}

/** From where a call that was sent can settle. */
const UNSETTLED = ["intended", "unknown", "undoing"] as const;

/** The values of an outcome, as blobs. */
type OutcomeValues = Readonly<Partial<Record<"read" | "result" | "post" | "inverse", Blob | undefined>>>;

/** An original with its outcome's values as blobs. */
export interface StoredOriginal {
  readonly original: Original;
  readonly values: OutcomeValues;
}

/** Settles an action, and with it those that it undoes or redoes; false, and nothing written, where one has another status by now. */
export function settle(
  transaction: Transaction,
  action: string,
  outcome: Outcome,
  values: OutcomeValues,
  originals: readonly StoredOriginal[] = [],
): boolean {
  requireStatus(transaction, action);
  if (!originalsCanBecome(transaction, originals) || !transaction.canBecome(action, outcome.status, UNSETTLED)) return false;
  const set: Columns = {
    reason: outcome.reason,
    settled_at: transaction.sources.clock(),
    ...detailColumn(outcome.detail),
    ...shownColumns(transaction, action, outcome, values),
  };
  transaction.changeStatus(action, outcome.status, set, UNSETTLED);
  changeOriginals(transaction, originals);
  return true;
}

function originalsCanBecome(transaction: Transaction, originals: readonly StoredOriginal[]): boolean {
  for (const { original } of originals) requireStatus(transaction, original.action);
  return originals.every(({ original }) => transaction.canBecome(original.action, original.status));
}

/** Changes what a step undoes or redoes; whoever calls has seen that each of them may. */
export function changeOriginals(transaction: Transaction, originals: readonly StoredOriginal[]): void {
  for (const { original, values } of originals) {
    const shown = shownColumns(transaction, original.action, original.outcome ?? {}, values);
    transaction.changeStatus(original.action, original.status, { reason: original.reason, ...detailColumn(original.detail), ...shown });
  }
}

/** Records a call that is over: a read, or one that was refused. */
export function insertFinished(transaction: Transaction, call: FinishedCall, values: Blobs<Pick<FinishedCall, "args" | "result">>): void {
  const set: Columns = {
    detail: printJson(call.detail),
    settled_at: call.settledAt,
    ...effectColumn(call.result),
    ...storeAll(transaction, { result: values.result }),
  };
  const { id } = insertAction(transaction, call, values.args, { status: call.status, reason: call.reason, set });
  if (call.status !== "denied" || call.reason === "by-person") return; // a person's decision stands with the hold that it answered
  const decision = transaction.sources.newId();
  transaction.insert("decision.deny", id, "decisions", decision, {
    action: id,
    kind: "deny",
    made_by: printJson("policy"),
    reasons: printJson(call.reason === null ? [] : [call.reason]),
    made_at: call.settledAt,
    expires_at: null,
    spent_by: null,
    told_at: call.settledAt,
  });
}

/** Replaces what was captured before a call that hasn't been carried out yet. @throws bug if it isn't intended any more */
export function captureAgain(
  transaction: Transaction,
  action: string,
  state: SnapshotState,
  values: Readonly<Record<"snapshot" | "inverse", Blob | undefined>>,
): void {
  if (requireStatus(transaction, action) !== "intended")
    throw new SynartesisError("bug", `Action ${action} is not under way any more, so nothing can be captured for it.`);
  const set = { snapshot_state: state, snapshot: null, inverse: null, ...storeAll(transaction, values) };
  transaction.update("action.captured-again", action, "actions", action, set);
}

/** @throws not-found */
export function addPostState(transaction: Transaction, action: string, state: SnapshotState, post: Blob | undefined): void {
  const set = { post_state: state, post: post === undefined ? null : transaction.store(post) };
  if (!transaction.update("action.post-state", action, "actions", action, set)) throw noSuchAction(action);
}

/** @throws not-found */
export function addVerification(transaction: Transaction, action: string, verification: Verification, checks: Blob): void {
  const set = { verification, checks: transaction.store(checks) };
  if (!transaction.update("action.verification", action, "actions", action, set)) throw noSuchAction(action);
}

/** Changes a status for undo, and with it that of the action that is redone by that; false where another one stands by now. @throws bug if the change is none of the legal ones */
export function move(
  transaction: Transaction,
  action: string,
  from: ActionStatus,
  to: ActionStatus,
  reason: Reason | null,
  detail?: string,
  also: readonly Original[] = [],
): boolean {
  requireStatus(transaction, action);
  const originals = also.map((original) => ({ original, values: {} }));
  if (!originalsCanBecome(transaction, originals)) return false;
  if (!transaction.changeStatus(action, to, { reason, ...detailColumn(detail) }, [from])) return false;
  changeOriginals(transaction, originals);
  return true;
}

function storeAll(transaction: Transaction, values: Readonly<Record<string, Blob | undefined>>): Columns {
  const present = Object.entries(values).filter((entry): entry is [string, Blob] => entry[1] !== undefined);
  return Object.fromEntries(present.map(([column, blob]) => [column, transaction.store(blob)]));
}

/** What an outcome showed; a state that it shows to be absent, or doesn't show, takes the place of the value that was there. */
function shownColumns(
  transaction: Transaction,
  action: string,
  { postState, resources, result }: Pick<Outcome, "postState" | "resources" | "result">,
  values: OutcomeValues,
): Columns {
  return {
    ...(postState === undefined ? {} : { post_state: postState, post: null }),
    ...storeAll(transaction, values),
    ...effectColumn(result),
    ...(resources === undefined ? {} : { resources: addedResources(transaction, action, resources) }),
  };
}

/** What a result says of the effect goes by it: another result takes its place. */
function effectColumn(result: Json | undefined): Columns {
  if (result === undefined) return {};
  const effect = effectOf(result);
  return { effect: effect === undefined ? null : printJson({ ...effect }) };
}

function addedResources(transaction: Transaction, action: string, added: readonly string[]): string {
  return printJson([...new Set([...getAction(transaction.connection, action).resources, ...added])]);
}

function detailColumn(detail: string | undefined): Columns {
  return detail === undefined ? {} : { detail: printJson(detail) };
}

/** @throws not-found */
function requireStatus(transaction: Transaction, action: string): ActionStatus {
  const status = transaction.statusOf(action);
  if (status === undefined) throw noSuchAction(action);
  return status;
}
