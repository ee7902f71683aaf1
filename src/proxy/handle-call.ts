// What happens to one tools/call? The ten steps of 30-proxy, "A tool call, in order", each a named step; 5 to 10 are the recorder's.
import { decideAdmission } from "../core/admission.ts";
import { type GoverningRule, ruleFor } from "../core/policy.ts";
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
  const { rule: governing } = ruleFor(session.policy, session.server, call.tool); // 1 the rule
  const first = decideAdmission({
    governing,
    ambiguous: call.ambiguous,
    listed: session.isListed(call.tool),
    approved: false,
    stateAbsent: false,
  });
  const isRead = governing !== "unmentioned" && governing.class === "readonly";
  if (first.kind === "allow" && isRead) return passRead(session, call, governing, receivedAt);
  const { record, unclear } = describeCall(session, call, governing, receivedAt);
  const governed: GovernedCall = { call, governing, record };
  try {
    if (first.kind === "deny") await refuse(session, governed, first.reason, AMBIGUOUS);
    else if (unclear) await refuse(session, governed, "resource-unclear", TOO_MANY);
    else await carryOn(session, governed, first.kind === "hold" ? first.reason : undefined);
  } catch (error) {
    answerTrouble(session, call, error);
  }
}

const AMBIGUOUS =
  "it can be read in two ways (a member named twice or in another case, or bytes that are no UTF-8); send it again so that it can't";

const TOO_MANY = `by its rule's \`resource\` it touches more than ${MAX_RESOURCES} things; make it several smaller calls`;

/** A call with the rule that governs it. */
interface GovernedCall {
  readonly call: ToolCall;
  readonly governing: GoverningRule;
  readonly record: Omit<NewCall, "run">;
}

const UNDER_WAY = "an undo of what was done in this session is under way; look at what it left once it is over, then try again";

/** Steps 2 to 10 of a call that isn't a plain read. `reason` is why it would be held, if it would be. */
async function carryOn(session: CallSession, governed: GovernedCall, reason: Reason | undefined): Promise<void> {
  const opened = await session.opened(governed.call);
  const end = session.begin(opened.run.id);
  if (end === undefined) return refuse(session, governed, "undo-under-way", UNDER_WAY);
  try {
    await holdOrSend(session, governed, opened, reason);
  } finally {
    end();
  }
}

async function holdOrSend(
  session: CallSession,
  governed: GovernedCall,
  { run, recorder }: Awaited<ReturnType<CallSession["opened"]>>,
  reason: Reason | undefined,
): Promise<void> {
  const record = { ...governed.record, run: run.id };
  let asking = reason;
  let approval: string | null = null;
  for (;;) {
    if (asking !== undefined) {
      const standing = await recorder.journal.standing(record.callKey); // 2 what stands already
      if (standing.kind !== "approved") return await hold(session, recorder.journal, governed, record, standing, asking); // 3 decide, 4 hold
      approval = standing.approval.id;
    }
    const end = await recordChange(recorder, {
      ...session.door(governed.call),
      call: record,
      governing: governed.governing,
      approval,
    }); //                                                                            5 to 10
    switch (end.kind) {
      case "sent":
        return;
      case "cancelled":
        session.forget(governed.call);
        if (!end.recorded) recorder.journal.recordFinished(neverSent(session, record, "failed", "cancelled-before-sending", null));
        return;
      case "refused":
        return await refuse(session, governed, end.reason, end.why);
      case "state-absent":
        asking = "state-absent"; // back to 2, once, with that fact
        break;
      case "approval-gone":
        approval = null; // another call spent it: ask anew
        asking ??= "gate-always";
        break;
    }
  }
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
