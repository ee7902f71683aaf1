// What happens to a read? Forwarded at once, recorded after it has been answered, in a batch. A journal in trouble doesn't stop it.
import type { GoverningRule } from "../core/policy.ts";
import type { Reason } from "../core/vocabulary.ts";
import type { FinishedCall, NewCall } from "../journal/journal.ts";
import { judgeReply, type Verdict } from "../recorder/judge-reply.ts";
import type { Reply } from "../recorder/send.ts";
import type { TaskEnd } from "../recorder/unfinished.ts";
import type { CallDoor, CallSession } from "./call-session.ts";
import { govern, recorded } from "./govern-call.ts";
import type { ToolCall } from "./tool-call.ts";

/** A read's result is kept up to this many bytes; above, only that it was made. */
const MAX_KEPT_RESULT = 256 * 1024;
const LOST: Reply = { kind: "lost", reason: "reply-lost" };

/** Forwards a read and records it. Never rejects. */
export async function passRead(session: CallSession, call: ToolCall, governing: GoverningRule, receivedAt: number): Promise<void> {
  const reply = (await lastReply(session.door(call))) ?? LOST;
  const verdict = judgeReply(reply, governing === "unmentioned" ? [] : governing.failedWhen);
  const small = bytesOf(reply) <= MAX_KEPT_RESULT;
  const finished: Omit<FinishedCall, keyof NewCall> = {
    status: verdict.kind === "success" ? "applied" : "failed",
    reason: reasonOf(verdict),
    detail: verdict.kind === "said-failed" ? verdict.text : null,
    result: small && "result" in verdict ? verdict.result : undefined,
    settledAt: session.clock(),
  };
  try {
    const { run, recorder } = await session.opened(call);
    const { journal, record, learn } = await recorded(recorder, govern(session, call, governing, receivedAt), run.id);
    if (finished.result !== undefined) await learn(finished.result);
    journal.recordFinished({ ...record, ...finished });
  } catch (error) {
    session.log.log("error", "a read was not recorded", { tool: call.tool, why: String(error) });
  }
}

/** Sends it and hands on its reply, over rounds of input and through a task. Undefined: the end isn't seen. */
async function lastReply(door: CallDoor): Promise<Reply | TaskEnd | undefined> {
  for (;;) {
    const reply = await door.send();
    door.deliver(reply);
    const verdict = judgeReply(reply, []);
    if (verdict.kind === "pending") return door.taskEnd();
    if (verdict.kind !== "asks") return reply;
    if (!(await door.retried())) return undefined;
  }
}

function bytesOf(reply: Reply | TaskEnd): number {
  const message = "message" in reply ? (reply as Extract<Reply, { kind: "result" }>).message : undefined; // of the two with one
  return message?.bytes.length ?? 0;
}

function reasonOf(verdict: Verdict): Reason | null {
  switch (verdict.kind) {
    case "success":
    case "pending":
    case "asks":
      return null;
    case "not-sent":
      return "not-sent";
    case "cancelled":
      return "tool-error";
    default:
      return verdict.reason;
  }
}
