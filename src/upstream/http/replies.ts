// What does the response to a posted request hold? The reply, as JSON or at the end of a stream of events; a refusal; or nothing that
// answers it. Everything in it is handed on as it came.
import { isJsonObject, type Json, parseJson } from "../../core/json.ts";
import { mediaType, oneLine, readEvents, readWhole } from "../../wire/http/body.ts";
import type { TooLongLine } from "../../wire/lines.ts";
import { type IdKey, idKey, parseMessage, type ResponseMessage, type WireMessage } from "../../wire/message.ts";
import { insertMember, replaceMember } from "../../wire/splice.ts";
import { identify } from "../../wire/too-long.ts";
import { OwnIds } from "../own-ids.ts";
import type { Loss } from "../upstream.ts";
import { failureOf, statusLoss, statusText } from "./failures.ts";

/** Where the messages of a server go. */
export interface Receiver {
  /** The longest message taken, in bytes. */
  readonly maxMessage: number;
  receive(message: WireMessage): void | Promise<void>;
  /** `reply` is the request that the message answers, where that is known. */
  receiveTooLong(line: TooLongLine, reply?: IdKey): void;
}

/** How a response ended: with the reply; without one for certain; or as a stream that was cut off before it. */
export type ReplyEnd =
  | { readonly kind: "answered" }
  | { readonly kind: "lost"; readonly loss: Loss }
  | {
      readonly kind: "cut";
      readonly lastEventId: string | undefined;
      readonly why: string;
      /** Not ended by the server, which may do so at any time (2025-11-25, "Sending Messages to the Server"). */
      readonly isBroken: boolean;
    };

/** A status that is no success: a JSON-RPC error in its body, as the reply to the request, or why there is no reply. */
export type Refusal = { readonly kind: "reply"; readonly message: ResponseMessage } | { readonly kind: "lost"; readonly loss: Loss };

const EVENT_STREAM = "text/event-stream";
/** What a server says beside a refusal is read up to here, in bytes. */
const MAX_REFUSAL = 1024 * 1024;
const encoder = new TextEncoder();

/** Tells whether a response is a stream of events. */
export function isEventStream(response: Response): boolean {
  return response.ok && mediaType(response.headers.get("content-type")) === EVENT_STREAM;
}

/** Reads a successful response to the request `id`, however long it takes. `onRetry`: how long to wait before taking a cut stream up again. */
export async function readReply(
  response: Response,
  id: IdKey,
  receiver: Receiver,
  onRetry: (milliseconds: number) => void,
): Promise<ReplyEnd> {
  if (isEventStream(response) && response.body !== null) return readStream(response.body, id, receiver, { onRetry, url: response.url });
  const type = mediaType(response.headers.get("content-type"));
  if (type !== "application/json" && !type.endsWith("+json")) {
    const body = await readWhole(response.body, MAX_REFUSAL);
    const said = statusLoss(response, body.kind === "whole" ? body.bytes : new Uint8Array(0)).why;
    const loss = { why: `${said} (${type === "" ? "no content type" : type}), which is no MCP; is this the right address?`, sent: true };
    return { kind: "lost", loss };
  }
  const body = await readWhole(response.body, receiver.maxMessage);
  if (body.kind === "broken") return { kind: "lost", loss: { ...failureOf(body.error, new URL(response.url)), sent: true } };
  if (body.kind === "too-long") {
    receiver.receiveTooLong(body.line, id);
    return { kind: "answered" };
  }
  const message = parseMessage(oneLine(body.bytes));
  await receiver.receive(message);
  if (answers(message, id)) return { kind: "answered" };
  return { kind: "lost", loss: { why: `it answers ${statusText(response)} without the reply`, sent: true } };
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  id: IdKey,
  receiver: Receiver,
  { onRetry, url }: { onRetry: (milliseconds: number) => void; url: string },
): Promise<ReplyEnd> {
  let answered = false;
  const end = await readEvents(body, {
    limit: receiver.maxMessage,
    onMessage(message) {
      answered ||= answers(message, id);
      return receiver.receive(message);
    },
    onTooLong(line) {
      const known = identify(line);
      answered ||= known.method === undefined && known.id !== undefined && OwnIds.canonical(known.id) === id;
      receiver.receiveTooLong(line);
    },
    onRetry,
  });
  if (answered) return { kind: "answered" };
  const why = "error" in end ? failureOf(end.error, new URL(url)).why : "it closed the stream before the reply";
  return { kind: "cut", lastEventId: end.lastEventId, why, isBroken: "error" in end };
}

/** Reads a response of a status that is no success. */
export async function readRefusal(response: Response, id: IdKey): Promise<Refusal> {
  const body = await readWhole(response.body, MAX_REFUSAL);
  const bytes = body.kind === "whole" ? body.bytes : new Uint8Array(0);
  const message = asErrorReply(oneLine(bytes), id);
  return message === undefined ? { kind: "lost", loss: statusLoss(response, bytes) } : { kind: "reply", message };
}

/** A JSON-RPC error that came as the whole answer to a request is its reply, even where its id is null or missing. */
function asErrorReply(bytes: Uint8Array, id: IdKey): ResponseMessage | undefined {
  const value = jsonOf(bytes);
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0" || !isJsonObject(value["error"])) return undefined;
  const idBytes = encoder.encode(id);
  const own = Object.hasOwn(value, "id") ? replaceMember(bytes, ["id"], idBytes) : insertMember(bytes, [], "id", idBytes);
  const message = parseMessage(idKey(value["id"]) === id ? bytes : (own ?? bytes));
  return message.kind === "response" ? message : undefined;
}

function jsonOf(bytes: Uint8Array): Json {
  try {
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return null; // it is no JSON, so it is no error either
  }
}

/** Tells whether a message is, or as a batch holds, the reply to the request. */
function answers(message: WireMessage, id: IdKey): boolean {
  if (message.kind === "response") return OwnIds.canonical(message.id) === OwnIds.canonical(id);
  if (message.kind !== "batch") return false;
  return message.value.some((element) => {
    if (!isJsonObject(element) || Object.hasOwn(element, "method")) return false;
    const key = idKey(element["id"]);
    return key !== undefined && OwnIds.canonical(key) === OwnIds.canonical(id);
  });
}
