// How is a call made that a gate may hold? A person who tries a rule out says yes to what is held by that alone; whatever else waits is denied, so that the next
// call that waits is the next one that is made.
import type { JsonObject } from "../core/json.ts";
import type { Action } from "../journal/journal.ts";
import type { CallEnd, DrillSession } from "./session.ts";

/** An approval of a drill is used at once. */
const APPROVAL_LASTS = 60_000;

export type ApprovedEnd = CallEnd | { readonly kind: "held"; readonly hold: Action };

/** Calls a tool, and once more where it is held for what may be approved. */
export async function callApproved(
  session: DrillSession,
  { server, tool, args }: { readonly server: string; readonly tool: string; readonly args: JsonObject },
  mayApprove: (hold: Action) => boolean,
): Promise<ApprovedEnd> {
  const { journal } = session.parts;
  const end = await session.call(server, tool, args);
  if (end.kind !== "failed") return end;
  const [hold] = await journal.waiting();
  if (hold === undefined) return end;
  if (!mayApprove(hold)) {
    await journal.deny(hold.id, "drill", null);
    return { kind: "held", hold };
  }
  await journal.approve(hold.id, "drill", APPROVAL_LASTS);
  return session.call(server, tool, args);
}
