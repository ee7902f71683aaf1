// What else has a person to know of a step before they agree: what is sent, what it costs, until when it can be done, what else they may do, who let
// the call through, what is connected to it, what to undo first? Pure; a command is never cut.
import type { Connections, Use } from "../../core/connections.ts";
import { printJson } from "../../core/json.ts";
import { type ActionRef, deadlineOf, isHalting, isSending, type PlanStep, type UndoPlan } from "../../core/plan-step.ts";
import type { ToolName } from "../../core/policy.ts";
import { useText } from "../../undo/select-actions.ts";
import { moreText } from "./counts.ts";
import { shorten, wrapWords } from "./layout.ts";
import type { View } from "./runs.ts";
import { ago, localTime } from "./time.ts";
import { visible } from "./visible.ts";

/** So many connections are shown at each end. */
const MOST_USES = 3;
/** What a policy or a call says is cut after so many characters. */
const LONGEST_WORDS = 500;

/** What the notes depend on. */
export interface NoteParts {
  readonly view: View;
  /** Names an action of these runs, or of another one. */
  readonly refText: (action: Pick<ActionRef, "run" | "seq">) => string;
  /** Undefined where they aren't known, as while an undo goes on. */
  readonly uses: { readonly connections: Connections; readonly nameOf: (id: string) => string } | undefined;
  /** It is put back: no time presses any more. */
  readonly isDone: boolean;
}

/** Something to know, and what to type about it. */
export interface Note {
  readonly words: string;
  readonly command?: string;
}

/** Gives a note's lines: a command stands whole on a line of its own, to be copied. */
export function noteLines({ words, command }: Note, columns: number, indent: string): readonly string[] {
  return [wrapWords(words, columns, indent), ...(command === undefined ? [] : [`${indent}  ${command}`])];
}

/** Gives a step's notes. */
export function stepNotes(step: PlanStep, parts: NoteParts): readonly Note[] {
  const blocked = step.blockedBy === undefined ? [] : [`not reached because of ${parts.refText(step.blockedBy)}`];
  const said = [
    ...sentNote(step),
    ...absenceNote(step),
    ...verificationNote(step),
    ...approvalNote(step, parts),
    ...termNotes(step, parts),
  ];
  const connected = parts.uses === undefined ? [] : useNotes(step, parts.uses);
  return [
    ...said.map((words) => ({ words })),
    ...changedByNote(step, parts),
    ...resolveNote(step, parts.view),
    ...[...connected, ...blocked].map((words) => ({ words })),
  ];
}

/** So many of the calls of one step are shown. */
const MOST_CALLS = 10;

/** Where no state is known that goes back, the calls say what is done; where there are several, their names are worth knowing anyway. */
function sentNote({ kind, reason, inverse, done }: PlanStep): readonly string[] {
  if (inverse === undefined)
    return isHalting({ kind }) && done > 0 ? [`of the calls that put it back ${done} ${done === 1 ? "is" : "are"} done already`] : [];
  const before = done === 0 ? [] : [`${done} of its ${done + inverse.length} calls ${done === 1 ? "is" : "are"} done already`];
  if (kind === "compensate" || reason === "sent-again") {
    const said = inverse.slice(0, MOST_CALLS).map(({ args, ...name }, at) => {
      return `${at === 0 ? "sends" : "then"} ${wordsText(`${nameOf(name)} ${printJson(args)}`)}`;
    });
    return [...before, ...said, ...(inverse.length > MOST_CALLS ? [moreText(inverse.length - MOST_CALLS, "call")] : [])];
  }
  return inverse.length === 1 ? before : [...before, `by ${namesText(inverse.map(nameOf))}`];
}

function nameOf({ server, tool }: ToolName): string {
  return `${server}.${tool}`;
}

/** Names what is called in order: `crm.add (3 times), then crm.link`. */
function namesText(names: readonly string[]): string {
  const starts = names.flatMap((name, at) => (name === names[at - 1] ? [] : [at]));
  const groups = starts.map((start, index) => {
    const times = (starts[index + 1] ?? names.length) - start;
    return `${names[start]}${times === 1 ? "" : ` (${times} times)`}`;
  });
  return wordsText(groups.join(", then "));
}

/** That something is gone may rest on an error alone: a person sees whether it says that. */
function absenceNote({ kind, reason, now }: PlanStep): readonly string[] {
  if (kind !== "done" || (reason !== "deleted-since" && reason !== "gone-already")) return [];
  return now?.kind !== "absent" || now.says === undefined ? [] : [`known by the server's words: ${wordsText(now.says)}`];
}

