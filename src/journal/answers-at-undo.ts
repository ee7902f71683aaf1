// What has a person said about an action at undo: leave it out, overwrite what came later, it did or didn't happen? Recorded as decisions;
// none of them is an approval, and none lets a call through.
import { type ActionStatus, CHOICES, type Choice } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import { changeOriginals } from "./actions.ts";
import type { Connection } from "./connection.ts";
import { decide } from "./decisions.ts";
import type { Decision, Original } from "./journal.ts";
import { getAction } from "./read-actions.ts";
import { toDecision } from "./rows.ts";
import type { Transaction } from "./transaction.ts";

/** The statuses of a call that was never sent: a decision about it is about letting it through. */
const NEVER_SENT: readonly ActionStatus[] = ["held", "approved", "denied", "expired"];

/** Records a choice; it takes the place of an earlier one. @throws not-found; refused if the call was never sent */
export function recordChoice(transaction: Transaction, action: string, choice: Choice, by: string): Decision {
  const { status } = getAction(transaction.connection, action);
  if (NEVER_SENT.includes(status)) {
    throw new SynartesisError("refused", `the call ${action} is ${status}: it was never carried out, so there is nothing to undo`);
  }
  return decide(transaction, action, { kind: choice === "skip" ? "deny" : "allow", by, reasons: [choice], expiresAt: null });
}

/** Gives the latest choice about each action of a run about which there is one. */
export function choices(connection: Connection, run: string): ReadonlyMap<string, ReadonlySet<Choice>> {
  const sent = NEVER_SENT.map((status) => `status <> '${status}'`).join(" AND "); // a person may have denied one in the same word
  const sql = `SELECT decisions.* FROM decisions JOIN actions ON actions.id = decisions.action WHERE run = ? AND ${sent} ORDER BY decisions.event`;
  const latest = new Map<string, ReadonlySet<Choice>>();
  for (const { action, kind, reasons } of connection.all(sql, run).map(toDecision)) {
    const choice = CHOICES.find((word) => reasons.length === 1 && reasons[0] === word);
    if (choice !== undefined && kind === (choice === "skip" ? "deny" : "allow")) latest.set(action, new Set([choice]));
  }
  return latest;
}

/** Settles an unknown action as a person says it ended, and with it what it was to undo. @throws not-found; refused if it isn't unknown */
export function resolve(
  transaction: Transaction,
  action: string,
  became: "applied" | "failed",
  by: string,
  originals: readonly Original[],
): Decision {
  const { status } = getAction(transaction.connection, action);
  const set = { reason: "resolved-by-person", settled_at: transaction.sources.clock() };
  if (!transaction.changeStatus(action, became, set, ["unknown"])) {
    throw new SynartesisError("refused", `the action ${action} isn't unknown: it is ${status}`, {
      hint: "`synartesis show` shows what became of it",
    });
  }
  changeOriginals(
    transaction,
    originals.map((original) => ({ original, values: {} })),
  );
  return decide(transaction, action, { kind: "repair", by, reasons: [became], expiresAt: null });
}
