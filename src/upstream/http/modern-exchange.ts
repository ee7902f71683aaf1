// How does one message of the modern era (MCP 2026-07-28) travel over HTTP? Alone: no session, nothing to take up again. What marks it in
// headers is learned from the lists of tools that pass.
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { type IdKey, parseMessage, type RequestMessage, type ResponseMessage, type WireMessage } from "../../wire/message.ts";
import { dropElements } from "../../wire/splice.ts";
import type { ToolList } from "../list-tools.ts";
import type { Loss, Outgoing } from "../upstream.ts";
import { statusLoss } from "./failures.ts";
import { type HttpClient, letGo } from "./http-client.ts";
import { type InvalidTool, metaOf, mirrorsArguments, ToolHeaders } from "./modern-headers.ts";
import { type Receiver, type Refusal, readRefusal, readReply } from "./replies.ts";

export interface ModernParts {
  readonly http: HttpClient;
  readonly receiver: Receiver;
  /** Lists the tools with this `_meta`; the lists pass `note` on their way. */
  listTools(meta: JsonObject): Promise<ToolList>;
  /** These were taken out of a list. */
  onInvalidTools(tools: readonly InvalidTool[]): void;
}

/** The error by which a server says that headers are missing or wrong (2026-07-28, "Server Validation"). */
const HEADER_MISMATCH = -32020;
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Sends messages of the modern era. */
export class ModernExchange {
  readonly #parts: ModernParts;
  readonly #tools = new ToolHeaders();
  readonly #lists = new Set<IdKey>();

  constructor(parts: ModernParts) {
    this.#parts = parts;
  }

  /** Sends a request and hands on what answers it; gives why nothing will, if so. `signal` ends it, which is its cancellation. */
  async request(message: RequestMessage, version: string, signal: AbortSignal): Promise<Loss | undefined> {
    if (message.method === "tools/list") this.#lists.add(message.id);
    const first = await this.#exchange(message, version, signal);
    const meta = metaOf(message);
    if (first.kind !== "refused" || !isMismatch(first.refusal) || !mirrorsArguments(message) || meta === undefined) return this.#end(first);
    // Refused unseen, since its headers were not what today's schema wants: the list is read again, and it is sent once more.
    await this.#parts.listTools(meta);
    return signal.aborted ? { why: "it was cancelled", sent: false } : this.#end(await this.#exchange(message, version, signal));
  }

  /** Sends what nobody answers; gives why it wasn't accepted, if so. */
  async send(message: Outgoing, version: string): Promise<Loss | undefined> {
    const { http } = this.#parts;
    const headers = { ...HEADERS, ...this.#tools.headersFor(message, version) };
    const answer = await http.send({ method: "POST", headers, body: message.bytes, signal: new AbortController().signal });
    if (answer.kind === "failed") return answer.loss;
    letGo(answer.response);
    return answer.response.ok ? undefined : statusLoss(answer.response, new Uint8Array(0));
  }

  /** Notes a reply on its way to whoever waits for it, and gives it: a list without the tools whose marks are against the rules, which a client
   * that speaks HTTP has to take out (2026-07-28, "Custom Headers from Tool Parameters"), and one over stdio couldn't know about. */
  note(reply: ResponseMessage): WireMessage {
    if (!this.#lists.delete(reply.id)) return reply;
    const invalid = this.#tools.learn(reply.value["result"] ?? null);
    if (invalid.length === 0) return reply;
    this.#parts.onInvalidTools(invalid);
    const places = new Set(invalid.map(({ at }) => at));
    const bytes = dropElements(reply.bytes, ["result", "tools"], (at) => places.has(at));
    return bytes === undefined ? reply : parseMessage(bytes);
  }

  async #exchange(message: RequestMessage, version: string, signal: AbortSignal): Promise<Exchanged> {
    const { http, receiver } = this.#parts;
    const headers = { ...HEADERS, ...this.#tools.headersFor(message, version) };
    const answer = await http.send({ method: "POST", headers, body: message.bytes, signal });
    if (answer.kind === "failed") return { kind: "lost", loss: answer.loss };
    if (!answer.response.ok) return { kind: "refused", refusal: await readRefusal(answer.response, message.id) };
    const end = await readReply(answer.response, message.id, receiver, () => undefined);
    if (end.kind === "answered") return { kind: "answered" };
    return { kind: "lost", loss: end.kind === "lost" ? end.loss : { why: end.why, sent: true } };
  }

  async #end(exchanged: Exchanged): Promise<Loss | undefined> {
    if (exchanged.kind === "answered") return undefined;
    if (exchanged.kind === "lost") return exchanged.loss;
    if (exchanged.refusal.kind === "lost") return exchanged.refusal.loss;
    await this.#parts.receiver.receive(exchanged.refusal.message);
    return undefined;
  }
}

type Exchanged =
  | { readonly kind: "answered" }
  | { readonly kind: "lost"; readonly loss: Loss }
  | { readonly kind: "refused"; readonly refusal: Refusal };

function isMismatch(refusal: Refusal): boolean {
  const error = refusal.kind === "reply" ? refusal.message.value["error"] : undefined;
  return isJsonObject(error) && error["code"] === HEADER_MISMATCH;
}
