// What would today's policy do with the state that was captured then? Only the way back changes: what
// was recorded, and the read that showed it, stay, and the state is judged by them.
import { ruleWhen } from "../core/cases.ts";
import type { GoverningRule, Policy, Rule } from "../core/policy.ts";
import { inRecordedForm } from "../core/read-terms.ts";
import { readsHidden, showsHidden } from "../core/redaction.ts";
import { readsOf, resolveCalls } from "../core/resolve-calls.ts";
import { writeCalls } from "../core/resolved-call.ts";
import { recordRule } from "../core/rule-record.ts";
import { type Bindings, NAMESPACES } from "../core/template.ts";
import type { Journal } from "../journal/journal.ts";
import { ruleForCall } from "../manifest/rule-for-call.ts";
import { bindingsOf } from "../recorder/capture.ts";
import { isPartlyDone } from "./earlier-calls.ts";
import { resultAt, type UndoAction } from "./gather.ts";
import { statesOf } from "./load-action.ts";

/** Gives the actions with the inverses, ignored paths and words that today's policy has for them. */
export async function replanActions(journal: Journal, actions: readonly UndoAction[], policy: Policy): Promise<UndoAction[]> {
  return Promise.all(actions.map((action) => replan(journal, action, policy)));
}

async function replan(journal: Journal, action: UndoAction, policy: Policy): Promise<UndoAction> {
  const rule = await ruleToday(journal, action, policy);
  const hasHappened = action.status === "applied" || action.status === "stuck" || action.status === "permanent";
  if (rule === "unmentioned" || !hasHappened || action.class === "readonly") return action;
  // What was begun by the recorded calls can only be ended by them.
  if (await isPartlyDone(journal, action.id)) return action;
  const record = recordRule(rule);
  const needsHidden = NAMESPACES.some((namespace) =>
    readsOf(rule.inverse, namespace).some((steps) => readsHidden({ namespace, steps }, action.rule.redact ?? [])),
  );
  const inverse = needsHidden
    ? undefined
    : rule.inverse && resolveCalls(rule.inverse, await bindingsNow(journal, action, rule.resultFields));
  const { inverse: template, ...kept } = inRecordedForm(record, action.rule);
  const { inverse: recorded } = action.rule;
  const replanned = { ...action, class: rule.class, terms: rule.undo };
  // Where today's policy has no way back, the recorded one stays, call and template.
  if (inverse?.kind !== "value" || showsHidden(writeCalls(inverse.calls)))
    return { ...replanned, rule: { ...kept, ...(recorded && { inverse: recorded }) } };
  // What nothing could put back has a way back now.
  const status = action.status === "permanent" ? "applied" : action.status;
  return { ...replanned, rule: { ...kept, ...(template && { inverse: template }) }, replanned: inverse.calls, status };
}

/** The rule of today that a call like this one would have, by what its snapshot showed. */
async function ruleToday(journal: Journal, { server, tool, stored }: UndoAction, policy: Policy): Promise<GoverningRule> {
  const rule = ruleForCall(policy, server, tool, await journal.value(stored.args));
  if (rule === "unmentioned" || rule.cases !== undefined) return "unmentioned";
  return stored.snapshotState === "none" ? rule : ruleWhen(rule, stored.snapshotState);
}

async function bindingsNow(journal: Journal, { stored }: UndoAction, fields: Rule["resultFields"]): Promise<Bindings> {
  const { before } = await statesOf(journal, stored);
  const result = await resultAt(journal, stored, fields);
  return { ...bindingsOf(await journal.value(stored.args), before), ...(result === undefined ? {} : { result }) };
}
