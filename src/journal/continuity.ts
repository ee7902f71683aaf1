// Does the chain go on from where it was left? Where the head that lies outside isn't in it, an event says so for ever, before the head is
// written anew: going on as if nothing had happened would hide that the end was cut off.
import type { Continuity } from "./head-file.ts";
import type { Transaction } from "./transaction.ts";

/** The events that say so, by the kind of the break. */
export const BREAK_EVENTS = { broken: "journal.discontinuity", "end-lost": "journal.end-lost" } as const;

/** Records a break once, as a row of `journal` whose predecessor is what the head file said. */
export function recordBreak(transaction: Transaction, continuity: Continuity): void {
  if (continuity.kind === "continuous") return;
  const { connection, sources } = transaction;
  const { sealed } = continuity;
  // Another process may have been first, or the file can't be written.
  if (connection.first("SELECT 1 FROM journal WHERE predecessor = ?", sealed) !== undefined) return;
  const id = sources.newId();
  transaction.insert(BREAK_EVENTS[continuity.kind], id, "journal", id, { created_at: sources.clock(), predecessor: sealed });
}

/** What a break means, in words. `loss`: a power cut, or a person's own doing, explains it. */
export interface Break {
  readonly kind: "damage" | "loss";
  readonly what: string;
}

/** Gives what an event says about a break before it; undefined where it says nothing of that. `predecessor` is that of its row. */
export function describeBreak(type: string, predecessor: string): Break | undefined {
  const named = `journal.head named event ${predecessor}, which isn't in the chain`;
  switch (type) {
    case BREAK_EVENTS.broken:
      if (/^\d/.test(predecessor)) return { kind: "damage", what: `${named}: events before this one were cut off or replaced` };
      return { kind: "damage", what: `journal.head was ${predecessor}: whether events before this one were cut off can't be told` };
    case BREAK_EVENTS["end-lost"]:
      return { kind: "loss", what: `${named}: the end was lost when the machine stopped; nothing that had waited for the disk is missing` };
    case "journal.created":
      return { kind: "loss", what: `another journal lay here before and is gone; its last event was ${predecessor}` };
    default:
      return undefined;
  }
}
