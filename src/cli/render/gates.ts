// How is a call shown that waits for a person? Whole, since the answer is about exactly that; what is too long to be read says how much
// there is that isn't shown, and how to see it. Pure.
import { hintsIn } from "../../core/hints.ts";
import { whyIn } from "../../core/rule-record.ts";
import type { Action, Decision, Run } from "../../journal/journal.ts";
import type { ActionFacts } from "../run-facts.ts";
import { type Abridged, abridge, abridgeText } from "./abridge.ts";
import { wrap, wrapWords } from "./layout.ts";
import { CLASS_WORDS, REASON_WORDS } from "./reasons.ts";
import { clientText, type View } from "./runs.ts";
import { hintsText } from "./server-words.ts";
import type { Style } from "./style.ts";
import { ago, localTime } from "./time.ts";
import { visible } from "./visible.ts";

/** A held or approved call with its run and, where one is known, when waiting ends. */
export interface WaitingCall {
  readonly facts: ActionFacts;
  readonly run: Run;
  readonly decisions: readonly Decision[];
}

/** How long an approval counts, in milliseconds: one hour. */
export const APPROVAL_LASTS = 3_600_000;

/** Gives every waiting call, oldest first as handed in, and in short those whose approval isn't used yet. */
export function gatesText(waiting: readonly WaitingCall[], approved: readonly WaitingCall[], view: View, style: Style): string {
  return [
    ...(waiting.length === 0 ? ["nothing waits for an answer"] : waiting.map((call) => waitingText(call, view, style))),
    ...approved.map((call) => approvedText(call, view, style)),
  ].join("\n\n");
}

function approvedText({ facts, decisions }: WaitingCall, view: View, style: Style): string {
  const approval = decisions.findLast(({ kind }) => kind === "allow");
  const until = typeof approval?.expiresAt === "number" ? `, until ${localTime(approval.expiresAt)}` : "";
  return [
    wrapWords(callLine(facts), view.columns),
    `  ${style.dim("approved")}  by ${visible(approval?.by ?? "somebody")}, not used yet: good for one such call${until}`,
    `  ${style.dim("take back")} ${view.command("deny", facts.action.id)}`,
  ].join("\n");
}

function waitingText(call: WaitingCall, view: View, style: Style): string {
  const { id } = call.facts.action;
  return [
    heldText(call, view, style),
    `  ${style.dim("approve")}   ${view.command("approve", id)}`,
    `  ${style.dim("deny")}      ${view.command("deny", id)}`,
    `  ${" ".repeat(9)} with --reason TEXT the agent is told why`,
  ].join("\n");
}

/** Gives a waiting call, without the commands that answer it. */
export function heldText({ facts, run, decisions }: WaitingCall, view: View, style: Style): string {
  const { action, args } = facts;
  const row = (name: string, text: string) => `  ${style.dim(name.padEnd(9))} ${wrapWords(text, view.columns, " ".repeat(12)).trimStart()}`;
  const { text, left } = argumentsText(args);
  const hints = hintsText(hintsIn(action.rule));
  const expiresAt = decisions.find(({ kind }) => kind === "hold")?.expiresAt ?? null;
  return [
    style.bold(visible(`${action.server}.${action.tool}`)),
    row("id", action.id),
    row(
      "asked",
      `${ago(action.receivedAt, view.now)} (${localTime(action.receivedAt)}) by ${clientText(run)}, call ${action.seq} of run ${run.id}`,
    ),
    row("class", classWords(action)),
    row("why", whyText(action)),
    ...(hints === undefined ? [] : [row("server", `${hints} (nothing is let through for that)`)]),
    `  ${style.dim("arguments")}`,
    wrap(text.split("\n").map(visible).join("\n"), view.columns, "    "),
    ...(left === 0 ? [] : [row("NOT SHOWN", notShownText(left, view))]),
    ...(action.detail === null ? [] : [row("besides", visible(abridgeText(action.detail)))]),
    row("approving", "lets exactly this call through, once, within an hour; the agent has to make it again"),
    row("expires", expiresAt === null ? "not until it is answered" : `${ago(expiresAt, view.now)} (${localTime(expiresAt)})`),
  ].join("\n");
}

/** What it comes to for this very call. */
function classWords(action: Action): string {
  if (action.reason === "state-absent") return `${action.class} as a rule; here there was nothing before it, so nothing can undo it`;
  if (action.reason === "arguments-outside") return `${action.class}: its rule isn't for such arguments, so nothing will undo it`;
  return `${action.class}: ${CLASS_WORDS[action.class]}`;
}

/** In words, with what the rule says about this very call. */
function whyText({ reason, rule }: Action): string {
  const why = whyIn(rule);
  return `${reason === null ? "it is held" : REASON_WORDS[reason]}${why === undefined ? "" : ` (${visible(why)})`}`;
}

function argumentsText(args: ActionFacts["args"]): Abridged {
  return args.kind === "value" ? abridge(args.value) : { text: `[unreadable: ${args.why}]`, left: 0 };
}

function notShownText(left: number, view: View): string {
  return `${left.toLocaleString("en")} characters of the arguments; to see them all before you answer: ${view.command("gates", "--json")}`;
}

/** Gives a call in one line for what was just answered. */
export function callLine({ action, args }: ActionFacts): string {
  const said = args.kind === "value" ? JSON.stringify(args.value) : `[unreadable: ${args.why}]`;
  return visible(`${action.server}.${action.tool} ${abridgeText(said)}`);
}
