// What does `synartesis undo` do? Shows the plan, asks on a terminal, carries it out newest first, and says what still stands.
import type { Policy, ServerSource } from "../../core/policy.ts";
import { isSending } from "../../core/undo-plan.ts";
import { SynartesisError } from "../../errors.ts";
import type { Run } from "../../journal/journal.ts";
import type { UndoReport } from "../../undo/carry-out.ts";
import { othersStanding } from "../../undo/others-standing.ts";
import type { PreparedUndo, UndoRequest } from "../../undo/prepare-undo.ts";
import { BY_OPTION, type Context, defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { findManifest } from "../find-files.ts";
import { createLog } from "../log.ts";
import { loginTo } from "../logins.ts";
import { type OpenedJournal, openExisting } from "../open-journal.ts";
import { sayThatWeWait } from "../patience.ts";
import { readManifest } from "../read-manifest.ts";
import { planText, rangesText, reportText } from "../render/plan.ts";
import { undoDocument } from "../render/plan-document.ts";
import { serversText } from "../render/runs.ts";
import { visible, visibleLines } from "../render/visible.ts";
import { styleOf, widthOf } from "../view.ts";

/** Cells; the values in a plan are shortened to it where there is no terminal. */
const PIPED_WIDTH = 120;

export default defineCommand({
  name: "undo",
  usage: "undo [RUN] [--dry-run] [--to SEQ] [-- COMMAND ARGS...]",
  about:
    "Puts back what a run changed, newest first: the latest run that isn't undone, unless told.\nHalts where somebody changed the same thing since, or where it can't be known what happened.\nA server that was wrapped in place (proxy --server NAME -- COMMAND) needs the same COMMAND after --.",
  example: "undo --dry-run",
  options: {
    "dry-run": { kind: "flag", about: "only show the plan" },
    to: { kind: "text", value: "SEQ", about: "leave the actions before this one" },
    replan: { kind: "flag", about: "use today's manifest on the state captured then" },
    live: { kind: "flag", about: "undo although the agent of the run is still connected" },
    yes: { kind: "flag", about: "don't ask on a terminal" },
    ...BY_OPTION,
    ...JSON_OPTION,
    ...JOURNAL_OPTIONS,
  },
  positionals: { min: 0, max: 1 },
  rest: true,
  async run(context, { options, positionals, rest }) {
    const opened = await openExisting(context, options);
    const today = options.replan ? (await readManifest(context.io, findManifest(context.io, options))).policy : undefined;
    const request = { run: positionals[0], to: seqOf(options.to), live: options.live, replan: today };
    const patience = sayThatWeWait(context, "looking at what is there now");
    const prepared = await prepare(context, opened, request, today, rest);
    patience.stop();
    context.defer(() => prepared.close());
    const { run, plan } = prepared;
    if (options["dry-run"]) {
      if (options.json) context.printJson(undoDocument(run, plan, undefined));
      else context.print(`${headText(prepared, opened)}\n${planOf(context, prepared)}`);
      return plan.halt === undefined ? 0 : 1;
    }
    const asks = !options.yes && !options.json && context.io.stdin.isTerminal && plan.steps.slice(0, plan.halt).some(isSending);
    if (asks) await ask(context, prepared, opened);
    if (!options.json && !(asks && context.io.stdout.isTerminal)) context.print(headText(prepared, opened));
    const { carryOutUndo } = await import("../../undo/carry-out.ts");
    const report = await carryOutUndo(prepared, options.by ?? context.io.loginName, (step) => {
      const text = options.json ? "" : reportText(step, widthOf(context.io, PIPED_WIDTH), styleOf(context));
      if (text !== "") context.print(text);
    });
    if (options.json) context.printJson(undoDocument(run, plan, report));
    else {
      context.print(await endText(opened, prepared, report));
      for (const line of lastWordsText(prepared, report)) context.note(line);
      for (const other of await othersStanding(opened.journal, run)) context.print(otherText(opened, other));
    }
    return report.state === "undone" || didAsAsked(report, options.to) ? 0 : 1;
  },
});

/** Shows the plan and asks, where a person sees it: a piped output is for somebody else. @throws refused */
async function ask(context: Context, prepared: PreparedUndo, opened: OpenedJournal): Promise<void> {
  const { io, signal } = context;
  const show = io.stdout.isTerminal ? context.print : context.note;
  show(`${headText(prepared, opened)}\n${planOf(context, prepared)}`);
  const answer = await io.readLine("Put this back? [y/N]", signal);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new SynartesisError("refused", "nothing was put back");
}

/** With --to, what is older was to stay. */
function didAsAsked({ outstanding }: UndoReport, to: string | undefined): boolean {
  return to !== undefined && outstanding.every((seq) => seq < Number(to));
}

async function prepare(
  context: Context,
  opened: OpenedJournal,
  request: UndoRequest,
  today: Policy | undefined,
  wrappedCommand: readonly string[] | undefined,
): Promise<PreparedUndo> {
  const { prepareUndo } = await import("../../undo/prepare-undo.ts");
  const { io } = context;
  const sourceOf =
    (policy: Policy) =>
    (name: string): ServerSource | undefined =>
      policy.servers.find((server) => server.name === name)?.source;
  return prepareUndo(
    {
      journal: opened.journal,
      log: createLog((line) => io.stderr.write(line), "error", io.now),
      clock: io.now,
      readTimeout: 30_000,
      env: io.env,
      login: (name, url) => loginTo(io, name, url),
      wrappedCommand,
      today: today && sourceOf(today),
      command: opened.command,
    },
    request,
  );
}

function seqOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new SynartesisError("usage", `--to ${text}: not the number of an action`);
  return Number(text);
}

