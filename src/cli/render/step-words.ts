// What is said of a step of an undo: its sign, why it is what it is, how it ended? Sentence parts; no code is ever shown bare. Pure.
import type { PlanStep, StepReason } from "../../core/plan-step.ts";
import type { PlanKind } from "../../core/vocabulary.ts";
import type { StepReport } from "../../undo/undo-step.ts";
import { shorten } from "./layout.ts";
import { REASON_WORDS } from "./reasons.ts";
import { stateText } from "./value.ts";
import { visible } from "./visible.ts";

/** What others said is cut after so many cells. */
const LONGEST_SAID = 200;

/** The sign before a step's kind. */
export const SYMBOLS: Readonly<Record<PlanKind, string>> = {
  restore: "~",
  merge: "≈",
  compensate: "±",
  done: "=",
  skip: "·",
  permanent: "!",
  expired: "!",
  conflict: "≠",
  unknown: "?",
  kept: "·",
};

const STEP_WORDS: Readonly<Record<Exclude<StepReason, keyof typeof REASON_WORDS>, string>> = {
  read: "a read: there is nothing to put back",
  "changed-nothing": "changed nothing",
  "failed-unverified": "it failed, says the tool; nothing shows whether it changed something all the same",
  "undone-before": "put back before",
  "not-asked": "outside what was asked for",
  skipped: "left as it is, by choice",
  "as-left": "it is as the agent left it",
  "as-before": "it is already as it was before",
  "beside-others": "only what the agent changed goes back; what others changed since is kept",
  overwriting: "put back over what others changed since, by choice",
  "no-call": "there was nothing that would have to be put back",
  "gone-already": "what it made is gone already",
  "unreadable-alike": "what is there can't be read, then as now; nothing shows whether it is the same",
  offset: "offset by another call; nothing shows whether others changed since what that takes back, nor whether it worked",
  "whatever-since": "offset, whatever happened since",
  redacted: "the policy keeps a part of its arguments out of the record, so it can't be sent again",
  "sent-again": "its undo has no way back of its own: the call is sent again as the agent sent it",
  "window-closed": "its undo window has closed",
  "said-irreversible": "the server says that it can't be undone; with --try-expired it is tried all the same",
  "not-mergeable": "it was changed since, and the inverse can't be made for what is there now",
  "server-unavailable": "its server can't be had",
  "state-unreadable": "its state can't be read now",
  "record-damaged": "what was recorded of its state is damaged, so nothing could be verified",
  "post-state-missing": "the state after the call wasn't captured, so it can't be told whose the present state is",
  "changed-since": "it was changed since",
  "made-anew": "it was taken away since, and made anew under another name: what stands there isn't known",
  "still-running": "the process that got the call may still be at work on it",
  "did-not-happen": "the reply was lost, but the state shows that it didn't happen",
  "was-put-back": "an undo that was cut off has put it back",
  "not-put-back": "an undo that was cut off did not put it back",
  "undo-not-known": "an undo was cut off, and the state doesn't show whether it took effect",
};

/** Who left what is there, to an undo and to a redo. */
export const LEFT_BY = { undo: "agent", redo: "undo" } as const;

/** What an undo left is taken back by a redo: where the words would be about the agent. */
const REDO_WORDS: Partial<typeof STEP_WORDS> = {
  "as-left": "it is as the undo left it",
  "as-before": "it is already as it was before the undo",
  "beside-others": "only what the undo changed goes back; what others changed since is kept",
  "undone-before": "done again before",
};

/** Why a call certainly changed nothing. */
const NOTHING_WORDS: Partial<Record<PlanStep["action"]["status"], string>> = {
  held: "it waits for a person, and was not carried out",
  approved: "it is approved, and was not carried out",
  denied: "it was not let through",
  expired: "it was not carried out: its approval has expired",
  failed: "it failed",
};

/** Gives why a step has its kind; `of`: in an undo or in a redo. */
export function whyText(step: PlanStep, of: keyof typeof LEFT_BY): string {
  const { reason, action, now, assumed, kind } = step;
  const words = wordsFor(step, of);
  const said = (kind === "permanent" || reason === "failed-unverified") && action.detail ? `: "${saidText(action.detail)}"` : "";
  const unreadable = now?.kind === "unreadable" ? `: ${saidText(now.why)}` : "";
  return `${words}${said}${unreadable}${assumed ? " (once the newer steps are undone)" : ""}`;
}

function wordsFor({ reason, action }: PlanStep, of: keyof typeof LEFT_BY): string {
  if (!Object.hasOwn(STEP_WORDS, reason)) return REASON_WORDS[reason as keyof typeof REASON_WORDS];
  if (reason === "changed-nothing") {
    const why = action.status !== "held" && action.reason !== null ? `: ${REASON_WORDS[action.reason]}` : "";
    return `${NOTHING_WORDS[action.status] ?? STEP_WORDS[reason]}${why}`;
  }
  const key = reason as keyof typeof STEP_WORDS;
  return (of === "redo" ? REDO_WORDS[key] : undefined) ?? STEP_WORDS[key];
}

/** Gives the words for a code of a step or of the record; a code that has none is shown as it is. */
export function codeWords(code: string): string {
  const words: Readonly<Record<string, string>> = { ...REASON_WORDS, ...STEP_WORDS };
  return Object.hasOwn(words, code) ? (words[code] ?? code) : code;
}

function saidText(text: string): string {
  return shorten(visible(text.slice(0, 8 * LONGEST_SAID)), LONGEST_SAID);
}

/** Gives what came of a step where that isn't what was meant; undefined where it is. */
export function endText(end: StepReport["end"]): string | undefined {
  switch (end.kind) {
    case "undone":
      return undoneText(end);
    case "not-sent":
      return undefined;
    case "claim-lost":
      return end.status === "undone"
        ? "another undo put it back at the same moment"
        : "another undo is at work on it; try again when it is done";
    case "refused":
      return `the server refused, and nothing changed: ${saidText(end.said)}`;
    case "stuck":
      return `stuck: ${REASON_WORDS[end.reason]}${end.said === null ? "" : `: ${saidText(end.said)}`}${end.now === undefined ? "" : `; now ${stateText(end.now, LONGEST_SAID)}`}`;
    case "unknown":
      return `not known whether it took effect: ${REASON_WORDS[end.reason]}`;
    case "no-server":
      return `not sent: ${saidText(end.why)}`;
  }
}

function undoneText({ why, remains = [] }: StepReport["end"] & { readonly kind: "undone" }): string | undefined {
  const stands = remains.map(
    ({ path, to }) => `${path} (${to === undefined ? "still gone" : `still ${stateText({ kind: "present", value: to }, LONGEST_SAID)}`})`,
  );
  const said = [
    ...(remains.length === 0 ? [] : [`put back but for ${saidText(stands.join(", "))}: its inverse leaves that as the agent left it`]),
    ...(why === undefined ? [] : [`not confirmed: ${saidText(why)}`]),
  ];
  return said.length === 0 ? undefined : said.join("; ");
}
