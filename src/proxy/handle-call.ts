// What happens to one tools/call? The ten steps of 30-proxy, "A tool call, in order", each a named step; 5 to 10 are the recorder's.
import { type Admission, presencesOf } from "../core/admission.ts";
import { isJsonObject } from "../core/json.ts";
import type { GoverningRule, Presence } from "../core/policy.ts";
import { MAX_RESOURCES } from "../core/resource.ts";
import type { Reason } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { FinishedCall, Journal, NewCall, Standing } from "../journal/journal.ts";
import { ruleForCall } from "../manifest/rule-for-call.ts";
import { recordChange } from "../recorder/record-change.ts";
import { ruleOnWrite } from "../sql/on-write.ts";
import { deniedText, heldText, refusedText, whyDenied } from "./answers.ts";
import { atMostOf, reachedLimit } from "./call-limits.ts";
import type { CallSession } from "./call-session.ts";
import { unjudgedCall } from "./describe-call.ts";
import { decide, type GovernedCall, govern, recorded, turnTo } from "./govern-call.ts";
import { passRead } from "./pass-read.ts";
import type { ToolCall } from "./tool-call.ts";

/** Handles one call to its end: its action is settled and its post-state read when this resolves. Never rejects. */
export async function handleCall(session: CallSession, call: ToolCall): Promise<void> {
  const receivedAt = session.clock();
  try {
    await judgeAndCarryOut(session, call, receivedAt);
  } catch (error) {
    answerTrouble(session, call, error);
    if (!(error instanceof SynartesisError) && !handedOn.has(call)) await recordUnjudged(session, call, receivedAt, error);
  }
}

/** Calls that the recorder was handed: it writes down what becomes of them. */
const handedOn = new WeakSet<ToolCall>();

async function judgeAndCarryOut(session: CallSession, call: ToolCall, receivedAt: number): Promise<void> {
  const named = ruleForCall(session.policy, session.server, call.tool, call.args); // 1 the rule
  const governing = named !== "unmentioned" && named.gate === "on_write" ? await ruleOnWrite(named, call.args) : named;
  const first = decide(session, call, governing, undefined, false);
  const isRead = governing !== "unmentioned" && governing.class === "readonly";
  if (first.kind === "allow" && isRead && atMostOf(governing) === undefined) return passRead(session, call, governing, receivedAt);
  const governed = govern(session, call, governing, receivedAt);
  if (first.kind === "deny") await refuse(session, governed, first.reason, whyDenied(first));
  else if (governed.unclear) await refuse(session, governed, "resource-unclear", TOO_MANY);
  else await carryOn(session, governed);
}

const TOO_MANY = `by its rule's \`resource\` it touches more than ${MAX_RESOURCES} things; make it several smaller calls`;

const SECRET_NAME =
  "what it touches is named by a value that the policy keeps out of the record; the secret stands in an argument that the rule's `resource` or `snapshot` reads";

const UNDER_WAY = "an undo of what was done in this session is under way; look at what it left once it is over, then try again";

/** Steps 2 to 10 of a call that isn't a plain read. */
async function carryOn(session: CallSession, governed: GovernedCall): Promise<void> {
  const opened = await session.opened(governed.call);
  const end = session.begin(opened.run.id);
  if (end === undefined) return refuse(session, governed, "undo-under-way", UNDER_WAY);
  try {
    await holdOrSend(session, governed, opened);
  } finally {
    end();
  }
}

/** Nothing comes and goes so often of itself. */
const MOST_TURNS = 4;
const COMES_AND_GOES = "what it would change comes into being and goes again while it is looked at; try again";

type Opened = Awaited<ReturnType<CallSession["opened"]>>;

async function holdOrSend(session: CallSession, first: GovernedCall, opened: Opened): Promise<void> {
  let governed = first;
  let presence: Presence | undefined;
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    const end = await takeTurn(session, first.governing, governed, opened, presence);
    if (end === "over") return;
    if (end === "again") continue; // another call spent the approval, or took the last place: ask anew
    presence = end; // back to 3, with that fact
    governed = turnTo(session, first, presence);
  }
  await refuse(session, first, "snapshot-failed", COMES_AND_GOES);
}

