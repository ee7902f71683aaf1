// What do messages of our own look like? Built here and nowhere else: requests, notifications and answers as JSON-RPC 2.0.
import { type Json, type JsonObject, objectFrom, parseJson, printJson } from "../core/json.ts";
import {
  type BatchMessage,
  type IdKey,
  type NotificationMessage,
  parseMessage,
  type RequestMessage,
  type ResponseMessage,
  type WireMessage,
} from "./message.ts";
import { elementsOf } from "./splice.ts";

const encoder = new TextEncoder();

/** Builds a request of ours. */
export function buildRequest(id: IdKey, method: string, params: JsonObject): RequestMessage {
  const value = objectFrom([
    ["jsonrpc", "2.0"],
    ["id", parseJson(id)],
    ["method", method],
    ["params", params],
  ]);
  return { kind: "request", id, method, value, bytes: encode(value) };
}

/** Builds a notification of ours. */
export function buildNotification(method: string, params?: JsonObject): NotificationMessage {
  const value = objectFrom([["jsonrpc", "2.0"], ["method", method], ...(params === undefined ? [] : [["params", params] as const])]);
  return { kind: "notification", method, value, bytes: encode(value) };
}

/** Builds the answer to a request. */
export function buildResult(id: IdKey, result: Json): ResponseMessage {
  const value = objectFrom([
    ["jsonrpc", "2.0"],
    ["id", parseJson(id)],
    ["result", result],
  ]);
  return { kind: "response", id, value, bytes: encode(value) };
}

/** Builds an error as the answer to a request; codes as in JSON-RPC 2.0, section 5.1. */
export function buildError(id: IdKey, code: number, message: string, data?: Json): ResponseMessage {
  const error = objectFrom([["code", code], ["message", message], ...(data === undefined ? [] : [["data", data] as const])]);
  const value = objectFrom([
    ["jsonrpc", "2.0"],
    ["id", parseJson(id)],
    ["error", error],
  ]);
  return { kind: "response", id, value, bytes: encode(value) };
}

/** Takes a batch apart: its elements as messages of their own, each with its own bytes (no line ends inside, since a batch is one line). */
export function splitBatch(batch: BatchMessage): readonly WireMessage[] {
  return elementsOf(batch.bytes).map(parseMessage);
}

function encode(value: JsonObject): Uint8Array {
  return encoder.encode(printJson(value));
}
