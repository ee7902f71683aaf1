// Is one event the one that was written, in its place? Judged by its own fields and the event before it.

import { sha256 } from "../core/digest.ts";
import { isJsonObject, type JsonObject, parseJson } from "../core/json.ts";
import type { Row } from "./connection.ts";
import { eventHash, GENESIS } from "./events.ts";
import type { HeadFile } from "./head-file.ts";
import type { Finding } from "./verify.ts";

/** What the next event has to follow. */
export interface ChainLink {
  readonly number: number;
  readonly hash: string;
}

export interface CheckedEvent {
  readonly findings: readonly Finding[];
  readonly link: ChainLink;
  /** What it says was written, as far as it can be read. */
  readonly payload: JsonObject | undefined;
}

/** Checks an event against the one before it (undefined: it is the first) and against the head that was kept outside. */
export function checkEvent(row: Row, before: ChainLink | undefined, sealed: HeadFile): CheckedEvent {
  const event = Number(row["number"]);
  const findings: Finding[] = [];
  const find = (what: string) => findings.push({ event, what });

  const expected = (before?.number ?? 0) + 1;
  if (event > expected) find(event === expected + 1 ? `event ${expected} is missing` : `events ${expected} to ${event - 1} are missing`);
  else if (event < expected) find("its number doesn't belong into the chain");

  const hash = String(row["hash"]);
  const computed = eventHash({
    number: event,
    time: Number(row["time"]),
    type: String(row["type"]),
    subject: String(row["subject"]),
    payloadDigest: String(row["payload_digest"]),
    previous: String(row["previous"]),
  });
  if (computed !== hash) find("a field was changed: its hash doesn't cover what it says");
  if (event === expected && row["previous"] !== (before?.hash ?? GENESIS)) {
    find("it doesn't follow the event before it: one of them was changed, added or moved");
  }
  const named = typeof sealed === "string" ? [] : [sealed.durable, sealed.last];
  if (named.some((head) => head.number === event && head.hash !== hash)) find("it isn't the event that journal.head names");

  const payload = row["payload"];
  if (typeof payload !== "string") {
    find("its payload is missing");
    return { findings, link: { number: event, hash }, payload: undefined };
  }
  if (sha256(payload) !== row["payload_digest"]) find("its payload was changed");
  return { findings, link: { number: event, hash }, payload: readPayload(payload) };
}

function readPayload(text: string): JsonObject | undefined {
  try {
    const payload = parseJson(text);
    return isJsonObject(payload) ? payload : undefined;
  } catch {
    return undefined; // no JSON: found by its digest already
  }
}
