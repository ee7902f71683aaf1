// Which calls were answered with a wish for input, and which message is the retry of one of them? Only one with the same tool, the same
// arguments, whatever else an approval is bound to, and the exact requestState (2026-07-28, "Multi Round-Trip Requests"); everything else is a call of its own.
import { canonicalJson, isJsonObject, type Json } from "../core/json.ts";
import { inputRequestsOf } from "../recorder/unfinished.ts";
import type { ToolCall } from "./tool-call.ts";

/** A call that waits for its retry. */
export interface Round {
  readonly call: ToolCall;
  readonly result: Json;
  /** Resolves when nothing more will be done about the call. */
  readonly handled: Promise<void> | undefined;
  /** Resolves with the retry, or undefined where none will come. */
  readonly retry: PromiseWithResolvers<ToolCall | undefined>;
}

/** More than this wait for nothing any more: the oldest is given up. */
const MOST = 1000;

/** The rounds that are open in a session. */
export class Rounds {
  readonly #open = new Set<Round>();

  /** Opens a round for a call that was answered with this result. */
  open(call: ToolCall, result: Json, handled: Promise<void> | undefined): Round {
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size >= MOST) this.#close(oldest, undefined);
    const round = { call, result, handled, retry: Promise.withResolvers<ToolCall | undefined>() };
    this.#open.add(round);
    return round;
  }

  /** Takes a call as a retry, if it is one; its round is closed by it. */
  take(call: ToolCall): Round | undefined {
    if (call.input === undefined || call.ambiguous) return undefined;
    const round = [...this.#open].find((open) => isRetry(open, call));
    if (round !== undefined) this.#close(round, call);
    return round;
  }

  /** Gives up on all rounds that `belongs` tells of. */
  abandon(belongs: (call: ToolCall) => boolean): void {
    for (const round of [...this.#open]) if (belongs(round.call)) this.#close(round, undefined);
  }

  #close(round: Round, retry: ToolCall | undefined): void {
    this.#open.delete(round);
    round.retry.resolve(retry);
  }
}

function isRetry({ call, result }: Round, retry: ToolCall): boolean {
  const state = isJsonObject(result) ? result["requestState"] : undefined;
  const { requestState: _state, inputResponses: _responses, ...besides } = retry.besides;
  const { requestState: _before, inputResponses: _given, ...first } = call.besides;
  return call.tool === retry.tool && isSame(state, retry.input?.state) && isSame(call.args, retry.args) && isSame(first, besides);
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

/** The roots that a retry gives to a server that asked for them; undefined where it gives none. */
export function rootsGiven({ result }: Round, { input }: ToolCall): Json | undefined {
  for (const [key, request] of Object.entries(inputRequestsOf(result) ?? {})) {
    const response = input?.responses?.[key];
    if (isJsonObject(request) && request["method"] === "roots/list" && isJsonObject(response)) return response["roots"];
  }
  return undefined;
}
