// What would today's policy do with the state that was captured then? Only the way back changes: what was recorded stays.
import { isJsonObject, type Json } from "../core/json.ts";
import { type Policy, type Rule, ruleFor } from "../core/policy.ts";
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
  const replanned = { ...action, rule: record, ignore: record.ignore, class: rule.class };
  if (inverse?.kind !== "value") return replanned;
  // What nothing could put back has a way back now.
  const status = action.status === "permanent" ? "applied" : action.status;
  return { ...replanned, ...withRead(rule, action), inverse: inverse.call, status };
}

/** A state can only be compared with what the same read shows; a rule that reads otherwise now leaves the step unverified. */
function withRead(rule: Rule, action: UndoAction): Partial<UndoAction> {
  const template = rule.snapshot ?? rule.observe;
  const same = template !== undefined && action.read?.call.server === template.server && action.read.call.tool === template.tool;
  return same ? {} : { read: undefined, before: undefined, left: undefined };
}

async function bindingsOf(journal: Journal, action: UndoAction): Promise<Bindings> {
  const args = await journal.value(action.stored.args);
  const result: Json = action.stored.result === null ? null : await journal.value(action.stored.result);
  const snapshot = action.before?.kind === "present" ? { snapshot: action.before.value } : {};
  return { args, ...snapshot, ...(isJsonObject(result) ? { result: valueOfResult(result) } : {}) };
}