/** What the plan goes by is what was read, and that needn't be what the call was for. */
function verificationNote({ action }: PlanStep): readonly string[] {
  return action.verification === "failed" ? ["the call said success, and failed verification: look at what it really did"] : [];
}

function approvalNote({ action }: PlanStep, { view }: NoteParts): readonly string[] {
  if (action.approvedBy === null) return [];
  const when = action.approvedAt === null ? "" : `, ${localTime(action.approvedAt)} (${ago(action.approvedAt, view.now)})`;
  return [`approved by ${wordsText(action.approvedBy)}${when}`];
}

function termNotes(step: PlanStep, { view, isDone }: NoteParts): readonly string[] {
  const { terms = {}, effect } = step.action;
  const isOpen = isSending(step) || isHalting(step);
  const isClosed = step.kind === "permanent" || step.kind === "expired";
  return [
    ...(isOpen && terms.sideEffects !== undefined ? [`side effects: ${wordsText(terms.sideEffects)}`] : []),
    ...(isOpen && effect?.effect !== undefined ? [`the server says of it: ${wordsText(effect.effect)}`] : []),
    ...(isOpen && effect?.sideEffects !== undefined ? [`side effects, as the server says: ${wordsText(effect.sideEffects)}`] : []),
    ...(isOpen && terms.cost !== undefined ? [`cost: ${wordsText(terms.cost)}`] : []),
    ...(isDone ? [] : deadlineNote(step, view)),
    ...(isClosed && terms.remedy !== undefined ? [`suggested: ${wordsText(terms.remedy)}`] : []),
  ];
}

function deadlineNote(step: PlanStep, { now }: View): readonly string[] {
  const deadline = deadlineOf(step.action);
  if (deadline === undefined || step.kind === "done" || step.kind === "skip" || step.kind === "permanent") return [];
  const when = `${localTime(deadline.at)} (${ago(deadline.at, now)})${deadline.by === "server" ? ", as the server says" : ""}`;
  if (deadline.at >= now) return [`can be undone until ${when}`];
  return [`could be undone until ${when}${isSending(step) ? "; it is tried all the same, as asked" : ""}`];
}

/** Names the later call that stands in the way, and how to undo that first. */
function changedByNote({ changedBy, reason }: PlanStep, { view, refText }: NoteParts): readonly Note[] {
  if (changedBy === undefined) return [];
  const { run, seq } = changedBy;
  if (reason === "made-anew")
    return [{ words: `taken away by ${refText(changedBy)}; what the undo of that made:`, command: view.command("show", run) }];
  const words = `changed since by ${refText(changedBy)}, a call of run ${run}; to undo that first:`;
  return [{ words, command: view.command("undo", run, "--only", String(seq)) }];
}

const UNRESOLVED: ReadonlySet<PlanStep["reason"]> = new Set([
  "reply-lost",
  "server-ended",
  "process-ended",
  "post-state-unreadable",
  "task-pending",
  "undo-not-known",
]);

function resolveNote({ kind, reason, action }: PlanStep, view: View): readonly Note[] {
  if (kind !== "unknown" || !UNRESOLVED.has(reason)) return [];
  return [resolvingNote(action.lostCall, view)];
}

/** Says what a person can do about an action, by its id, of which it isn't known whether it happened. */
export function resolvingNote(id: string, view: View): Note {
  const words = "look at the server yourself, and say what became of it, --applied or --not-applied:";
  return { words, command: view.command("resolve", id, "--applied") };
}

/** Common resources stand at each step anyway. */
function useNotes({ action }: PlanStep, { connections, nameOf }: NonNullable<NoteParts["uses"]>): readonly string[] {
  const both = [connections.usesOf(action.id), connections.usersOf(action.id)];
  return both.flatMap((uses) => {
    const byValue = uses.filter(({ value }) => value !== undefined);
    const lines = byValue.slice(0, MOST_USES).map((use: Use) => wordsText(useText(use, nameOf)));
    return byValue.length > MOST_USES ? [...lines, moreText(byValue.length - MOST_USES, "use")] : lines;
  });
}

function wordsText(text: string): string {
  return shorten(visible(text.slice(0, 8 * LONGEST_WORDS)), LONGEST_WORDS);
}

/** Gives the step that can be done for the shortest time yet, and until when; undefined where all can be done for ever. */
export function closesFirst({ steps }: UndoPlan): { readonly step: PlanStep; readonly until: number } | undefined {
  let first: { step: PlanStep; until: number } | undefined;
  for (const step of steps) {
    const until = isSending(step) || isHalting(step) ? deadlineOf(step.action)?.at : undefined;
    if (until !== undefined && (first === undefined || until < first.until)) first = { step, until };
  }
  return first;
}
