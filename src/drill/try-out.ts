// Does one call go back? Prepares it, makes it, undoes it as a person would, and looks. A call that fails, is held for more than a gate, or changes nothing that
// anything shows proves nothing.

import type { DrillTool } from "../core/drill-parts.ts";
import { isJsonObject, type Json, type JsonObject, printJson } from "../core/json.ts";
import type { Sample } from "../core/policy.ts";
import { resolveCall } from "../core/resolve-calls.ts";
import { readRead } from "../core/resolved-read.ts";
import { valueOfResult } from "../core/result-value.ts";
import { type RuleRecord, ruleRecordFrom } from "../core/rule-record.ts";
import { type Bindings, type Reference, resolve } from "../core/template.ts";
import type { Action, Run } from "../journal/journal.ts";
import { callApproved } from "./approved-call.ts";
import { type Comparison, compareByRead } from "./compare.ts";
import { type Outcome, unproven, type Witness } from "./outcome.ts";
import { areProbed, lookBy, NoAnswer, type Probe, type ProbeFindings, probeFindings, probesFor, type Shown } from "./probes.ts";
import type { DrillSession, UndoDocument } from "./session.ts";
import { type World, worldDifferences } from "./world.ts";

/** What came of a call. */
export interface Trial {
  /** Which part of the rule governed it, as far as it was recorded. */
  readonly governed: Pick<RuleRecord, "case" | "when"> | undefined;
  readonly outcome: Outcome;
  /** No answer came: the session is of no use any more. */
  readonly isLost: boolean;
  /** The call was sent, the server said no, and nothing of it stands. */
  readonly isRefused?: boolean;
}

/** In milliseconds. */
const LOOK_EVERY = 20;

/** What may be let through: a person who tries a rule out says yes to what it holds by itself. */
const GATES: readonly (string | null)[] = ["gate-always", "on-write"];

/** What a drill looks at beside what the rule reads. */
export interface Sights {
  /** Shows the companions' folders. */
  readonly look: () => World;
  /** The server's tools that list without being asked for anything. */
  readonly listings: readonly string[];
}

/** Tries a tool out with one sample. */
export async function tryOut(session: DrillSession, tool: DrillTool, sample: Sample, sights: Sights): Promise<Trial> {
  const prepared = await prepare(session, sample);
  if (prepared.kind === "lost") return lost(prepared.said);
  const { bindings } = prepared;
  const unfilled = (said: string): Trial => ({
    governed: undefined,
    outcome: unproven("sample", { said, prepared: prepared.failure }),
    isLost: false,
  });
  const args = resolve(sample.args, bindings);
  if (args.kind === "missing") return unfilled(`${args.reference.text} finds nothing`);
  if (!isJsonObject(args.value)) return unfilled("its args aren't a mapping");
  const { probes, lacks } = probesFor(tool, sample, { bindings, args: args.value, listings: sights.listings });
  if (lacks !== undefined) return unfilled(`a check needs ${lacks}`);
  const trial = await tryCall(session, { tool: tool.tool, args: args.value, probes, look: sights.look });
  const { outcome } = trial;
  const changedNothing = outcome.kind === "unproven" && outcome.why.cause === "nothing-changed";
  if (sample.refused && (trial.isRefused || changedNothing)) return { ...trial, outcome: { kind: "refused" } };
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
    const end = await callApproved(session, { ...resolved.call, args: isJsonObject(args) ? args : {} }, () => true);
    if (end.kind === "lost") return { kind: "lost", said: `${name}, which should prepare it: ${end.said}` };
    if (end.kind === "result") bindings = { result: valueOfResult(end.result) };
    else failure ??= `${name}: ${end.kind === "held" ? "held" : end.said}`;
  }
  return { kind: "prepared", bindings, failure };
}

/** A call with everything by which it is looked at. */
interface Attempt {
  readonly tool: string;
  readonly args: JsonObject;
  readonly probes: readonly Probe[];
  readonly look: () => World;
}

async function tryCall(session: DrillSession, attempt: Attempt): Promise<Trial> {
  const { tool, args, probes, look } = attempt;
  const seenBefore = await lastOrder(session);
  try {
    const before = { world: look(), first: await lookBy(session, probes), shown: await lookBy(session, probes) };
    const end = await callApproved(session, { server: session.server, tool, args }, ({ reason }) => GATES.includes(reason));
    if (end.kind === "lost") return lost(end.said, await governedBy(session, tool, seenBefore));
    if (end.kind === "held") {
      const { reason, detail, rule } = end.hold;
      return { governed: ruleRecordFrom(rule), outcome: unproven("held", { reason, said: detail }), isLost: false };
    }
    const run = await session.run();
    const action = await settledOf(session, tool, seenBefore);
    const governed = action && ruleRecordFrom(action.rule);
    const failed = (said: string | null, reason?: string | null): Trial => ({
      governed,
      outcome: unproven("call-failed", { said, reason: reason ?? null }),
      isLost: false,
      isRefused: action?.status === "failed",
    });
    if (end.kind === "failed") return failed(end.said);
    if (run === undefined || action === undefined) return failed(null);
    if (action.status === "failed") return failed(action.detail, action.reason);
    const left = { world: look(), shown: await lookBy(session, probes) };
    return { governed, outcome: await undoAndCompare(session, run, action, { ...attempt, before, left }), isLost: false };
  } catch (error) {
    if (error instanceof NoAnswer) return lost(error.message, await governedBy(session, tool, seenBefore));
    throw error;
  }
}

