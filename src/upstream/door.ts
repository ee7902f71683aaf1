// How does send-call.ts reach a connection, past the guard that stops everybody else? Through this register. Imported by
// send-call.ts and by the implementations of Upstream only; a check holds it.
import type { JsonObject } from "../core/json.ts";
import type { RequestMessage } from "../wire/message.ts";
import type { Answer, Upstream } from "./upstream.ts";

/** The same as `forward` and `request`, for a tools/call. */
export interface Door {
  /** False where the server is gone, so that the message was certainly not sent; a promise where that isn't decided yet. */
  forward(message: RequestMessage): boolean | Promise<boolean>;
  request(method: string, params: JsonObject, options: { timeout: number }): Promise<Answer>;
}

const doors = new WeakMap<Upstream, Door>();

/** Registers the door of a connection. Called once, where it is made. */
export function registerDoor(upstream: Upstream, door: Door): void {
  doors.set(upstream, door);
}

/** Gives the door of a connection. */
export function doorOf(upstream: Upstream): Door {
  const door = doors.get(upstream);
  if (door === undefined) throw new Error(`no door was registered for server ${upstream.name}`);
  return door;
}
