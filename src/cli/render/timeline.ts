// How is one run shown? Every call in order: what it was, what became of it, and the exact call that would undo it; pure.
import { isJsonObject, type Json, printJson } from "../../core/json.ts";
import { whyIn } from "../../core/rule-record.ts";
import type { Action } from "../../journal/journal.ts";
import type { ActionFacts, RunFacts, StoredValue } from "../run-facts.ts";
import { checkLines } from "./checks.ts";
import { countText } from "./counts.ts";
import { cells, shorten, wrap, wrapWords } from "./layout.ts";
import { REASON_WORDS } from "./reasons.ts";
import { actorText, serversText, stateText, undoingText, type View, wasLeftOpen } from "./runs.ts";
import { serverLines } from "./server-words.ts";
import { type Note, noteLines, resolvingNote } from "./step-notes.ts";
import { storyLines, undidText } from "./story.ts";
import type { Style } from "./style.ts";
import { ago, localClock, localTime, span } from "./time.ts";
import { visible } from "./visible.ts";

/** More than this of one call isn't shown; `--json` has it whole. */
const LONGEST_CALL = 4000;
const INDENT = "      ";

/** Gives the whole view. */
export function timelineText(facts: RunFacts, actions: readonly ActionFacts[], view: View, style: Style): string {
  const parts = [headText(facts, view, style), ...actions.map((action) => actionText(action, facts, view, style))];
  if (actions.length === 0) parts.push("no calls yet");
  return parts.join("\n");
}

function headText(facts: RunFacts, view: View, style: Style): string {
  const { run } = facts;
  const who = run.kind === "agent" ? actorText(run) : whoseUndo(facts);
  const what = serversText(run) === "" ? who : `${who}, on ${serversText(run)}`;
  const lasted = run.endedAt === null ? "" : `, lasted ${span(run.endedAt - run.startedAt)}`;
  const said = [
    `${what}, ${stateText(facts)}`,
    `started ${localTime(run.startedAt)} (${ago(run.startedAt, view.now)})${lasted}`,
    `${countText(facts.calls, "call")}, ${countText(facts.changes, "change")}, ${facts.held} held${refutedText(facts)}`,
  ];
  const left = wasLeftOpen(facts)
    ? noteLines({ words: "a proxy that was killed left it open; to end it:", command: view.command("close", run.id) }, view.columns, "  ")
    : [];
  return [style.bold(`run ${run.id}`), ...said.map((line) => wrapWords(line, view.columns, "  ")), ...left, ""].join("\n");
}

function refutedText({ refuted }: RunFacts): string {
  return refuted === 0 ? "" : `, ${refuted} failed verification`;
}

/** A redo undoes an undo. */
function whoseUndo(facts: RunFacts): string {
  const { run, undoesRuns } = facts;
  const what = undoingText(facts, (id) => `${run.kind === "redo" ? "undo" : "run"} ${id}`);
  const named = undoesRuns.length > 1 ? ` (${undoesRuns.join(", ")})` : "";
  return `${what}${named}${run.identity === null ? "" : `, by ${visible(run.identity)}`}`;
}

/** Gives one call: what it was, what became of it, and what would undo it. */
export function actionText(facts: ActionFacts, run: RunFacts, view: View, style: Style): string {
  const { action } = facts;
  const lines = [
    ...actionHead(action, view, style),
    `${INDENT}${style.dim(shorten(storedText(facts.args), Math.max(20, view.columns - INDENT.length)))}`,
  ];
  const undo = undoText(facts);
  const story = [...serverLines(action), ...checkLines(facts.checks), ...(undo === undefined ? [] : [undo]), ...storyLines(facts, view)];
  const notes = actionNotes(facts, run, view).flatMap((note) => noteLines(note, view.columns, INDENT));
  return [...lines, ...story.map((line) => wrap(line, view.columns, INDENT)), ...notes].join("\n");
}

/** What became of it goes below where there is no room beside. */
function actionHead(action: Action, { columns }: View, style: Style): readonly string[] {
  const paint = statusStyle(action, style);
  const status = statusText(action);
  const start = `${String(action.seq).padStart(4)}  ${localClock(action.receivedAt)}  `;
  const tool = visible(`${action.server}.${action.tool}`);
  const head = `${start}${style.bold(tool)}  ${style.dim(action.class)}`;
  if (cells(`${start}${tool}  ${action.class}  ${status}`) <= columns) return [`${head}  ${paint(status)}`];
  return [head, ...wrapWords(status, columns, INDENT).split("\n").map(paint)];
}