/** Decides and carries out what was decided; gives what the snapshot shows where that makes another decision necessary. */
async function takeTurn(
  session: CallSession,
  base: GoverningRule,
  governed: GovernedCall,
  { run, recorder }: Opened,
  presence: Presence | undefined,
): Promise<"over" | "again" | Presence> {
  const { call, governing } = governed;
  const { journal, record, holds } = await recorded(recorder, governed, run.id);
  if (holds(record.resources)) return over(refuse(session, governed, "resource-unclear", SECRET_NAME)); // its locks are written down, too
  const full = await reachedLimit(journal, run.id, governing, session.clock());
  const admission = decide(session, call, governing, presence, false, full); // 3 decide
  if (admission.kind === "deny") return over(refuse(session, governed, admission.reason, whyDenied(admission)));
  const standing = admission.kind === "hold" ? await journal.standing(record.callKey) : undefined; // 2 what stands already
  if (admission.kind === "hold" && standing !== undefined && standing.kind !== "approved")
    return over(hold(session, journal, governed, record, standing, admission)); // 4 hold
  const approval = standing?.kind === "approved" ? standing.approval.id : null;
  const holdsWhen = presencesOf(base, governing, (shown) => decide(session, call, governing, shown, approval !== null, full));
  const atMost = approval === null ? atMostOf(governing) : undefined;
  const request = { ...session.door(call), call: record, governing, approval, atMost, holdsWhen };
  handedOn.add(call);
  const end = await recordChange({ ...recorder, journal }, request); // 5 to 10
  if (end.kind === "decide-anew") return end.presence;
  if (end.kind === "approval-gone" || end.kind === "limit-reached") return "again";
  if (end.kind === "refused") return over(refuse(session, governed, end.reason, end.why));
  if (end.kind === "cancelled") session.forget(call);
  if (end.kind === "cancelled" && !end.recorded)
    journal.recordFinished(neverSent(session, record, "failed", "cancelled-before-sending", null));
  return "over";
}

async function over(ending: Promise<void>): Promise<"over"> {
  await ending;
  return "over";
}

async function hold(
  session: CallSession,
  journal: Journal,
  { call }: GovernedCall,
  record: NewCall,
  standing: Exclude<Standing, { kind: "approved" }>,
  { reason, why }: Admission & { kind: "hold" },
): Promise<void> {
  if (standing.kind === "denied") {
    session.answer(call, deniedText(standing.hold, standing.decision));
    journal.recordFinished(neverSent(session, record, "denied", "by-person", standing.hold.detail));
    return;
  }
  const held = standing.kind === "held" ? standing.hold : await journal.hold(withWhy(record, why), reason);
  session.answer(call, heldText(held, session.approveCommand(held.id), session.clientProcess !== null, why));
  // Its own run must not look as if nothing had been asked; in the run of the hold, the hold tells.
  if (held.run !== record.run) journal.recordFinished(neverSent(session, record, "failed", "not-sent", `waits as ${held.id}`));
}

/** What of the rule's words a person has to see who is asked. */
function withWhy(record: NewCall, why: string | undefined): NewCall {
  return why === undefined || !isJsonObject(record.rule) ? record : { ...record, rule: { ...record.rule, why } };
}

async function refuse(session: CallSession, governed: GovernedCall, reason: Reason, why: string): Promise<void> {
  const { call } = governed;
  session.answer(call, refusedText(governed.record.server, call.tool, why));
  const { run, recorder } = await session.opened(call);
  const { journal, record } = await recorded(recorder, governed, run.id);
  journal.recordFinished(neverSent(session, record, "denied", reason, why));
}

function neverSent(session: CallSession, call: NewCall, status: "denied" | "failed", reason: Reason, detail: string | null): FinishedCall {
  return { ...call, status, reason, detail, result: undefined, settledAt: session.clock() };
}

/** The journal refuses rather than improvises: a change that can't be written down isn't sent, and the agent is told which and what to do. */
function answerTrouble(session: CallSession, call: ToolCall, error: unknown): void {
  const known = error instanceof SynartesisError;
  const sentences = known ? [error.message, error.hint ?? ""] : [`an error of Synartesis' own (${String(error)})`];
  const why = sentences
    .filter((sentence) => sentence !== "")
    .map((sentence) => sentence.replace(/\.$/, ""))
    .join(". ");
  const isOpen = session.isOpen(call);
  // One that has been answered was sent: what failed is writing down what became of it.
  const what = isOpen ? "a changing call was not sent" : "the outcome of a call, or the state after it, was not recorded";
  session.log.log("error", what, { tool: call.tool, why });
  if (isOpen) session.answer(call, refusedText(session.server, call.tool, why));
}

/** What can't be judged isn't sent (promise 5), and the record says that it came. */
async function recordUnjudged(session: CallSession, call: ToolCall, receivedAt: number, error: unknown): Promise<void> {
  try {
    const { run, recorder } = await session.opened(call);
    const record = { ...unjudgedCall(session, call, receivedAt), run: run.id };
    recorder.journal.recordFinished(neverSent(session, record, "denied", "journal-refused", String(error)));
  } catch (trouble) {
    session.log.log("error", "a refused call was not recorded", { tool: call.tool, why: String(trouble) });
  }
}
