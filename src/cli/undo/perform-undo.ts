// How does `undo` or `redo` run? Prepares, plans where somebody will see the plan, asks where that is due, carries out, and says what still stands.

import { type ActionHead, hasSideEffects, isSending, type UndoPlan } from "../../core/plan-step.ts";
import type { Policy, ServerSource } from "../../core/policy.ts";
import { SynartesisError } from "../../errors.ts";
import { type AgreedStates, agreedStates } from "../../undo/agreed-states.ts";
import { carryOutUndo, type UndoReport } from "../../undo/carry-out.ts";
import { makePlan, type ShownStep } from "../../undo/make-plan.ts";
import { othersStanding } from "../../undo/others-standing.ts";
import { type PreparedUndo, prepareUndo, type UndoRequest } from "../../undo/prepare-undo.ts";
import type { StepReport } from "../../undo/undo-step.ts";
import type { Context } from "../command.ts";
import { createLog } from "../log.ts";
import { loginTo } from "../logins.ts";
import type { OpenedJournal } from "../open-journal.ts";
import { sayThatWeWait } from "../patience.ts";
import { startProgress } from "../progress.ts";
import { planText, reportText } from "../render/plan.ts";
import { type StepDocument, stepDocument, undoDocument } from "../render/plan-document.ts";
import { choicesAt, type HaltChoices, haltsOf } from "../render/plan-sum.ts";
import type { PlanView } from "../render/plan-view.ts";
import { endText, haltedOf, headText, lastWordsText, standingText } from "../render/undo-words.ts";
import { styleOf, viewOf, widthOf } from "../view.ts";
import { checkPlan, type SavedPlan, savePlan } from "./plan-file.ts";
import { sameCommand } from "./same-command.ts";
import type { ReversingOptions } from "./undo-options.ts";

/** Cells; the values in a plan are shortened to it where there is no terminal. */
const PIPED_WIDTH = 120;

/** What an undo is performed with. */
export interface Performance {
  readonly opened: OpenedJournal;
  readonly request: UndoRequest;
  readonly options: ReversingOptions;
  /** The command of a server that was wrapped in place, as given after `--`. */
  readonly wrappedCommand: readonly string[] | undefined;
  /** The plan that is to be carried out, and nothing else. */
  readonly saved: SavedPlan | undefined;
  /** Is told what could be decided where the plan halts, and at the end. */
  readonly onHalt?: (choices: HaltChoices) => void;
}

/** Performs it; gives the exit code. */
export async function performUndo(context: Context, performance: Performance): Promise<number> {
  const { opened, options } = performance;
  const patience = options.live ? sayThatWeWait(context, "letting the agent's calls come to their end") : undefined;
  const prepared = await prepare(context, performance);
  patience?.stop();
  context.defer(() => prepared.close());
  const view = planViewOf(context, prepared, performance);
  const plan = needsPlan(context, prepared, performance) ? await planned(context, prepared) : undefined;
  if (plan !== undefined && performance.saved !== undefined) await checkPlan(performance.saved, prepared, plan);
  if (plan?.halt !== undefined) performance.onHalt?.(choicesAt(view, haltsOf(plan).halting, haltsOf(plan).unreached > 0));
  if ((options.out !== undefined || options["dry-run"]) && plan !== undefined) {
    const id = options.out === undefined ? undefined : await savePlan(context.io, options.out, prepared, plan);
    if (options.json) context.printJson(undoDocument(prepared, plan, { connections: await prepared.connections() }));
    else context.print(await planOf(view, prepared, opened, plan));
    if (id !== undefined && !options.json) context.print(`Saved as ${options.out} (plan ${id}).`);
    return plan.halt === undefined ? 0 : 1;
  }
  const asked = plan !== undefined && (await ask(context, prepared, plan, options, () => planOf(view, prepared, opened, plan)));
  const seen = asked && context.io.stdout.isTerminal ? plan : undefined;
  if (!options.json && seen === undefined) context.print(headText(prepared, opened, view));
  const agreed = plan !== undefined && (asked || performance.saved !== undefined) ? agreedStates(plan) : undefined;
  const { report, ended } = await carryOut(context, prepared, performance, { view, seen, agreed });
  if (options.json && plan !== undefined)
    context.printJson(undoDocument(prepared, plan, { connections: await prepared.connections(), report, ended }));
  else await printEnd(context, prepared, report, view);
  performance.onHalt?.(choicesAt(view, haltedOf(report.reports), report.unreached.length > 0));
  return isAsAsked(prepared, report) ? 0 : 1;
}

async function prepare(context: Context, { opened, request, options, wrappedCommand }: Performance): Promise<PreparedUndo> {
  const { io } = context;
  const sourceOf = (policy: Policy) => (name: string) => policy.servers.find((server) => server.name === name)?.source;
  const parts = {
    journal: opened.journal,
    log: createLog((line) => io.stderr.write(line), "error", io.now),
    clock: io.now,
    readTimeout: 30_000,
    env: io.env,
    program: io.executable,
    login: (name: string, url: URL) => loginTo(io, name, url),
    viaClient: async (name: string, via: ServerSource & { kind: "via" }) =>
      (await import("../clients/reach-by-client.ts")).reachByClient(io, name, via),
    wrappedCommand,
    today: request.replan && sourceOf(request.replan),
    command: opened.command,
    looksOnly: options["dry-run"] || options.out !== undefined,
    note: context.note,
  };
  return prepareUndo(parts, request);
}

async function planned(context: Context, prepared: PreparedUndo): Promise<UndoPlan<ShownStep>> {
  const progress = startProgress(context, "looking at what is there now", prepared.actions.length);
  const plan = await makePlan(prepared, progress.at);
  progress.stop();
  return plan;
}

