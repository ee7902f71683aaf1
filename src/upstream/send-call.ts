// How does a tools/call reach a server? Only through these two functions, which only src/recorder may import: what passes here was
// written down first (promise 2).
import type { JsonObject } from "../core/json.ts";
import type { RequestMessage } from "../wire/message.ts";
import { doorOf } from "./door.ts";
import type { Answer, Upstream } from "./upstream.ts";

/** Sends the client's call as it came; the reply goes to `onMessage`. False where the server is gone: certainly not sent. */
export function forwardCall(upstream: Upstream, message: RequestMessage): boolean | Promise<boolean> {
  return doorOf(upstream).forward(message);
}

/** Makes a call of ours and waits for the answer, however long it takes unless `timeout` (milliseconds) says otherwise. */
export function sendCall(upstream: Upstream, params: JsonObject, options: { timeout?: number } = {}): Promise<Answer> {
  return doorOf(upstream).request("tools/call", params, { timeout: options.timeout ?? Number.POSITIVE_INFINITY });
}
