// Which requests wait for their reply, in one direction? Ids by type and value; a reply that nobody waits for is never matched loosely.

import type { Reply } from "../recorder/send.ts";
import type { TaskEnd } from "../recorder/unfinished.ts";
import type { IdKey, RequestMessage, ResponseMessage } from "../wire/message.ts";
import type { Place } from "./replies.ts";
import type { Round } from "./rounds.ts";
import type { ToolCall } from "./tool-call.ts";

/** A client's request under way. */
export type OpenRequest = { readonly kind: "plain"; readonly message: RequestMessage } | OpenCall;

/** A client's tools/call under way. */
export interface OpenCall {
  readonly kind: "call";
  readonly call: ToolCall;
  sent: boolean;
  cancelled: boolean;
  /** Resolves when the client cancels it. */
  readonly cancellation: PromiseWithResolvers<void>;
  settle: ((reply: Reply) => void) | undefined;
  /** The place that its reply has among what goes to the client; set when the reply has come. */
  place: Place | undefined;
  /** Set where the reply asks for input. */
  round: Round | undefined;
  /** Set where the reply hands out a task: its end. */
  task: Promise<TaskEnd | undefined> | undefined;
  /** Resolves when nothing more will be done about it. */
  handled: Promise<void> | undefined;
}

/** Makes a call that has just arrived. */
export function openCall(call: ToolCall): OpenCall {
  return {
    kind: "call",
    call,
    sent: false,
    cancelled: false,
    cancellation: Promise.withResolvers(),
    settle: undefined,
    place: undefined,
    round: undefined,
    task: undefined,
    handled: undefined,
  };
}

/** The client's requests under way. */
export class OpenRequests {
  readonly #open = new Map<IdKey, OpenRequest>();

  add(id: IdKey, request: OpenRequest): void {
    this.#open.set(id, request);
  }

  get(id: IdKey): OpenRequest | undefined {
    return this.#open.get(id);
  }

  has(id: IdKey): boolean {
    return this.#open.has(id);
  }

  /** Tells whether a call is under way. */
  hasCalls(): boolean {
    return this.all().some(([, { kind }]) => kind === "call");
  }

  /** Ends a request: its answer is on its way, or none will follow. */
  end(id: IdKey): void {
    this.#open.delete(id);
  }

  /** Gives every request under way, oldest first. */
  all(): [IdKey, OpenRequest][] {
    return [...this.#open];
  }
}

/** Reads a response as the reply to a call. */
export function replyFrom(message: ResponseMessage): Reply {
  if (Object.hasOwn(message.value, "error")) return { kind: "error", error: message.value["error"] ?? null, message };
  return { kind: "result", result: message.value["result"] ?? null, message };
}