function planOf(context: Context, { plan }: PreparedUndo): string {
  return planText(plan, widthOf(context.io, PIPED_WIDTH), styleOf(context));
}

function headText({ run, actions, request }: PreparedUndo, { file, isElsewhere }: OpenedJournal): string {
  const client = run.client === null ? "an unknown client" : `${run.client.name} ${run.client.version}`.trim();
  const live = request.live ? ", under the feet of its agent" : "";
  return `Undo of run ${run.id} (${client}, ${actions.length} ${actions.length === 1 ? "call" : "calls"})${live}${isElsewhere ? `, in the journal ${visible(file)}` : ""}`;
}

/** What a server says on stderr matters only where one of its steps came to nothing. */
function lastWordsText({ servers }: PreparedUndo, { reports }: UndoReport): readonly string[] {
  const failed = reports.filter(({ end }) => end.kind === "stuck" || end.kind === "unknown" || end.kind === "refused");
  return [...new Set(failed.map(({ step }) => step.inverse?.server ?? step.action.server))].flatMap((name) => {
    const words = servers.lastWords(name);
    return words === "" ? [] : [`${visible(name)} printed last:\n${visibleLines(words)}`];
  });
}

function otherText({ command }: OpenedJournal, run: Run): string {
  return `Another run of the same client still stands, ${run.id} (${serversText(run)}): ${command("undo", run.id)}`;
}

async function endText(opened: OpenedJournal, { run, plan }: PreparedUndo, report: UndoReport): Promise<string> {
  const back = report.reports.filter(({ end }) => end.kind === "undone").length;
  const unverified = report.reports.filter(({ end }) => end.kind === "undone" && !end.verified).length;
  const done = `${back} put back${unverified > 0 ? ` (${unverified} of them unverified)` : ""}`;
  const unseen = report.reports.filter(({ step }) => step.reason === "failed-unverified").map(({ step }) => step.action.seq);
  const failed =
    unseen.length === 0 ? [] : [`Failed by the tool's own word, which nothing verifies: ${rangesText(unseen.toSorted((a, b) => a - b))}.`];
  if (report.state === "undone") return [`Run ${run.id} is undone: ${done}.`, ...failed].join("\n");
  const halted = report.reports.find(({ halts }) => halts);
  const kept = plan.steps.filter(({ kind }) => kind === "kept").length;
  return [
    `Run ${run.id} is partly undone: ${done}; still standing: ${rangesText(report.outstanding)}${kept > 0 ? ` (${kept} kept as asked)` : ""}.`,
    ...failed,
    ...(halted === undefined
      ? []
      : [`Halted at ${halted.step.action.seq}. When that is settled, go on with: ${opened.command("undo", run.id)}`]),
  ].join("\n");
}
