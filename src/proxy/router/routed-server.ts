// What does the router know of one server? How its session is reached, how far it has come, and what it said it can do, in each era.
// Decides nothing.
import { namePrefix } from "../../core/client-names.ts";
import type { JsonObject } from "../../core/json.ts";
import type { IdKey, WireMessage } from "../../wire/message.ts";

/**
 * `fresh`: nobody has said initialize to it yet; `greeting`: it was told that and hasn't answered; `ready`: it has; `refused`: it didn't
 * want to be greeted so; `gone`: it never started, or ended for good.
 */
export type ServerPhase = "fresh" | "greeting" | "ready" | "refused" | "gone";

/** What came of asking a server by server/discover whether it speaks the modern era (2026-07-28, "Discovery"). */
export type Discovery =
  /** `capabilities` is undefined where it only said which versions it wants. */
  | { readonly kind: "modern"; readonly versions: readonly string[]; readonly capabilities: JsonObject | undefined }
  | { readonly kind: "legacy" }
  /** It could not answer. */
  | { readonly kind: "failed"; readonly why: string };

/** One of the servers behind the entry. */
export class RoutedServer {
  readonly name: string;
  /** What the names of its tools and prompts begin with, as clients see them. */
  readonly prefix: string;
  phase: ServerPhase = "fresh";
  /** Why it is gone or has refused, in words. */
  why = "";
  /** What its initialize result said; undefined while that isn't known. */
  capabilities: JsonObject | undefined;
  /** Undefined while that isn't known. */
  discovery: Discovery | undefined;
  /** The id of the server/discover that it hasn't answered. */
  askedBy: IdKey | undefined;
  /** Hands a message of the client to its session; undefined where there is none. */
  receive: ((message: WireMessage) => void) | undefined;

  constructor(name: string) {
    this.name = name;
    this.prefix = namePrefix(name);
  }

  /** Whether there is a server at all, whatever it speaks. */
  get isThere(): boolean {
    return this.receive !== undefined && this.phase !== "gone";
  }

  /** Whether it may turn out to speak the modern era: what is made without it is incomplete. */
  get mayJoin(): boolean {
    return this.isThere && (this.discovery === undefined || this.discovery.kind === "failed");
  }

  /** Says why it can't be asked in this era; undefined where it can. */
  whyNot(isModern: boolean): string | undefined {
    if (this.phase === "gone") return this.why;
    if (this.receive === undefined) return "it is not there";
    if (!isModern) return this.phase === "refused" ? this.why : this.phase === "greeting" ? "it has not finished starting" : undefined;
    if (this.discovery?.kind === "modern") return undefined;
    if (this.discovery?.kind === "failed") return this.discovery.why;
    if (this.discovery?.kind === "legacy") return "it speaks only versions of the protocol that begin with initialize (up to 2025-11-25)";
    return "it has not answered server/discover yet";
  }

  /** What it said in this era that it can do; undefined while that isn't known. */
  announced(isModern: boolean): JsonObject | undefined {
    if (!isModern) return this.capabilities;
    return this.discovery?.kind === "modern" ? this.discovery.capabilities : undefined;
  }

  /** Tells whether it may be asked for what stands under this capability: it said so, or nothing is known. */
  serves(capability: string, isModern: boolean): boolean {
    if (this.whyNot(isModern) !== undefined) return false;
    const announced = this.announced(isModern);
    return announced === undefined || Object.hasOwn(announced, capability);
  }
}
