// What happens to one tools/call? The ten steps of 30-proxy, "A tool call, in order", each a named step; 5 to 10 are the recorder's.
import { type Admission, decideAdmission, presencesOf } from "../core/admission.ts";
import { type GoverningRule, governingFor, type Presence, ruleWhen } from "../core/policy.ts";
import { MAX_RESOURCES } from "../core/resource.ts";
import type { Reason } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { FinishedCall, Journal, NewCall, Standing } from "../journal/journal.ts";
import { recordChange } from "../recorder/record-change.ts";
import { deniedText, heldText, refusedText } from "./answers.ts";
import type { CallSession } from "./call-session.ts";
import { describeCall } from "./describe-call.ts";
import { passRead } from "./pass-read.ts";
import type { ToolCall } from "./tool-call.ts";

/** Handles one call to its end: its action is settled and its post-state read when this resolves. Never rejects. */
export async function handleCall(session: CallSession, call: ToolCall): Promise<void> {
  const receivedAt = session.clock();
  const governing = governingFor(session.policy, session.server, call.tool, call.args); // 1 the rule
  const first = decide(session, call, governing, undefined, false);
  const isRead = governing !== "unmentioned" && governing.class === "readonly";
  if (first.kind === "allow" && isRead) return passRead(session, call, governing, receivedAt);
  const governed = govern(session, call, governing, receivedAt);
  try {
    if (first.kind === "deny") await refuse(session, governed, first.reason, AMBIGUOUS);
    else if (governed.unclear) await refuse(session, governed, "resource-unclear", TOO_MANY);
    else await carryOn(session, governed, first);
  } catch (error) {
    answerTrouble(session, call, error);
  }
}

const AMBIGUOUS =
  "it can be read in two ways (a member named twice or in another case, or bytes that are no UTF-8); send it again so that it can't";

const TOO_MANY = `by its rule's \`resource\` it touches more than ${MAX_RESOURCES} things; make it several smaller calls`;

function decide(
  session: CallSession,
  call: ToolCall,
  governing: GoverningRule,
  presence: Presence | undefined,
  approved: boolean,
): Admission {
  const listed = session.isListed(call.tool);
  return decideAdmission({ governing, ambiguous: call.ambiguous, listed, approved, presence });
}

/** A call with the rule that governs it. */
interface GovernedCall {
  readonly call: ToolCall;
  readonly governing: GoverningRule;
  readonly record: Omit<NewCall, "run">;
  readonly unclear: boolean;
}

function govern(session: CallSession, call: ToolCall, governing: GoverningRule, receivedAt: number): GovernedCall {
  return { call, governing, ...describeCall(session, call, governing, receivedAt) };
}

const UNDER_WAY = "an undo of what was done in this session is under way; look at what it left once it is over, then try again";

/** Steps 2 to 10 of a call that isn't a plain read, by what was decided before anything was read. */
async function carryOn(session: CallSession, governed: GovernedCall, first: Admission): Promise<void> {
  const opened = await session.opened(governed.call);
  const end = session.begin(opened.run.id);
  if (end === undefined) return refuse(session, governed, "undo-under-way", UNDER_WAY);
  try {
    await holdOrSend(session, governed, opened, first);
  } finally {
    end();
  }
}

/** Nothing comes and goes so often of itself. */
const MOST_TURNS = 4;
const COMES_AND_GOES = "what it would change comes into being and goes again while it is looked at; try again";

async function holdOrSend(
  session: CallSession,
  first: GovernedCall,
  { run, recorder }: Awaited<ReturnType<CallSession["opened"]>>,
  admission: Admission,
): Promise<void> {
  const { call } = first;
  let governed = first;
  let asking = admission.kind === "hold" ? admission.reason : undefined;
  let approval: string | null = null;
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    const record = { ...governed.record, run: run.id };
    if (asking !== undefined) {
      const standing = await recorder.journal.standing(record.callKey); // 2 what stands already
      if (standing.kind !== "approved") return await hold(session, recorder.journal, governed, record, standing, asking); // 3 decide, 4 hold
      approval = standing.approval.id;
    }
    const { governing } = governed;
    const approved = approval !== null;
    const holdsWhen = presencesOf(first.governing, governing, (presence) => decide(session, call, governing, presence, approved));
    const end = await recordChange(recorder, { ...session.door(call), call: record, governing, approval, holdsWhen }); // 5 to 10
    switch (end.kind) {
      case "sent":
        return;
      case "cancelled":
        session.forget(call);
        if (!end.recorded) recorder.journal.recordFinished(neverSent(session, record, "failed", "cancelled-before-sending", null));
        return;
      case "refused":
        return await refuse(session, governed, end.reason, end.why);
      case "decide-anew": {
        // Back to 3, with that fact.
        governed = turnTo(session, first, end.presence);
        const decided = decide(session, call, governed.governing, end.presence, false);
        asking = decided.kind === "hold" ? decided.reason : undefined;
        approval = null;
        break;
      }
      case "approval-gone":
        approval = null; // another call spent it: ask anew
        asking ??= "gate-always";
        break;
    }
  }
  await refuse(session, first, "snapshot-failed", COMES_AND_GOES);
}

/** Gives the call under the rule that governs with what the snapshot shows. */
function turnTo(session: CallSession, first: GovernedCall, presence: Presence): GovernedCall {
  const { call, governing, record } = first;
  if (governing === "unmentioned") return first;
  const rule = ruleWhen(governing, presence);
  return rule === governing ? first : govern(session, call, rule, record.receivedAt);
}

async function hold(
  session: CallSession,
  journal: Journal,
  { call }: GovernedCall,
  record: NewCall,
  standing: Exclude<Standing, { kind: "approved" }>,
  reason: Reason,
): Promise<void> {
  if (standing.kind === "denied") {
    session.answer(call, deniedText(standing.hold, standing.decision));
    journal.recordFinished(neverSent(session, record, "denied", "by-person", standing.hold.detail));
    return;
  }
  const held = standing.kind === "held" ? standing.hold : await journal.hold(record, reason);
  session.answer(call, heldText(held, session.approveCommand(held.id), session.clientProcess !== null));
  // Its own run must not look as if nothing had been asked; in the run of the hold, the hold tells.
  if (held.run !== record.run) journal.recordFinished(neverSent(session, record, "failed", "not-sent", `waits as ${held.id}`));
}

async function refuse(session: CallSession, { call, record }: GovernedCall, reason: Reason, why: string): Promise<void> {
  session.answer(call, refusedText(record.server, record.tool, why));
  const { run, recorder } = await session.opened(call);
  recorder.journal.recordFinished(neverSent(session, { ...record, run: run.id }, "denied", reason, why));
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
