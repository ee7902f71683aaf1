// How does a tools/call leave this program? Only here: the client's own bytes, or a call of ours (snapshot, post-state, inverse).
import { isJsonObject, type Json, type JsonObject, objectFrom } from "../core/json.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { INVERSE_KEY } from "../upstream/inverse-key.ts";
import { forwardCall, sendCall } from "../upstream/send-call.ts";
import type { Answer, Upstream } from "../upstream/upstream.ts";
import type { RequestMessage } from "../wire/message.ts";
import type { Sender } from "./recorder.ts";
import { inputRequestsOf } from "./unfinished.ts";

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

/** Makes a read of ours. Unanswered within the time for reads it is given up; its late reply reaches nobody. */
export function sendRead(sender: Sender, read: ResolvedCall): Promise<Answer> {
  return call(sender, callParams(read, sender.meta), { timeout: sender.readTimeout });
}

/** Pauses before an inverse that certainly wasn't carried out is sent again, in milliseconds. */
const AGAIN: readonly number[] = [100, 400, 1000];

/** Sends an inverse and waits for as long as it takes. The key in `_meta` tells the server whether it is the same one. */
export async function sendInverse(sender: Sender, inverse: ResolvedCall, idempotencyKey: string): Promise<Reply> {
  const params = callParams(inverse, { ...sender.meta, [INVERSE_KEY]: idempotencyKey });
  let reply = await sendOnce(sender, params);
  for (const pause of AGAIN) {
    if (reply.kind !== "not-sent" || !sender.upstream.alive) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    reply = await sendOnce(sender, params);
  }
  return reply;
}

async function sendOnce(sender: Sender, params: JsonObject): Promise<Reply> {
  if (!sender.upstream.alive) return { kind: "not-sent" };
  const answer = await call(sender, params);
  if (answer.kind === "result" || answer.kind === "error") return answer;
  if (answer.kind === "timeout" || answer.why === undefined)
    return { kind: "lost", reason: answer.kind === "ended" ? "server-ended" : "reply-lost" };
  return answer.sent === false ? { kind: "not-sent", why: answer.why } : { kind: "lost", reason: "reply-lost", why: answer.why };
}

/** More rounds than this are a server that is never satisfied. */
const MAX_ROUNDS = 3;

/** Makes a call; a server that only asks for the roots is told what the client told it (2026-07-28, "Multi Round-Trip Requests"). */
async function call({ upstream, roots }: Sender, params: JsonObject, options: { timeout?: number } = {}): Promise<Answer> {
  let answer = await sendCall(upstream, params, options);
  for (let round = 1; round < MAX_ROUNDS && answer.kind === "result"; round++) {
    const retry = withRoots(params, answer.result, roots);
    if (retry === undefined) break;
    answer = await sendCall(upstream, retry, options);
  }
  return answer;
}

function withRoots(params: JsonObject, result: Json, roots: Json): JsonObject | undefined {
  const asked = Object.entries(inputRequestsOf(result) ?? {});
  const onlyRoots = asked.every(([, request]) => isJsonObject(request) && request["method"] === "roots/list");
  if (roots === null || asked.length === 0 || !onlyRoots || !isJsonObject(result)) return undefined;
  const state = result["requestState"];
  const inputResponses = objectFrom(asked.map(([key]) => [key, { roots }] as const));
  return { ...params, inputResponses, ...(state === undefined ? {} : { requestState: state }) };
}

function callParams({ tool, args }: ResolvedCall, meta: JsonObject | undefined): JsonObject {
  return { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
}
