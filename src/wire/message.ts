// What is in a line of bytes? One JSON-RPC message, parsed once and as a copy: what is sent on are the bytes that came in.
// Nothing in it can break us: not its nesting, not its keys.
import { isExactNumber, isJsonObject, type Json, type JsonObject, objectFrom, parseJson, printJson } from "../core/json.ts";
import { LARGE, letGo } from "../core/large.ts";
import { decodeString, eachMember, nestsDeeperThan, skipSpace } from "./json-scan.ts";
import { parseLarge } from "./parse-large.ts";

/** The largest message taken by default, in bytes (64 MiB). */
export const DEFAULT_MAX_MESSAGE = 64 * 1024 * 1024;

/** How deeply a message may nest before only its envelope is read: beyond, walking or printing the value would exhaust the stack. */
export const MAX_DEPTH = 1000;

interface Base {
  /** The line without its terminator, exactly as it came. */
  readonly bytes: Uint8Array;
  /** Set where the message nests too deeply: `value` then has id and method only, and a null for `result` or `error`; the bytes are whole. */
  readonly envelopeOnly?: true;
}
/** An id by type and value: its JSON text, so that 1 and "1" differ (JSON-RPC 2.0, section 4). */
export type IdKey = string;

export interface RequestMessage extends Base {
  readonly kind: "request";
  readonly id: IdKey;
  readonly method: string;
  readonly value: JsonObject;
}
export interface NotificationMessage extends Base {
  readonly kind: "notification";
  readonly method: string;
  readonly value: JsonObject;
}
export interface ResponseMessage extends Base {
  readonly kind: "response";
  readonly id: IdKey;
  readonly value: JsonObject;
}
/** A JSON array: a batch, legal in 2025-03-26 and before. */
export interface BatchMessage extends Base {
  readonly kind: "batch";
  readonly value: readonly Json[];
}
/** Anything else: a banner, a log object, an error without id. `parsed` tells broken JSON from JSON that is no JSON-RPC. */
export interface StrangeMessage extends Base {
  readonly kind: "strange";
  readonly parsed: boolean;
}
export type WireMessage = RequestMessage | NotificationMessage | ResponseMessage | BatchMessage | StrangeMessage;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads one line of bytes as a message. Never throws. */
export function parseMessage(bytes: Uint8Array): WireMessage {
  if (nestsDeeperThan(bytes, MAX_DEPTH)) return parseEnvelope(bytes);
  let value: Json;
  letGo(bytes.length); // the pieces that the line came in
  try {
    value = bytes.length >= LARGE ? parseLarge(bytes) : parseJson(decoder.decode(bytes));
  } catch {
    return { kind: "strange", bytes, parsed: false };
  }
  if (Array.isArray(value)) return { kind: "batch", bytes, value };
  if (!isJsonObject(value)) return { kind: "strange", bytes, parsed: true };
  return classify(bytes, value);
}

function classify(bytes: Uint8Array, value: JsonObject): WireMessage {
  const id = idKey(Object.hasOwn(value, "id") ? value["id"] : undefined);
  const method = Object.hasOwn(value, "method") ? value["method"] : undefined;
  if (typeof method === "string") {
    if (id !== undefined) return { kind: "request", bytes, id, method, value };
    if (!Object.hasOwn(value, "id")) return { kind: "notification", bytes, method, value };
    return { kind: "strange", bytes, parsed: true };
  }
  if (id !== undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) return { kind: "response", bytes, id, value };
  return { kind: "strange", bytes, parsed: true };
}

function parseEnvelope(bytes: Uint8Array): WireMessage {
  const members: [string, Json][] = [];
  const close = eachMember(bytes, skipSpace(bytes, 0), ({ key, value }) => {
    const name = decodeString(bytes, key);
    if (name === "id" || name === "method") members.push([name, scalar(bytes.subarray(value.start, value.end))]);
    if (name === "result" || name === "error") members.push([name, null]);
  });
  if (close === -1 || skipSpace(bytes, close + 1) !== bytes.length) return { kind: "strange", bytes, parsed: false };
  return { ...classify(bytes, objectFrom(members)), envelopeOnly: true };
}

function scalar(bytes: Uint8Array): Json {
  try {
    const value = bytes.length > 1024 ? null : parseJson(decoder.decode(bytes));
    return typeof value === "object" && !isExactNumber(value) ? null : value;
  } catch {
    return null;
  }
}

/** Gives an id's JSON text, or undefined for what is no id (null, objects, absent). Whole numbers have one text: a server may answer 1.0 to 1. */
export function idKey(id: Json | undefined): IdKey | undefined {
  if (isExactNumber(id)) return Number.isSafeInteger(Number(id.rawJSON)) ? String(Number(id.rawJSON)) : id.rawJSON;
  return typeof id === "string" || typeof id === "number" ? printJson(id) : undefined;
}
