// What would today's policy do with the state that was captured then? Only the way back changes: what
// was recorded, and the read that showed it, stay, and the state is judged by them.
import { isJsonObject, type Json } from "../core/json.ts";
import { type Policy, ruleFor } from "../core/policy.ts";
import { valueOfResult } from "../core/result-value.ts";
import { recordRule } from "../core/rule-record.ts";
import type { Bindings } from "../core/template.ts";
import type { Journal } from "../journal/journal.ts";
import { resolveCall } from "../recorder/capture.ts";
import type { UndoAction } from "./gather.ts";

/** Gives the actions with the inverses, ignored paths and words that today's policy has for them. */
export async function replanActions(journal: Journal, actions: readonly UndoAction[], policy: Policy): Promise<UndoAction[]> {
  return Promise.all(actions.map((action) => replan(journal, action, policy)));
}

async function replan(journal: Journal, action: UndoAction, policy: Policy): Promise<UndoAction> {
  const { rule } = ruleFor(policy, action.server, action.tool);
  const hasHappened = action.status === "applied" || action.status === "stuck" || action.status === "permanent";
  if (rule === "unmentioned" || !hasHappened || action.class === "readonly") return action;
  const record = recordRule(rule);
  const inverse = rule.inverse && resolveCall(rule.inverse, await bindingsOf(journal, action));
  // What was recorded is compared in the form in which it was recorded.
  const { asText, ...words } = record;
  const form = action.rule.asText === undefined ? {} : { asText: action.rule.asText };
  const replanned = { ...action, rule: { ...words, ...form }, ignore: record.ignore, class: rule.class };
  if (inverse?.kind !== "value") return replanned;
  // What nothing could put back has a way back now.
  const status = action.status === "permanent" ? "applied" : action.status;
  return { ...replanned, inverse: inverse.call, status };
}

async function bindingsOf(journal: Journal, action: UndoAction): Promise<Bindings> {
  const args = await journal.value(action.stored.args);
  const result: Json = action.stored.result === null ? null : await journal.value(action.stored.result);
  const snapshot = action.before?.kind === "present" ? { snapshot: action.before.value } : {};
  return { args, ...snapshot, ...(isJsonObject(result) ? { result: valueOfResult(result) } : {}) };
}