/** Where nobody will see the plan and nothing depends on it, each step's own look is enough. */
function needsPlan({ io }: Context, prepared: PreparedUndo, { options, saved }: Performance): boolean {
  if (options["dry-run"] || options.json || options.out !== undefined || saved !== undefined) return true;
  return !options.yes && (io.stdin.isTerminal || mayNeedConsent(prepared));
}

/** Tells whether a step may be one that isn't done unasked, not even in a pipe. */
function mayNeedConsent({ actions, request, kind }: PreparedUndo): boolean {
  return request.overwrite.length > 0 || kind === "redo" || actions.some(isCostly);
}

/** Shows the plan and asks, where a person sees it: a piped output is for somebody else. Gives whether it did. @throws refused */
async function ask(
  context: Context,
  prepared: PreparedUndo,
  plan: UndoPlan<ShownStep>,
  options: ReversingOptions,
  text: () => Promise<string>,
): Promise<boolean> {
  const sent = plan.steps.filter((step) => isSending(step) && step.blockedBy === undefined);
  if (options.yes || sent.length === 0) return false;
  const { io, signal } = context;
  if (options.json || !io.stdin.isTerminal) {
    const costly = sent.find(needsConsent);
    if (costly === undefined) return false;
    throw new SynartesisError("refused", `step ${costly.action.seq} ${consentWords(costly)}, so it isn't done unasked`, {
      hint: "look at the plan with --dry-run, then agree with --yes",
    });
  }
  const show = io.stdout.isTerminal ? context.print : context.note;
  show(await text());
  const answer = await io.readLine(prepared.kind === "redo" ? "Do this again? [y/N]" : "Put this back? [y/N]", signal);
  if (!/^y(es)?$/i.test(answer?.trim() ?? ""))
    throw new SynartesisError("refused", prepared.kind === "redo" ? "nothing was done again" : "nothing was put back");
  return true;
}

function needsConsent({ action, reason }: ShownStep): boolean {
  return reason === "overwriting" || reason === "sent-again" || isCostly(action);
}

function isCostly(action: ActionHead): boolean {
  return hasSideEffects(action) || action.terms?.cost !== undefined;
}

function consentWords({ action, reason }: ShownStep): string {
  if (reason === "overwriting") return "puts back over what others changed since";
  if (reason === "sent-again") return "sends the original call again";
  return action.terms?.cost === undefined ? "has side effects" : "costs something";
}

/** How steps are told of, the plan that a person has just seen on the same terminal, and the states that were agreed to. */
interface Shown {
  readonly view: PlanView;
  readonly seen: UndoPlan | undefined;
  readonly agreed: AgreedStates | undefined;
}

/** Tells of each step as it ends: to a person at once (in short where they have just seen the plan), to a program at the end, since a report keeps no states. */
async function carryOut(
  context: Context,
  prepared: PreparedUndo,
  { options, saved }: Performance,
  { view, seen, agreed }: Shown,
): Promise<{ report: UndoReport; ended: ReadonlyMap<string, StepDocument> }> {
  const ended = new Map<string, StepDocument>();
  const planned = new Map(seen?.steps.map((step) => [step.action.id, step]));
  const progress = startProgress(context, prepared.kind === "redo" ? "doing it again" : "putting back", prepared.actions.length);
  let steps = 0;
  const onStep = (report: StepReport) => {
    if (options.json) ended.set(report.step.action.id, stepDocument(report.step));
    const text = options.json ? "" : reportText(view, report, planned.get(report.step.action.id));
    if (text !== "") {
      progress.clear();
      context.print(text);
    }
    progress.at(++steps);
  };
  const by = options.by ?? context.io.loginName;
  const report = await carryOutUndo(prepared, { by, plan: saved?.id, agreed }, onStep);
  progress.stop();
  return { report, ended };
}

async function printEnd(context: Context, prepared: PreparedUndo, report: UndoReport, view: PlanView): Promise<void> {
  context.print(endText(prepared, report, view));
  for (const line of lastWordsText(prepared, report)) context.note(line);
  if (prepared.kind === "redo") return;
  for (const run of prepared.runs)
    for (const other of await othersStanding(prepared.journal, run))
      if (!prepared.runs.some(({ id }) => id === other.id)) context.print(standingText(other, view));
}

/** What wasn't asked for, was to be left, or was done before the moment from which on all is undone, may stand. */
function isAsAsked({ actions, options }: PreparedUndo, { outstanding }: UndoReport): boolean {
  const meant = new Set(actions.map(({ id }) => id));
  return outstanding.every(({ id }) => !meant.has(id) || options.selected?.has(id) === false || options.choices?.get(id) === "skip");
}

async function planOf(view: PlanView, prepared: PreparedUndo, opened: OpenedJournal, plan: UndoPlan<ShownStep>): Promise<string> {
  const text = planText(view, plan, await prepared.connections());
  return `${headText(prepared, opened, view)}\n${text}`;
}

function planViewOf(context: Context, prepared: PreparedUndo, { opened, options, wrappedCommand }: Performance): PlanView {
  const { runs, kind, request } = prepared;
  return {
    ...viewOf(context, opened),
    columns: widthOf(context.io, PIPED_WIDTH),
    runs,
    kind,
    style: styleOf(context),
    keepGoing: request.keepGoing,
    named: request.selection.only === undefined ? new Set() : (prepared.options.selected ?? new Set()),
    again: sameCommand(opened, prepared, { since: options.since, wrappedCommand }),
  };
}
