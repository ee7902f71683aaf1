// Which tool does this message call, with what, and may we believe our reading of it? Step 1's reading; no decision.
import { isUtf8 } from "node:buffer";
import { besidesOf } from "../core/admission.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { disguisedCall, disguisedEnvelope, duplicateKeys, hasInnerLineEnd } from "../wire/ambiguity.ts";
import { type RequestMeta, requestMeta } from "../wire/era.ts";
import { decodeString, eachMember, skipSpace } from "../wire/json-scan.ts";
import type { RequestMessage, WireMessage } from "../wire/message.ts";

export interface ToolCall {
  readonly message: RequestMessage;
  readonly tool: string;
  /** `arguments` as sent; an empty object where there are none. */
  readonly args: Json;
  /** What else its params say, as far as an approval is bound to it. */
  readonly besides: JsonObject;
  /** One object says something twice, or in another case: servers differ in what they take, so our reading may not be theirs. */
  readonly ambiguous: boolean;
  /** Who asks, where the call says so itself: the modern era. */
  readonly meta: RequestMeta | undefined;
  /** What a retry brings along (2026-07-28, "Multi Round-Trip Requests"); undefined for a first call. */
  readonly input: { readonly state: Json | undefined; readonly responses: JsonObject | undefined } | undefined;
}

/** Reads a tools/call; undefined where it names no tool. */
export function readToolCall(message: RequestMessage): ToolCall | undefined {
  const params = message.value["params"];
  if (!isJsonObject(params) || typeof params["name"] !== "string") return undefined;
  const args = Object.hasOwn(params, "arguments") ? (params["arguments"] as Json) : {};
  const { requestState: state, inputResponses } = params;
  const responses = isJsonObject(inputResponses) ? inputResponses : undefined;
  const input = state === undefined && responses === undefined ? undefined : { state, responses };
  const ambiguous = !isUtf8(message.bytes) || duplicateKeys(message.bytes) || disguisedCall(params);
  return { message, tool: params["name"], args, besides: besidesOf(params), ambiguous, meta: requestMeta(params), input };
}

/**
 * Tells whether a message's own members (not what is inside them) could be read in another way: one named twice, or in another case; or
 * the whole as several messages.
 */
export function isAmbiguous(message: WireMessage & { readonly value: object }): boolean {
  if (message.kind === "batch") return false; // its members are looked at one by one
  const seen = new Set<string>();
  let twice = false;
  eachMember(message.bytes, skipSpace(message.bytes, 0), ({ key }) => {
    const name = decodeString(message.bytes, key) ?? "";
    twice ||= seen.has(name);
    seen.add(name);
  });
  return twice || disguisedEnvelope(message.value) || hasInnerLineEnd(message.bytes);
}
