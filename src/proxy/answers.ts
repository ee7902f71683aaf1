// What do we say to an agent in our own words? Every such text is here: plain sentences, what happened, and what to do now.
import { type CheckFact, checkText } from "../core/checks.ts";
import { isJsonObject, type Json, printJson } from "../core/json.ts";
import type { Reason } from "../core/vocabulary.ts";
import type { Action, Decision } from "../journal/journal.ts";
import type { IdKey, ResponseMessage } from "../wire/message.ts";
import { insertMember, memberSpan, replaceMember } from "../wire/splice.ts";

const encoder = new TextEncoder();

/** Added to the server's own instructions at connect time: the one thing an agent must know beforehand. */
export const INSTRUCTIONS = [
  "Synartesis stands between you and this server. It records every tool call so that a person can undo it, and it changes nothing about the tools.",
  'Some calls can\'t be undone; those are held until a person approves them. A held call comes back at once as an error that begins with "Held by Synartesis"; nothing was done then.',
  "Tell the person what is waiting and the command that the answer names. Once they have approved it, make exactly the same call again, with the same arguments: it passes once, within an hour.",
  "Don't look for another way to the same effect, don't answer the request yourself, and don't repeat the call while it waits. Other work can go on.",
].join(" ");

const WHY_HELD: Partial<Record<Reason, string>> = {
  unmentioned: "no rule of the policy mentions this tool, so it counts as one that can't be undone",
  "tool-unlisted": "neither the policy nor the server's own list knows this tool",
  "no-case": "the policy has no case for what this call says it would do, so it counts as one that can't be undone",
  "gate-always": "the policy says that a person has to agree to this tool each time",
  "on-write": "the policy lets only certain reads through this tool, and this isn't one of them for certain",
  "arguments-outside": "its arguments are outside of what the policy accepts without asking",
  "limit-reached": "it goes beyond a limit of the policy",
  "state-absent": "the policy's look at what is there found nothing, so there is no earlier state to put back",
};

/** Says why a call is held, in words for agents and people alike. */
export function whyHeld(reason: Reason | null): string {
  return (reason && WHY_HELD[reason]) ?? "a person has to agree to it";
}

const UNKNOWN_CLIENT =
  "Which process this client is isn't known here, so the person adds --unknown-client, by which they say that it is they who answer, and no agent.";

const WHY_DENIED: Partial<Record<Reason, string>> = {
  "ambiguous-call":
    "it can be read in two ways (a member named twice or in another case, or bytes that are no UTF-8); send it again so that it can't",
  "by-policy": "the policy denies calls of this kind, and nobody can approve one",
  "scope-missing": "the policy wants whoever calls to be allowed what this client isn't",
  "environment-other": "the policy allows it in another environment only",
  "arguments-outside": "its arguments are outside of what the policy accepts",
  "limit-reached": "it goes beyond a limit of the policy",
};

/** Says why the policy denies a call, and what it would accept where it says so. */
export function whyDenied({ reason, why }: { readonly reason: Reason; readonly why?: string }): string {
  return `${WHY_DENIED[reason] ?? "the policy denies it"}${why === undefined ? "" : ` (${why})`}`;
}

/** The text of a held call. `approve` is the command that a person runs; `isClientKnown`: which process the client is. */
export function heldText(hold: Action, approve: string, isClientKnown: boolean, why?: string): string {
  return [
    `Held by Synartesis: ${hold.server}.${hold.tool} was not carried out. Nothing has changed.`,
    `Why: ${whyHeld(hold.reason)}${why === undefined ? "" : ` (${why})`}.`,
    `Request: ${hold.id}. To let it through, a person runs: ${approve}`,
    ...(isClientKnown ? [] : [UNKNOWN_CLIENT]),
    "After that, make exactly the same call again; the approval is good for this one call, once, for an hour. Until then it stays held.",
  ].join("\n");
}

/** The text of a call that a person denied. Told once. */
export function deniedText(hold: Action, decision: Decision): string {
  const why = decision.reasons.length > 0 ? `Their reason: ${decision.reasons.join("; ")}` : "They gave no reason.";
  return [
    `Denied: ${decision.by} decided that ${hold.server}.${hold.tool} with these arguments is not to be carried out. Nothing has changed.`,
    why,
    "Don't try to reach the same effect another way. If it still seems right, ask the person first; the same call made again would be held anew.",
  ].join("\n");
}

/** The text of a call that was not sent, for a reason that isn't anybody's decision. */
export function refusedText(server: string, tool: string, why: string): string {
  return `Refused by Synartesis: ${server}.${tool} was not sent, so nothing has changed.\nWhy: ${why}.`;
}

/** The text that comes before a tool's own answer where checks of the policy say that the success in it isn't one. */
export function refutedText(server: string, tool: string, failed: readonly CheckFact[]): string {
  return [
    `Verification failed: ${server}.${tool} said success, but what can be seen afterwards says otherwise.`,
    ...failed.map((fact) => `- ${checkText(fact)}`),
    "The call was sent and is recorded. Look before you repeat it, and tell the person. The tool's own answer follows.",
  ].join("\n");
}

/** The message of the error that a client gets where the reply to its call was lost, or the call couldn't be sent. */
export function lostText(server: string, tool: string, sent: boolean, why: string): string {
  if (!sent) return `${server}.${tool} was not sent, so nothing has changed: the server can't take it (${why}).`;
  return `${server}.${tool} was sent, but its reply was lost: ${why}. It is not known whether it took effect, and it is recorded so. Look before you repeat it.`;
}

/**
 * A tool result with one text block and `isError`; no structuredContent, since clients validate that against the tool's outputSchema.
 * In the modern era a result says that it is one (2026-07-28, "resultType").
 */
