// What has become of an action since, in words? Which undo put it back, which redo did it again, who decided what; a line each. Pure.
import { isEarlierPart, partFrom } from "../../core/rule-record.ts";
import { CHOICES } from "../../core/vocabulary.ts";
import type { Action, Decision } from "../../journal/journal.ts";
import type { Passage, Undid } from "../action-story.ts";
import type { ActionFacts } from "../run-facts.ts";
import { REASON_WORDS } from "./reasons.ts";
import type { View } from "./runs.ts";
import { ago } from "./time.ts";
import { visible } from "./visible.ts";

/** Gives the lines, in the order in which it happened. */
export function storyLines({ action, story }: ActionFacts, { now }: View): readonly string[] {
  const said = story.decisions.map((decision) => ({
    at: decision.madeAt,
    text: `${decisionText(action, decision)} by ${visible(decision.by)}`,
  }));
  // Of several calls of one run the last one that was made says it all.
  const isTold = ({ step, run }: Passage, at: number) =>
    !isMade(step) || !story.passages.slice(at + 1).some((later) => later.run === run && (later.tookEffect || isMade(later.step)));
  const told = story.passages.filter(isTold);
  const done = told.map((passage) => ({ at: passage.step.receivedAt, text: passageText(action, passage) }));
  return [...said, ...done].toSorted((a, b) => a.at - b.at).map(({ at, text }) => `${text}, ${ago(at, now)}`);
}

/** Tells whether a step made one of several calls, after which others were to come. */
function isMade(step: Action): boolean {
  return isEarlierPart(step) && (step.status === "applied" || step.status === "undone");
}

/** Says what a step of an undo or a redo is about. */
export function undidText(step: Action, undid: Undid): string {
  const part = partFrom(step.rule);
  return `${aboutText(step, undid)}${part === undefined ? "" : `: call ${part.at} of ${part.of}`}`;
}

function aboutText(step: Action, { action, again }: Undid): string {
  const isDone = action.status === "undone" || step.status === "undone";
  if (again !== undefined)
    return `${isDone ? "does" : "was to do"} ${again.seq} of run ${again.run} again, which ${action.seq} of undo ${action.run} put back`;
  if (!isDone) return `was to put back ${action.seq} of run ${action.run}`;
  // Once it has been redone, the record has another reason for what it undid.
  const how = step.status !== "undone" && action.reason !== null && action.reason !== "put-back" ? ` (${REASON_WORDS[action.reason]})` : "";
  return `puts back ${action.seq} of run ${action.run}${how}`;
}

function decisionText({ status }: Action, { kind, reasons }: Decision): string {
  const choice = CHOICES.find((word) => reasons.length === 1 && reasons[0] === word);
  if (kind === "repair") return reasons.includes("applied") ? "said to have happened" : "said not to have happened";
  if (kind === "allow") return choice === "overwrite" ? "to be put back over later changes, as decided" : "approved";
  return choice === "skip" && status !== "denied" ? "left as it is from then on, as decided" : "denied";
}

function passageText({ undoes }: Action, { kind, run, by, step, tookEffect }: Passage): string {
  const who = `${kind} ${run}${by === null ? "" : ` (${visible(by)})`}`;
  const part = partFrom(step.rule);
  if (part !== undefined && isMade(step)) return `${who} made call ${part.at} of the ${part.of} that put it back`;
  const done = undoes !== null ? "taken back" : kind === "redo" ? "done again" : "put back";
  if (tookEffect) return `${done} by ${who}`;
  const why = step.reason === null ? "" : `: ${REASON_WORDS[step.reason]}`;
  switch (step.status) {
    case "intended":
      return `${who} is at it, or was cut off`;
    case "unknown":
      return `${who} was at it, and it isn't known whether that took effect${why}`;
    case "failed":
      return `${who} tried, and nothing came of it${why}`;
    default:
      return `${who} was at it, and isn't known to have come to what was meant${why}`;
  }
}
