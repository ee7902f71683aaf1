// What does the router know of one server? How its session is reached, how far it has come, and what it said it can do. Decides nothing.
import { namePrefix } from "../../core/client-names.ts";
import type { JsonObject } from "../../core/json.ts";
import type { WireMessage } from "../../wire/message.ts";

/**
 * `fresh`: nothing was said to it yet; `greeting`: it was told hello and hasn't answered; `ready`: it has;
 * `gone`: it never started, refused to be greeted, or ended for good.
 */
export type ServerPhase = "fresh" | "greeting" | "ready" | "gone";

/** One of the servers behind the entry. */
export class RoutedServer {
  readonly name: string;
  /** What the names of its tools and prompts begin with, as clients see them. */
  readonly prefix: string;
  phase: ServerPhase = "fresh";
  /** Why it is gone, in words. */
  why = "";
  /** What its initialize result said; undefined while that isn't known. */
  capabilities: JsonObject | undefined;
  /** Hands a message of the client to its session; undefined where there is none. */
  receive: ((message: WireMessage) => void) | undefined;

  constructor(name: string) {
    this.name = name;
    this.prefix = namePrefix(name);
  }

  /** Tells whether it may be asked for what stands under this capability: it said so, or nothing is known. */
  serves(capability: string): boolean {
    if (this.receive === undefined || this.phase === "gone" || this.phase === "greeting") return false;
    return this.capabilities === undefined || Object.hasOwn(this.capabilities, capability);
  }
}