export function toolError(id: IdKey, text: string, isModern: boolean): Uint8Array {
  const type = isModern ? `"resultType":"complete",` : "";
  return encoder.encode(
    `{"jsonrpc":"2.0","id":${id},"result":{${type}"content":[{"type":"text","text":${printJson(text)}}],"isError":true}}`,
  );
}

/** A JSON-RPC error. `id` is JSON text; "null" where the request's own is not known (JSON-RPC 2.0, section 5). */
export function rpcError(id: IdKey | "null", code: number, message: string): Uint8Array {
  return encoder.encode(`{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${printJson(message)}}}`);
}

/** The codes of the errors that we answer with (JSON-RPC 2.0, section 5.1). */
export const ERROR_CODES = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 } as const;

/** The answer to a line that is no message of JSON-RPC; `parsed` tells whether it is JSON at all. */
export function strangeError(parsed: boolean): Uint8Array {
  if (parsed) return rpcError("null", ERROR_CODES.request, "this is no JSON-RPC message");
  return rpcError("null", ERROR_CODES.parse, "this line is no JSON");
}

/** The answer to a message that another reader might take for another one than we do. */
export function ambiguousError(id: IdKey | "null"): Uint8Array {
  const why = "a member stands in it twice or in another case, or a carriage return between its parts";
  return rpcError(id, ERROR_CODES.request, `this message can be read in two ways: ${why}`);
}

/** The answer to a request whose id another one still has. */
export function idInUseError(id: IdKey): Uint8Array {
  return rpcError(id, ERROR_CODES.request, "this id is in use by a request under way");
}

/** The answer to a message above the limit, in bytes. */
export function tooLongError(id: IdKey | undefined, limit: number): Uint8Array {
  return rpcError(id ?? "null", ERROR_CODES.request, `a message of more than ${limit} bytes was not taken (--max-message)`);
}

/** The answer to a request that a server can't answer any more, or never could. */
export function unansweredError(id: IdKey, server: string, why: string): Uint8Array {
  return rpcError(id, ERROR_CODES.internal, `${unansweredWords(server)}${why}`);
}

/** Gives the reason alone out of the message of such an error; any other message as it is. For people, who needn't read it twice. */
export function reasonIn(message: string, server: string): string {
  const words = unansweredWords(server);
  return message.startsWith(words) ? message.slice(words.length) : message;
}

function unansweredWords(server: string): string {
  return `the server ${server} can't answer: `;
}

/** Adds our instructions to an initialize or server/discover result, leaving every other byte as it came. */
export function withInstructions(bytes: Uint8Array, value: Json): Uint8Array {
  const result = isJsonObject(value) ? value["result"] : undefined;
  if (!isJsonObject(result)) return bytes;
  const own = result["instructions"];
  if (typeof own === "string") {
    const span = memberSpan(bytes, ["result", "instructions"]);
    // The closing quote is the last byte of the span; what is inside stays as it is.
    return span ? spliced(bytes, span.end - 1, printJson(`${own === "" ? "" : "\n\n"}${INSTRUCTIONS}`).slice(1, -1)) : bytes;
  }
  const span = memberSpan(bytes, ["result"]);
  if (!span || own !== undefined) return bytes;
  const comma = Object.keys(result).length === 0 ? "" : ",";
  return spliced(bytes, span.start + 1, `"instructions":${printJson(INSTRUCTIONS)}${comma}`);
}

/** Adds a text block to a tool result, leaving every other byte as it came; an answer without content stays as it is. */
export function withWarning(bytes: Uint8Array, value: Json, text: string): Uint8Array {
  const result = isJsonObject(value) ? value["result"] : undefined;
  const content = isJsonObject(result) ? result["content"] : undefined;
  const span = Array.isArray(content) ? memberSpan(bytes, ["result", "content"]) : undefined;
  if (!span || !Array.isArray(content)) return bytes;
  return spliced(bytes, span.end - 1, `${content.length === 0 ? "" : ","}{"type":"text","text":${printJson(text)}}`);
}

/** Makes an error of a tool's result: a text block goes before the others, and every other byte stays as it came. */
export function asRefuted(message: ResponseBody, text: string): ResponseBody {
  const { bytes, value, content } = withContent(message);
  const marked = replaceMember(bytes, ["result", "isError"], TRUE) ?? insertMember(bytes, ["result"], "isError", TRUE) ?? bytes;
  const span = memberSpan(marked, ["result", "content"]);
  if (span === undefined) return { bytes: marked, value }; // withContent has seen to it that there is some
  const block = `{"type":"text","text":${printJson(text)}}${content.length === 0 ? "" : ","}`;
  return { bytes: spliced(marked, span.start + 1, block), value };
}

type ResponseBody = Pick<ResponseMessage, "bytes" | "value">;

const TRUE = encoder.encode("true");

/** A result without a list of blocks goes into one as JSON. */
function withContent({ bytes, value }: ResponseBody): ResponseBody & { readonly content: readonly Json[] } {
  const { result = null } = value;
  const content = isJsonObject(result) ? result["content"] : undefined;
  if (Array.isArray(content)) return { bytes, value, content };
  const type = isJsonObject(result) ? result["resultType"] : undefined;
  const block = { type: "text", text: printJson(result) };
  const whole = { ...(type === undefined ? {} : { resultType: type }), content: [block] };
  const replaced = replaceMember(bytes, ["result"], encoder.encode(printJson(whole))) ?? bytes;
  return { bytes: replaced, value: { ...value, result: whole }, content: [block] };
}

function spliced(bytes: Uint8Array, at: number, text: string): Uint8Array {
  const added = encoder.encode(text);
  const out = new Uint8Array(bytes.length + added.length);
  out.set(bytes.subarray(0, at));
  out.set(added, at);
  out.set(bytes.subarray(at), at + added.length);
  return out;
}
