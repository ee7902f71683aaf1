// What has been decided about a call: is it held, approved, denied, and does that still count? An approval counts once, for one exact call,
// between its own time and its end. Never makes anything count again, whatever the clock does.

import type { Digest } from "../core/digest.ts";
import { printJson } from "../core/json.ts";
import type { DecisionKind, Reason } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import { insertAction } from "./actions.ts";
import type { Blob } from "./blobs.ts";
import type { Cell, Connection, Row } from "./connection.ts";
import type { Action, Decision, NewCall, Standing } from "./journal.ts";
import { latestTimeAfter } from "./latest-time.ts";
import { getAction } from "./read-actions.ts";
import { toAction, toActions, toDecision } from "./rows.ts";
import { ANSWERABLE, WAITING } from "./schema.ts";
import type { Transaction } from "./transaction.ts";

/** How long a held call waits for an answer, in milliseconds. */
export const HOLD_EXPIRES_IN = 24 * 60 * 60 * 1000;

const OPEN_BY_KEY = `SELECT actions.*, decisions.id AS decision FROM actions JOIN decisions ON decisions.action = actions.id
  WHERE call_key = ? AND ${ANSWERABLE} AND (
    (status = 'held' AND decisions.kind = 'hold')
    OR (status = 'approved' AND decisions.kind = 'allow' AND spent_by IS NULL)
    OR (status = 'denied' AND decisions.kind = 'deny' AND told_at IS NULL))
  ORDER BY actions.event`;

/** Gives what stands about a call as far as that needs no writing; undefined where something has to be written. */
export function lookStanding(connection: Connection, callKey: Digest, now: number): Standing | undefined {
  // Nearly every call ends here, so this look has to cost nothing.
  if (connection.first(`SELECT 1 FROM actions WHERE call_key = ? AND ${ANSWERABLE}`, callKey) === undefined) return { kind: "none" };
  const rows = connection.all(OPEN_BY_KEY, callKey);
  const [first] = rows;
  if (first === undefined) return { kind: "none" };
  return rows.length === 1 && first["status"] === "held" && !isOver(connection, first, now)
    ? { kind: "held", hold: toAction(first) }
    : undefined;
}

/** Gives what stands about a call; what is past its time expires, a denial counts as told from now on. */
export function takeStanding(transaction: Transaction, callKey: Digest): Standing {
  const { connection } = transaction;
  const now = transaction.sources.clock();
  const rows = connection.all(OPEN_BY_KEY, callKey).filter((row) => !expireIfOver(transaction, row, now));
  const approved = rows.find((row) => row["status"] === "approved" && Number(approvalOf(connection, row)["made_at"]) <= now);
  if (approved !== undefined) return { kind: "approved", approval: toDecision(approvalOf(connection, approved)), hold: toAction(approved) };
  const denied = rows.find((row) => row["status"] === "denied");
  if (denied !== undefined) {
    const decision = String(denied["decision"]);
    transaction.update("decision.told", String(denied["id"]), "decisions", decision, { told_at: now });
    return { kind: "denied", hold: toAction(denied), decision: getDecision(connection, decision) };
  }
  const held = rows.find((row) => row["status"] === "held");
  return held === undefined ? { kind: "none" } : { kind: "held", hold: toAction(held) };
}

/** Records a held call, unless exactly this call is held already. */
export function hold(transaction: Transaction, call: NewCall, args: Blob, reason: Reason): Action {
  const { connection } = transaction;
  const now = transaction.sources.clock();
  const rows = connection.all("SELECT * FROM actions WHERE call_key = ? AND status = 'held' ORDER BY +event", call.callKey);
  const present = rows.find((row) => !expireIfOver(transaction, row, now));
  if (present !== undefined) return toAction(present);
  const { id } = insertAction(transaction, call, args, { status: "held", reason, set: { detail: printJson(call.besides ?? null) } });
  decide(transaction, id, { kind: "hold", by: "policy", reasons: [reason], expiresAt: now + HOLD_EXPIRES_IN });
  return getAction(connection, id);
}

/** @throws refused if the action isn't held any more */
export function approve(transaction: Transaction, action: string, by: string, expiresIn: number): Decision {
  answer(transaction, action, () => transaction.changeStatus(action, "approved", {}));
  return decide(transaction, action, { kind: "allow", by, reasons: [], expiresAt: transaction.sources.clock() + expiresIn });
}

/** Denies a held call, or takes an approval back that isn't spent. @throws refused if the call doesn't wait and can't run on an approval either */
export function deny(transaction: Transaction, action: string, by: string, why: string | null): Decision {
  const set = { reason: "by-person", detail: printJson(why), settled_at: transaction.sources.clock() };
  const isSpent = transaction.connection.first("SELECT 1 FROM decisions WHERE action = ? AND spent_by IS NOT NULL", action) !== undefined;
  answer(transaction, action, () => !isSpent && transaction.changeStatus(action, "denied", set));
  return decide(transaction, action, { kind: "deny", by, reasons: why === null ? [] : [why], expiresAt: null });
}

