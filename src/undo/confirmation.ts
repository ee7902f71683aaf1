// What bears out that an action is put back, besides the read that shows its state? The rule's `confirm`, as it was read before the call. Never lets
// a state count as put back that the second read shows otherwise, unless a person chose that.
import { confirmIn, stateOf } from "../core/checks.ts";
import type { PlanStep, StepReason } from "../core/plan-step.ts";
import { callsOfRead, readRead } from "../core/resolved-read.ts";
import type { Journal } from "../journal/journal.ts";
import { type Confirmation, confirm } from "../recorder/confirm.ts";
import type { InverseEnd } from "../recorder/inverse-end.ts";
import { type UndoAction, undamaged } from "./gather.ts";
import { serverFor } from "./servers.ts";
import { stickUnconfirmed } from "./settle-step.ts";
import type { StepParts } from "./undo-step.ts";

/** Gives what the record has of it; undefined where nothing was read for it. A damaged record confirms nothing. */
export async function confirmationOf(journal: Journal, { stored, rule }: UndoAction): Promise<Confirmation | undefined> {
  if (rule.confirm === undefined || stored.checks === null) return undefined;
  const checks = await undamaged(journal, stored.checks);
  const fact = checks === undefined ? undefined : confirmIn(checks);
  if (checks !== undefined && fact === undefined) return undefined;
  const read = fact?.read === undefined ? undefined : readRead(fact.read);
  return { by: fact === undefined ? [] : fact.source.split(", "), read, words: rule.confirm, before: stateOf(fact), ignore: rule.ignore };
}

/** Why a step needs no call that the second read can gainsay. */
const AS_BEFORE: ReadonlySet<StepReason> = new Set(["as-before", "was-put-back", "gone-already"]);

/** Asks the second read of a step that needs no call; gives how it ended where that shows something else, recorded so. */
export async function confirmUnsent(
  { journal, servers, options }: Pick<StepParts, "journal" | "servers" | "options">,
  action: UndoAction,
  step: PlanStep,
): Promise<(InverseEnd & { readonly kind: "stuck" }) | undefined> {
  if (!AS_BEFORE.has(step.reason) || action.redoes !== undefined || options.choices?.get(action.id) === "overwrite") return undefined;
  const confirmation = await confirmationOf(journal, action);
  const [call] = confirmation?.read === undefined ? [] : callsOfRead(confirmation.read);
  if (confirmation === undefined || call === undefined) return undefined;
  const server = await serverFor(servers, action.owner, call.server, call.tool);
  if (server.kind === "failed") return undefined;
  const confirmed = await confirm(server.recorder, confirmation);
  if (confirmed.kind !== "otherwise") return undefined;
  await stickUnconfirmed(journal, action, step, confirmed.why);
  return { kind: "stuck", reason: "read-back-differs", said: confirmed.why, now: confirmed.now };
}