/** What a person can do about a call that waits, about one of which it isn't known whether it happened, and about one that undo couldn't put back. */
function actionNotes({ action, story }: ActionFacts, { run, pids }: RunFacts, view: View): readonly Note[] {
  if (action.status === "held") return [{ words: "waits for a person:", command: view.command("approve", action.id) }];
  if (action.class === "readonly") return [];
  const cutOff = story.passages.findLast(({ step }) => step.undoes === action.id && isOpen(step))?.step;
  if (cutOff !== undefined && action.status !== "undone") return cutOff.status === "unknown" ? [resolvingNote(cutOff.id, view)] : [];
  if (isOpen(action)) return action.status === "intended" && pids.length > 0 ? [] : [resolvingNote(action.id, view)];
  return action.status === "stuck" && run.kind !== "redo" ? stuckNotes(action, run.kind === "undo" ? "redo" : "undo", view) : [];
}

function isOpen({ status }: Action): boolean {
  return status === "intended" || status === "unknown";
}

function stuckNotes({ run, seq }: Action, word: "undo" | "redo", view: View): readonly Note[] {
  return [
    { words: "when that is settled, go on with:", command: view.command(word, run) },
    { words: "to leave it as it is:", command: view.command(word, run, "--skip", String(seq)) },
    { words: "to put it back over what others changed:", command: view.command(word, run, "--overwrite", String(seq)) },
  ];
}

/** Gives an action's status and its reason in words. */
export function statusText({ status: recorded, reason, detail, damaged, rule }: Action): string {
  // Nobody said no to a call that couldn't be let through.
  const status = recorded === "denied" && reason !== "by-person" && reason !== "by-policy" ? "refused" : recorded;
  const words = reason === null ? undefined : REASON_WORDS[reason];
  // Once it is put back, what was said when that didn't come off is of no more use.
  const said = detail === null || recorded === "undone" ? undefined : `"${shorten(visible(detail), 200)}"`;
  const lost = damaged === undefined ? undefined : `damaged in the journal: ${damaged.join(", ")}`;
  const more = recorded === "held" ? whyIn(rule) : undefined;
  const why = [words, more && shorten(visible(more), 200), said, lost].filter((part) => part !== undefined).join(": ");
  return why === "" ? status : `${status} (${why})`;
}

function undoText({ action, inverse, story }: ActionFacts): string | undefined {
  if (action.class === "readonly") return undefined;
  if (story.undid !== undefined) return undidText(action, story.undid);
  if (["held", "denied", "expired", "failed", "approved", "undone"].includes(action.status)) return undefined;
  if (inverse === undefined) return "undo: nothing puts it back";
  const text = callsText(inverse);
  if (text.length <= LONGEST_CALL) return `undo: ${text}`;
  return `undo: ${text.slice(0, LONGEST_CALL)}… (${text.length} characters; --json has them all)`;
}

/** Gives the stored calls of an inverse, each as `server.tool {arguments}`. */
function callsText(stored: StoredValue): string {
  if (stored.kind !== "value") return storedText(stored);
  if (!Array.isArray(stored.value)) return callText(stored.value);
  return stored.value.length === 0 ? "nothing has to be put back" : stored.value.map(callText).join(", then ");
}

function callText(stored: Json): string {
  if (!isJsonObject(stored)) return storedText({ kind: "value", value: stored });
  const { server, tool, args } = stored as { server?: Json; tool?: Json; args?: Json };
  if (typeof tool !== "string") return storedText({ kind: "value", value: stored });
  const name = typeof server === "string" ? `${server}.${tool}` : tool;
  return visible(`${name} ${printJson(args ?? {})}`);
}

function storedText(stored: StoredValue): string {
  return stored.kind === "value" ? visible(printJson(stored.value)) : `[unreadable: ${visible(stored.why)}]`;
}

/** Gives the colour of a call's status. */
export function statusStyle({ status }: Action, style: Style): (text: string) => string {
  if (status === "held" || status === "unknown" || status === "stuck") return style.yellow;
  if (status === "failed" || status === "denied" || status === "permanent") return style.red;
  return status === "undone" ? style.green : (text) => text;
}
