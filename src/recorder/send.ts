// How does a tools/call leave this program? Only here: the client's own bytes, or a call of ours (snapshot, post-state, inverse).
import type { Json, JsonObject } from "../core/json.ts";
import { forwardCall, sendCall } from "../upstream/send-call.ts";
import type { Answer, Upstream } from "../upstream/upstream.ts";
import type { RequestMessage } from "../wire/message.ts";

/** One tool call of ours, fully resolved. `args` is what stands in `arguments`. */
export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Json;
}

/** How a call that was sent was answered. */
export type Reply =
  | Exclude<Answer, { kind: "timeout" | "ended" }>
  /** `why` is for people. */
  | { readonly kind: "lost"; readonly reason: "reply-lost" | "server-ended"; readonly why?: string }
  /** It was certainly not carried out: the server was gone already, or couldn't be reached, or refused to take it. */
  | { readonly kind: "not-sent"; readonly why?: string };

/** Sends the client's call as it came. Its reply reaches the session like every message of the server. False: certainly not sent. */
export function forwardClientCall(upstream: Upstream, message: RequestMessage): boolean | Promise<boolean> {
  return forwardCall(upstream, message);
}

/** Makes a read of ours. Unanswered within `timeout` milliseconds it is given up; its late reply reaches nobody. */
export function sendRead(upstream: Upstream, read: ResolvedCall, timeout: number): Promise<Answer> {
  return sendCall(upstream, callParams(read), { timeout });
}

/** Sends an inverse and waits for as long as it takes. The key in `_meta` is the same whenever this step is sent. */
export async function sendInverse(upstream: Upstream, inverse: ResolvedCall, idempotencyKey: string): Promise<Reply> {
  if (!upstream.alive) return { kind: "not-sent" };
  const answer = await sendCall(upstream, { ...callParams(inverse), _meta: { "synartesis/idempotency-key": idempotencyKey } });
  if (answer.kind === "result" || answer.kind === "error") return answer;
  if (answer.kind === "timeout" || answer.why === undefined)
    return { kind: "lost", reason: answer.kind === "ended" ? "server-ended" : "reply-lost" };
  return answer.sent === false ? { kind: "not-sent", why: answer.why } : { kind: "lost", reason: "reply-lost", why: answer.why };
}

function callParams({ tool, args }: ResolvedCall): JsonObject {
  return { name: tool, arguments: args };
}
