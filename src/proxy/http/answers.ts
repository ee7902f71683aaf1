// What do we answer by HTTP in our own words? Every status with its JSON-RPC error is here.
import { type Json, type JsonObject, printJson } from "../../core/json.ts";
import type { IdKey } from "../../wire/message.ts";
import type { HeaderRecord } from "./check-request.ts";

/** JSON-RPC error codes: JSON-RPC 2.0, section 5.1; below -32000 those of MCP 2026-07-28 ("Error Codes"). */
export const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** What the reference implementation says of a session that isn't there; clients look for it to begin a new one. */
  session: -32001,
  headers: -32020,
  capability: -32021,
  version: -32022,
} as const;

/** An answer of ours: an error with its HTTP status. */
export interface Problem {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** JSON text; absent where the request has none, or none that is known. */
  readonly id?: IdKey;
  readonly data?: JsonObject;
  readonly headers?: HeaderRecord;
}

/** Gives the bytes of a JSON-RPC error. */
export function errorBytes({ id, code, message, data }: Omit<Problem, "status" | "headers">): Uint8Array {
  const more = data === undefined ? "" : `,"data":${printJson(data)}`;
  const error = `{"code":${code},"message":${printJson(message)}${more}}`;
  return new TextEncoder().encode(`{"jsonrpc":"2.0","error":${error},"id":${id ?? "null"}}`);
}

/** Makes the response for a problem. */
export function problemResponse(problem: Problem): Response {
  return new Response(errorBytes(problem), {
    status: problem.status,
    headers: { ...JSON_HEADERS, ...problem.headers },
  });
}

/** Gives the status of a reply of the server's in the modern era; `code` is that of its error, if it is one (2026-07-28, "Protocol Version Header"). */
export function statusOf(code: Json | undefined): number {
  if (code === CODES.method) return 404;
  return code === CODES.headers || code === CODES.capability || code === CODES.version ? 400 : 200;
}

export const JSON_HEADERS = { "content-type": "application/json", "cache-control": "no-store" } as const;
/** A reverse proxy must not gather what is to arrive at once. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;
