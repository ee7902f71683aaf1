// What happens to a batch? Only legacy versions up to 2025-03-26 have them. One without anything for us passes as the bytes it came as;
// otherwise each member goes its own way, and the answers come back as one batch.
import { hasBatches, requestMeta } from "../wire/era.ts";
import type { WireMessage } from "../wire/message.ts";

/** Requests that we handle, or whose answer we change. */
const OURS = ["tools/call", "initialize", "server/discover"];

/** Says why a client's batch is not taken, if so. `version` is what initialize agreed on. */
export function batchFault(members: readonly WireMessage[], version: string | undefined): string | undefined {
  if (members.length === 0) return "a batch has at least one message";
  if (version !== undefined && !hasBatches(version)) return `the protocol version ${version} has no batches`;
  const isModern = members.some((member) => member.kind === "request" && requestMeta(member.value["params"]) !== undefined);
  return isModern ? "modern protocol versions have no batches" : undefined;
}

/** Tells whether nothing in a client's batch is for us, so that it can pass as it came. */
export function passesWhole(members: readonly WireMessage[]): boolean {
  return members.every((member) => {
    if (member.kind === "request") return !OURS.includes(member.method);
    return member.kind === "notification" && member.method !== "tools/call" && member.method !== "notifications/cancelled";
  });
}
