// Does one call go back? Prepares it, makes it, undoes it as a person would, and looks. A call that fails, is held for more than a gate, or changes nothing that
// anything shows proves nothing.
import { isJsonObject, type Json, type JsonObject, printJson } from "../core/json.ts";
import type { Sample } from "../core/policy.ts";
import { resolveCall } from "../core/resolve-calls.ts";
import { valueOfResult } from "../core/result-value.ts";
import { type RuleRecord, ruleRecordFrom } from "../core/rule-record.ts";
import { type Bindings, resolve } from "../core/template.ts";
import type { Action, Run } from "../journal/journal.ts";
import { compareByRead } from "./compare.ts";
import { type Outcome, unproven, type Witness } from "./outcome.ts";
import type { CallEnd, DrillSession, UndoDocument } from "./session.ts";
import { type World, worldDifferences } from "./world.ts";

/** What came of a call. */
export interface Trial {
  /** Which part of the rule governed it, as far as it was recorded. */
  readonly governed: Pick<RuleRecord, "case" | "when"> | undefined;
  readonly outcome: Outcome;
  /** No answer came: the session is of no use any more. */
  readonly isLost: boolean;
}

/** What may be let through: a person who tries a rule out says yes to what it holds by itself. */
const GATES: readonly (string | null)[] = ["gate-always", "on-write"];
/** An approval of a drill is used at once. */
const APPROVAL_LASTS = 60_000;

/** Tries a tool out with one sample. `look` shows the companions' folders. */
export async function tryOut(session: DrillSession, tool: string, sample: Sample, look: () => World): Promise<Trial> {
  const prepared = await prepare(session, sample);
  if (prepared.kind === "lost") return lost(prepared.said);
  const args = resolve(sample.args, prepared.bindings);
  if (args.kind === "missing" || !isJsonObject(args.value)) {
    const said = args.kind === "missing" ? `${args.reference.text} finds nothing` : "its args aren't a mapping";
    return { governed: undefined, outcome: unproven("sample", { said, prepared: prepared.failure }), isLost: false };
  }
  const trial = await tryCall(session, tool, args.value, look);
  const { outcome } = trial;
  if (outcome.kind !== "unproven" || prepared.failure === null) return trial;
  return { ...trial, outcome: { ...outcome, why: { ...outcome.why, prepared: prepared.failure } } };
}

function lost(said: string, governed?: Trial["governed"]): Trial {
  return { governed, outcome: unproven("lost", { said }), isLost: true };
}

/** A call that fails here may be one whose thing is there from the last time: the call itself will tell. */
async function prepare(
  session: DrillSession,
  { before }: Sample,
): Promise<{ kind: "prepared"; bindings: Bindings; failure: string | null } | { kind: "lost"; said: string }> {
  let bindings: Bindings = {};
  let failure: string | null = null;
  for (const template of before) {
    const resolved = resolveCall(template, bindings);
    const name = `${template.server}.${template.tool}`;
    if (resolved.kind === "missing") {
      failure ??= `${name} needs ${resolved.why}`;
      continue;
    }
    const { args } = resolved.call;
    const end = await callApproved(session, resolved.call.server, resolved.call.tool, isJsonObject(args) ? args : {}, () => true);
    if (end.kind === "lost") return { kind: "lost", said: `${name}, which should prepare it: ${end.said}` };
    if (end.kind === "result") bindings = { result: valueOfResult(end.result) };
    else failure ??= `${name}: ${end.kind === "held" ? "held" : end.said}`;
  }
  return { kind: "prepared", bindings, failure };
}

type ApprovedEnd = CallEnd | { readonly kind: "held"; readonly hold: Action };

/** Calls a tool, and once more where it is held for what may be approved. */
async function callApproved(
  session: DrillSession,
  server: string,
  tool: string,
  args: JsonObject,
  mayApprove: (hold: Action) => boolean,
): Promise<ApprovedEnd> {
  const { journal } = session.parts;
  const end = await session.call(server, tool, args);
  if (end.kind !== "failed") return end;
  const [hold] = await journal.waiting();
  if (hold === undefined) return end;
  if (!mayApprove(hold)) {
    await journal.deny(hold.id, "drill", null); // so that the next call that waits is the next one that is made
    return { kind: "held", hold };
  }
  await journal.approve(hold.id, "drill", APPROVAL_LASTS);
  return session.call(server, tool, args);
}

