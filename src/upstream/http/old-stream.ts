// How is a server of the old HTTP+SSE transport spoken to (MCP 2024-11-05, "HTTP with SSE")? One stream brings everything; what is sent goes
// to the address that its first event names. The end of the stream is the end of the session.
import { readEvents, readWhole } from "../../wire/http/body.ts";
import type { SseEvent } from "../../wire/http/sse.ts";
import type { Loss, Outgoing } from "../upstream.ts";
import { failureOf, statusLoss } from "./failures.ts";
import { type HttpClient, letGo } from "./http-client.ts";
import { isEventStream, type Receiver } from "./replies.ts";

export interface OldStreamParts {
  readonly http: HttpClient;
  readonly receiver: Receiver;
  readonly signal: AbortSignal;
  /** The stream has ended, after it had named an address. */
  onEnd(why: string): void;
}

export type OldStreamOpening = { readonly kind: "opened"; readonly stream: OldStream } | { readonly kind: "failed"; readonly why: string };

/** How long the first event may take, in milliseconds: without a limit a server of another kind would hang us. */
const FIRST_EVENT = 15_000;
const MAX_SAID = 64 * 1024;

/** An open stream, and where messages for its server go. */
export class OldStream {
  readonly #parts: OldStreamParts;
  readonly #endpoint: URL;

  private constructor(parts: OldStreamParts, endpoint: URL) {
    this.#parts = parts;
    this.#endpoint = endpoint;
  }

  /** Opens the stream and waits for its first event. */
  static async open(parts: OldStreamParts): Promise<OldStreamOpening> {
    const { http, receiver, signal } = parts;
    const answer = await http.send({ method: "GET", headers: { accept: "text/event-stream" }, signal });
    if (answer.kind === "failed") return { kind: "failed", why: answer.loss.why };
    const { response } = answer;
    if (!isEventStream(response) || response.body === null) {
      letGo(response);
      return { kind: "failed", why: `GET gives no stream of events (HTTP ${response.status})` };
    }
    const { promise: opening, resolve } = Promise.withResolvers<OldStreamOpening>();
    const timer = setTimeout(() => resolve({ kind: "failed", why: "GET opens a stream that names no endpoint" }), FIRST_EVENT);
    const body = response.body;
    const reading = readEvents(body, {
      limit: receiver.maxMessage,
      onMessage: (message) => receiver.receive(message),
      onTooLong: (line) => receiver.receiveTooLong(line),
      onOther: (event) => resolve(OldStream.#named(parts, event)),
    });
    let opened: OldStreamOpening | undefined;
    void reading.then((end) => {
      const why = "error" in end ? failureOf(end.error, http.url).why : "the server closed its stream";
      if (opened?.kind === "opened") parts.onEnd(why);
      else resolve({ kind: "failed", why });
    });
    opened = await opening;
    clearTimeout(timer);
    if (opened.kind === "failed") letGo(response);
    return opened;
  }

  static #named(parts: OldStreamParts, event: SseEvent): OldStreamOpening {
    const text = new TextDecoder().decode(event.data).trim();
    const endpoint = event.type === "endpoint" ? URL.parse(text, parts.http.url.href) : null;
    if (endpoint === null) return { kind: "failed", why: "the first event of its stream names no endpoint" };
    // Anything else would send our headers to somebody else.
    if (endpoint.origin !== parts.http.url.origin) return { kind: "failed", why: `its endpoint is on another origin (${endpoint.origin})` };
    return { kind: "opened", stream: new OldStream(parts, endpoint) };
  }

  /** Sends a message; gives why it was not taken, if so. The reply comes in the stream. */
  async post(message: Outgoing): Promise<Loss | undefined> {
    const { http, signal } = this.#parts;
    const headers = { "content-type": "application/json" };
    const answer = await http.send({ method: "POST", url: this.#endpoint, headers, body: message.bytes, signal });
    if (answer.kind === "failed") return answer.loss;
    const body = await readWhole(answer.response.body, MAX_SAID);
    return answer.response.ok ? undefined : statusLoss(answer.response, body.kind === "whole" ? body.bytes : new Uint8Array(0));
  }
}