function answer(transaction: Transaction, id: string, change: () => boolean): void {
  const row = transaction.connection.first("SELECT * FROM actions WHERE id = ?", id);
  const late = row !== undefined && isOver(transaction.connection, row, transaction.sources.clock());
  if (!late && change()) return;
  const status = late ? "expired" : getAction(transaction.connection, id).status;
  throw new SynartesisError("refused", `the call ${id} doesn't wait for an answer any more: it is ${status}`, {
    hint: "`synartesis gates` shows what waits",
  });
}

/** Records what was decided about an action; changes nothing else. */
export function decide(
  transaction: Transaction,
  action: string,
  made: Pick<Decision, "by" | "reasons" | "expiresAt"> & { kind: DecisionKind },
): Decision {
  const id = transaction.sources.newId();
  transaction.insert(`decision.${made.kind}`, action, "decisions", id, {
    action,
    kind: made.kind,
    made_by: printJson(made.by),
    reasons: printJson(made.reasons),
    made_at: transaction.sources.clock(),
    expires_at: made.expiresAt,
    spent_by: null,
    told_at: null,
  });
  return getDecision(transaction.connection, id);
}

/** Tells whether an approval counts for exactly this call now. */
export function approvalStands(transaction: Transaction, approval: string, callKey: Digest, now: number): boolean {
  const row = transaction.connection.first(
    `SELECT decisions.* FROM decisions JOIN actions ON actions.id = decisions.action
     WHERE decisions.id = ? AND decisions.kind = 'allow' AND spent_by IS NULL AND made_at <= ? AND status = 'approved' AND call_key = ?`,
    approval,
    now,
    callKey,
  );
  return row !== undefined && !approvalIsPast(transaction.connection, row, now);
}

/** Spends an approval that stands, by the action that runs on it. */
export function spendApproval(transaction: Transaction, approval: string, action: string): void {
  const spent = transaction.update(
    "decision.spent",
    action,
    "decisions",
    approval,
    { spent_by: action },
    "kind = 'allow' AND spent_by IS NULL",
  );
  if (!spent) throw new SynartesisError("bug", `the approval ${approval} was spent although it doesn't stand`);
}

/** Tells whether something that waits or is approved is past its time. */
export function anyOver(connection: Connection, now: number): boolean {
  return waitingOrApproved(connection).some((row) => isOver(connection, row, now));
}

/** Expires everything that is past its time. */
export function expireAll(transaction: Transaction): void {
  const now = transaction.sources.clock();
  for (const row of waitingOrApproved(transaction.connection)) expireIfOver(transaction, row, now);
}

/** Gives what waits for a person, oldest first. */
export function listWaiting(connection: Connection): readonly Action[] {
  return toActions(connection.all("SELECT * FROM actions WHERE status = 'held' ORDER BY event"));
}

/** Gives the held calls that were approved and haven't been made since, oldest first. */
export function listApproved(connection: Connection): readonly Action[] {
  return toActions(waitingOrApproved(connection).filter(({ status }) => status === "approved"));
}

/** Gives what was decided about an action, oldest first. */
export function listDecisions(connection: Connection, action: string): readonly Decision[] {
  return connection.all("SELECT * FROM decisions WHERE action = ? ORDER BY event", action).map(toDecision);
}

function waitingOrApproved(connection: Connection): Row[] {
  return connection.all(
    `SELECT * FROM actions WHERE ${WAITING} AND (status = 'held' OR EXISTS (
       SELECT 1 FROM decisions WHERE action = actions.id AND kind = 'allow' AND spent_by IS NULL)) ORDER BY event`,
  );
}

function expireIfOver(transaction: Transaction, row: Row, now: number): boolean {
  if (!isOver(transaction.connection, row, now)) return false;
  return transaction.changeStatus(String(row["id"]), "expired", { settled_at: now });
}

function isOver(connection: Connection, row: Row, now: number): boolean {
  if (row["status"] === "held") return isPast(connection, Number(row["received_at"]) + HOLD_EXPIRES_IN, row["event"], now);
  return row["status"] === "approved" && approvalIsPast(connection, approvalOf(connection, row), now);
}

function approvalIsPast(connection: Connection, { expires_at: end, event }: Row, now: number): boolean {
  return typeof end !== "number" || isPast(connection, end, event, now);
}

/** What began with an event is past, too, if the record has seen a later time than its end: a clock that goes back revives nothing. */
function isPast(connection: Connection, end: number, event: Cell | undefined, now: number): boolean {
  return typeof event !== "number" || end <= now || latestTimeAfter(connection, event) >= end;
}

function approvalOf(connection: Connection, action: Row): Row {
  const sql = "SELECT * FROM decisions WHERE action = ? AND kind = 'allow' ORDER BY event DESC LIMIT 1";
  const row = connection.first(sql, String(action["id"]));
  return row ?? {}; // without one, it is over
}

/** Gives a decision by its id. */
export function findDecision(connection: Connection, id: string): Decision | undefined {
  const row = connection.first("SELECT * FROM decisions WHERE id = ?", id);
  return row === undefined ? undefined : toDecision(row);
}

function getDecision(connection: Connection, id: string): Decision {
  const decision = findDecision(connection, id);
  if (decision === undefined) throw new SynartesisError("not-found", `there is no decision ${id} in this journal`);
  return decision;
}