async function tryCall(session: DrillSession, tool: string, args: JsonObject, look: () => World): Promise<Trial> {
  const seenBefore = await lastOrder(session);
  const before = look();
  const end = await callApproved(session, session.server, tool, args, ({ reason }) => GATES.includes(reason));
  if (end.kind === "lost") return lost(end.said, await governedBy(session, tool, seenBefore));
  if (end.kind === "held") {
    const { reason, detail, rule } = end.hold;
    return { governed: ruleRecordFrom(rule), outcome: unproven("held", { reason, said: detail }), isLost: false };
  }
  const run = await session.run();
  const action = await latestOf(session, tool, seenBefore);
  const governed = action && ruleRecordFrom(action.rule);
  const failed = (said: string | null, reason?: string | null): Trial => ({
    governed,
    outcome: unproven("call-failed", { said, reason: reason ?? null }),
    isLost: false,
  });
  if (end.kind === "failed") return failed(end.said);
  if (run === undefined || action === undefined) return failed(null);
  if (action.status === "failed") return failed(action.detail, action.reason);
  const left = look();
  return { governed, outcome: await undoAndCompare(session, run, action, { before, left, look }), isLost: false };
}

interface Worlds {
  readonly before: World;
  readonly left: World;
  readonly look: () => World;
}

async function undoAndCompare(session: DrillSession, run: Run, { id, seq }: Action, worlds: Worlds): Promise<Outcome> {
  const document = await session.undo(run.id, seq);
  const step = document.steps?.find(({ action }) => action === id);
  if (step === undefined) return unproven("undo", { said: document.error?.message ?? null });
  const read = await compareByRead(session.parts, await session.parts.journal.action(id));
  const bytes = worldDifferences(worlds.before, worlds.look());
  const differences = [...(read.kind === "differs" ? read.differences : []), ...bytes];
  if (step.end !== "undone") return endOf(step, differences);
  if (differences.length > 0) return { kind: "failed", why: { cause: "differs" }, differences };
  const by: Witness[] = [];
  if (read.kind === "same" && read.changed) by.push("read");
  if (worldDifferences(worlds.before, worlds.left).length > 0) by.push("bytes");
  if (read.kind === "left") return unproven("offset", { said: printJson(read.now) });
  if (by.length > 0) return { kind: "proven", by };
  if (read.kind === "unreadable") return unproven("nothing-shows", { said: read.why });
  return unproven(read.kind === "none" ? "nothing-shows" : "nothing-changed");
}

type Step = NonNullable<UndoDocument["steps"]>[number];

/** What keeps undo from an answer proves nothing; what it answers otherwise than it should is a fault of the rule. */
const NO_ANSWER: readonly (string | null)[] = ["unknown", "no-server", "claim-lost"];

function endOf(step: Step, differences: Extract<Outcome, { kind: "failed" }>["differences"]): Outcome {
  const { kind, reason, detail, unreadable, end, endReason, endDetail } = step;
  const why = { reason: endReason ?? reason, said: endDetail ?? unreadable ?? detail };
  // Undo found nothing to put back: by what the inverse puts back, which may be less than what the call changed.
  if (kind === "done" || reason === "changed-nothing")
    return differences.length > 0
      ? { kind: "failed", why: { cause: "differs", reason }, differences }
      : unproven("nothing-changed", { reason });
  if (NO_ANSWER.includes(end) || kind === "unknown") return unproven("undo", why);
  return { kind: "failed", why: { cause: "undo", ...why }, differences };
}

/** What was recorded before has at most this order, in whatever run. */
async function lastOrder(session: DrillSession): Promise<number> {
  const run = await session.run();
  return run === undefined ? 0 : ((await session.parts.journal.actions(run.id)).at(-1)?.order ?? 0);
}

/** The call that was just made, if it was recorded. */
async function latestOf(session: DrillSession, tool: string, after: number): Promise<Action | undefined> {
  const run = await session.run();
  const actions = run === undefined ? [] : await session.parts.journal.actions(run.id);
  return actions.findLast((action) => action.tool === tool && action.order > after);
}

async function governedBy(session: DrillSession, tool: string, after: number): Promise<Trial["governed"]> {
  const action = await latestOf(session, tool, after);
  return action && ruleRecordFrom(action.rule);
}

/** A made-up call as a sample. */
export function sampleOf(args: Json, position: Sample["position"]): Sample {
  return { args: { kind: "literal", value: args }, before: [], position };
}
