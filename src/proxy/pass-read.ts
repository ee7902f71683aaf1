// What happens to a read? Forwarded at once, recorded after it has been answered, in a batch. A journal in trouble doesn't stop it.
import type { GoverningRule } from "../core/policy.ts";
import type { Reason } from "../core/vocabulary.ts";
import type { FinishedCall } from "../journal/journal.ts";
import { judgeReply, type Verdict } from "../recorder/judge-reply.ts";
import type { CallSession } from "./call-session.ts";
import { describeCall } from "./describe-call.ts";
import type { ToolCall } from "./tool-call.ts";

/** A read's result is kept up to this many bytes; above, only that it was made. */
const MAX_KEPT_RESULT = 256 * 1024;

/** Forwards a read and records it. Never rejects. */
export async function passRead(session: CallSession, call: ToolCall, governing: GoverningRule, receivedAt: number): Promise<void> {
  const reply = await session.pass(call);
  const verdict = judgeReply(reply, governing === "unmentioned" ? [] : governing.failedWhen);
  const small = (reply.kind === "result" || reply.kind === "error") && reply.message.bytes.length <= MAX_KEPT_RESULT;
  const finished: Omit<FinishedCall, "run"> = {
    ...describeCall(session, call, governing, receivedAt).record,
    status: verdict.kind === "success" ? "applied" : "failed",
    reason: reasonOf(verdict),
    detail: verdict.kind === "said-failed" ? verdict.text : null,
    result: small && "result" in verdict ? verdict.result : undefined,
    settledAt: session.clock(),
  };
  try {
    const { run, recorder } = await session.opened();
    recorder.journal.recordFinished({ ...finished, run: run.id });
  } catch (error) {
    session.log.log("error", "a read was not recorded", { tool: call.tool, why: String(error) });
  }
}

function reasonOf(verdict: Verdict): Reason | null {
  if (verdict.kind === "success" || verdict.kind === "pending") return null;
  return verdict.kind === "not-sent" ? "not-sent" : verdict.reason;
}