interface Looked extends Attempt {
  readonly before: { readonly world: World; readonly first: Shown; readonly shown: Shown };
  readonly left: { readonly world: World; readonly shown: Shown };
}

async function undoAndCompare(session: DrillSession, run: Run, { id, seq }: Action, looked: Looked): Promise<Outcome> {
  const { args, probes, before, left, look } = looked;
  const { journal } = session.parts;
  const document = await session.undo(run.id, seq);
  const step = document.steps?.find(({ action }) => action === id);
  if (step === undefined) return unproven("undo", { said: document.error?.message ?? null });
  const action = await journal.action(id);
  const known = before.shown.filter((value) => value !== undefined);
  const own = await compareByRead(session.parts, action, { args, known });
  const bytes = worldDifferences(before.world, look());
  const shown = { first: before.first, before: before.shown, left: left.shown, after: await lookBy(session, probes) };
  const { ignore } = ruleRecordFrom(action.rule);
  const findings = probeFindings(probes, shown, new Set(ignore.flatMap(lastName)));
  const observed = probes.filter(({ by }) => by === "observe");
  const isProbed =
    action.read !== null && action.snapshotState === "none" && areProbed(readRead(await journal.value(action.read)), observed);
  const read = isProbed ? observation(own, findings) : own;
  // What an offset leaves, and what the rule's own read shows, is seen in the listings as well.
  const isTold = read.kind === "left" || read.kind === "differs";
  const others = findings.differences.filter(({ by }) => by === "check" || (by === "listings" && !isTold));
  const differences = [...(read.kind === "differs" ? read.differences : []), ...bytes, ...others.map(({ by: _, ...place }) => place)];
  if (step.end !== "undone") return endOf(step, differences);
  if (differences.length > 0) return { kind: "failed", why: { cause: "differs" }, differences };
  return proofOf(read, { bytes: worldDifferences(before.world, left.world).length > 0, findings });
}

/** An observation that could be asked before the call shows what was there. */
function observation(read: Comparison, { differences, changed }: ProbeFindings): Comparison {
  if (read.kind === "none" || read.kind === "unreadable" || read.kind === "left") return read;
  const moved = differences.filter(({ by }) => by === "observe");
  if (moved.length > 0) return { kind: "differs", differences: moved };
  return { kind: "same", by: "observe", changed: changed.some(({ by }) => by === "observe") };
}

/** All is as it was, as far as was looked: is that far enough? */
function proofOf(read: Comparison, { bytes, findings }: { readonly bytes: boolean; readonly findings: ProbeFindings }): Outcome {
  const by: Witness[] = [];
  if (read.kind === "same" && read.changed) by.push(read.by);
  if (bytes) by.push("bytes");
  if (findings.changed.some((probe) => probe.by === "check")) by.push("check");
  if (read.kind === "left") return unproven("offset", { said: printJson(read.now) });
  if (by.length > 0) return { kind: "proven", by: findings.changed.some((probe) => probe.by === "listings") ? [...by, "listings"] : by };
  if (read.kind === "foreign") return unproven("foreign", { said: printJson(read.left) });
  if (read.kind === "unreadable") return unproven("nothing-shows", { said: read.why });
  return unproven(read.kind === "none" ? "nothing-shows" : "nothing-changed");
}

/** The name that a path ends with: what is ignored in the rule's read is ignored by its name elsewhere. */
function lastName({ steps }: Reference): readonly string[] {
  const last = steps.findLast((each) => each.kind === "member");
  return last === undefined ? [] : [last.name];
}

type Step = NonNullable<UndoDocument["steps"]>[number];

/** What keeps undo from an answer proves nothing; what it answers otherwise than it should is a fault of the rule. */
const NO_ANSWER: readonly (string | null)[] = ["unknown", "no-server", "claim-lost"];

function endOf(step: Step, differences: Extract<Outcome, { kind: "failed" }>["differences"]): Outcome {
  const { kind, reason, detail, unreadable, end, endReason, endDetail } = step;
  const why = { reason: endReason ?? reason, said: endDetail ?? unreadable ?? detail };
  // Undo found nothing to put back: by what the inverse puts back, which may be less than what the call changed.
  if (kind === "done" || reason === "changed-nothing" || reason === "not-restored")
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

/** The same once it is known what came of it: where the server says no, it is looked at after that was handed on. */
async function settledOf(session: DrillSession, tool: string, after: number): Promise<Action | undefined> {
  const { clock, timeout, signal } = session.parts;
  const end = clock() + timeout;
  for (;;) {
    const action = await latestOf(session, tool, after);
    if (action?.status !== "intended" || clock() > end || signal.aborted) return action;
    await Bun.sleep(LOOK_EVERY);
  }
}

async function governedBy(session: DrillSession, tool: string, after: number): Promise<Trial["governed"]> {
  const action = await latestOf(session, tool, after);
  return action && ruleRecordFrom(action.rule);
}

/** A made-up call as a sample. */
export function sampleOf(args: Json, position: Sample["position"]): Sample {
  return { args: { kind: "literal", value: args }, before: [], position };
}
