// How do messages of the legacy era (MCP 2025-03-26 to 2025-11-25) travel over HTTP? In a session that begins with `initialize` and whose
// streams are taken up again where they were cut off. A server that can't be posted to is tried as one of the old HTTP+SSE transport.
import { isJsonObject } from "../../core/json.ts";
import { buildRequest } from "../../wire/build.ts";
import type { IdKey, RequestMessage, ResponseMessage, WireMessage } from "../../wire/message.ts";
import { pause } from "../pause.ts";
import type { Loss, Outgoing } from "../upstream.ts";
import { statusLoss, statusText } from "./failures.ts";
import { type HttpClient, letGo } from "./http-client.ts";
import { OldStream } from "./old-stream.ts";
import { isEventStream, type Receiver, type ReplyEnd, readRefusal, readReply } from "./replies.ts";
import { DEFAULT_RETRY, followServerStream } from "./server-stream.ts";

export interface LegacyParts {
  readonly http: HttpClient;
  readonly receiver: Receiver;
  /** The session is gone: what is in flight is lost. */
  onGone(why: string): void;
  /** The server has closed the stream of a request, to be asked again for the reply after `retry` milliseconds. */
  onPaused(id: IdKey, retry: number): void;
}

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const GONE = "its session had ended";
/** Statuses of a server that may be of the old transport (2025-11-25, "Backwards Compatibility"). */
const MAYBE_OLD: readonly number[] = [400, 404, 405];
/** An id that neither the client nor a request of ours is likely to carry just then. */
const PING_ID = 2_147_483_647;
/** So many reconnections in a row may fail before a reply counts as lost. */
const MAX_FAILURES = 6;

/** One session with a server. */
export class LegacySession {
  readonly #parts: LegacyParts;
  /** Ends everything of this session. */
  readonly #ending = new AbortController();
  #id: string | null = null;
  #version: string | undefined;
  #old: OldStream | undefined;
  #isFollowing = false;
  /** How long the server wants us to wait before a reconnection, in milliseconds. */
  #retry = DEFAULT_RETRY;
  /** While the session is being made: what else is sent waits for it. */
  #opening: Promise<void> | undefined;

  constructor(parts: LegacyParts) {
    this.#parts = parts;
  }

  /** Sends a request and hands on what answers it; gives why nothing will, if so. */
  async request(message: RequestMessage, given: AbortSignal): Promise<Loss | undefined> {
    const signal = AbortSignal.any([given, this.#ending.signal]);
    if (message.method === "initialize") {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#opening = promise;
      const loss = await this.#initialize(message, signal, resolve);
      resolve();
      return loss;
    }
    await this.#opening;
    return this.#old === undefined ? this.#exchange(message, signal) : this.#old.post(message);
  }

  /** Sends what nobody answers; gives why it wasn't accepted, if so. */
  async send(message: Outgoing): Promise<Loss | undefined> {
    await this.#opening;
    if (this.#old !== undefined) return this.#old.post(message);
    const { http, onGone } = this.#parts;
    const answer = await http.send({ method: "POST", headers: this.#headers, body: message.bytes, signal: this.#ending.signal });
    if (answer.kind === "failed") return answer.loss;
    letGo(answer.response);
    if (await this.#isGone(answer.response.status)) onGone(GONE);
    else if (message.kind === "notification" && message.method === "notifications/initialized") this.#follow();
    return answer.response.ok ? undefined : statusLoss(answer.response, new Uint8Array(0));
  }

  /** Ends the session; the server may take `grace` milliseconds to hear of it, 0: it isn't told. */
  async close(grace: number): Promise<void> {
    this.#ending.abort();
    if (this.#id === null || grace === 0) return;
    const answer = await this.#parts.http.send({ method: "DELETE", headers: this.#headers, signal: AbortSignal.timeout(grace) });
    if (answer.kind === "response") letGo(answer.response);
  }

  get #headers(): Record<string, string> {
    return {
      ...HEADERS,
      ...(this.#id === null ? {} : { "mcp-session-id": this.#id }),
      ...(this.#version === undefined ? {} : { "mcp-protocol-version": this.#version }),
    };
  }

  async #initialize(message: RequestMessage, signal: AbortSignal, opened: () => void): Promise<Loss | undefined> {
    const { http, receiver } = this.#parts;
    const noting: Receiver = {
      ...receiver,
      receive: (received) => {
        if (this.#noteVersion(received, message)) opened();
        return receiver.receive(received);
      },
    };
    const answer = await http.send({ method: "POST", headers: HEADERS, body: message.bytes, signal });
    if (answer.kind === "failed") return answer.loss;
    const { response } = answer;
    if (response.ok) {
      this.#id = response.headers.get("mcp-session-id");
      return this.#untilAnswered(await this.#read(response, message, noting), message, noting, signal);
    }
    const refusal = await readRefusal(response, message.id);
    if (refusal.kind === "reply") {
      await receiver.receive(refusal.message);
      return undefined;
    }
    return MAYBE_OLD.includes(response.status) ? this.#openOld(message, noting, refusal.loss) : refusal.loss;
  }

  async #openOld(message: RequestMessage, receiver: Receiver, first: Loss): Promise<Loss | undefined> {
    const { http, onGone } = this.#parts;
    const opening = await OldStream.open({ http, receiver, signal: this.#ending.signal, onEnd: onGone });
    if (opening.kind === "failed") return { ...first, why: `${first.why}; nor is it an old HTTP+SSE server: ${opening.why}` };
    this.#old = opening.stream;
    return opening.stream.post(message);
  }

  async #exchange(message: RequestMessage, signal: AbortSignal): Promise<Loss | undefined> {
    const { http, receiver, onGone } = this.#parts;
    const answer = await http.send({ method: "POST", headers: this.#headers, body: message.bytes, signal });
    if (answer.kind === "failed") return answer.loss;
    const { response } = answer;
    if (response.ok) return this.#untilAnswered(await this.#read(response, message, receiver), message, receiver, signal);
    if (await this.#isGone(response.status)) {
      letGo(response);
      // Told after this request has been: it was refused, while others in flight are lost.
      setImmediate(() => onGone(GONE));
      return { why: `${GONE}; a new one is begun, so try again`, sent: false };
    }
    const refusal = await readRefusal(response, message.id);
    if (refusal.kind === "lost") return refusal.loss;
    await receiver.receive(refusal.message);
    return undefined;
  }

  #read(response: Response, message: RequestMessage, receiver: Receiver): Promise<ReplyEnd> {
    return readReply(response, message.id, receiver, (milliseconds) => {
      this.#retry = milliseconds;
    });
  }

  /** Takes a stream up again each time it was cut off, until it has brought the reply (2025-11-25, "Resumability and Redelivery"). */
  async #untilAnswered(first: ReplyEnd, message: RequestMessage, receiver: Receiver, signal: AbortSignal): Promise<Loss | undefined> {
    let end = first;
    let failures = 0;
    while (end.kind === "cut" && !signal.aborted) {
      const { lastEventId, why } = end;
      if (lastEventId === undefined) return { why, sent: true };
      if (!end.isBroken) this.#parts.onPaused(message.id, this.#retry);
      if (failures > MAX_FAILURES) return { why: `${why}, and it can't be taken up again`, sent: true };
      await pause(this.#retry, failures, signal);
      const headers = { ...this.#headers, accept: "text/event-stream", "last-event-id": lastEventId };
      const answer = await this.#parts.http.send({ method: "GET", headers, signal });
      if (answer.kind === "failed") {
        failures++;
        end = { ...end, isBroken: true };
        continue;
      }
      if (!isEventStream(answer.response)) {
        letGo(answer.response);
        return { why: `${why}, and it can't be taken up again (${statusText(answer.response)})`, sent: true };
      }
      failures = 0;
      const next = await this.#read(answer.response, message, receiver);
      end = next.kind === "cut" ? { ...next, lastEventId: next.lastEventId ?? lastEventId } : next;
    }
    if (end.kind === "answered") return undefined;
    return end.kind === "lost" ? end.loss : { why: end.why, sent: true };
  }

  #noteVersion(received: WireMessage, initialize: RequestMessage): boolean {
    if (received.kind !== "response" || received.id !== initialize.id) return false;
    this.#version = negotiatedVersion(received);
    return true;
  }

  /** 404 says that the session is gone. Many servers say 400 to that, as to much else: then a ping, which a living session answers, tells. */
  async #isGone(status: number): Promise<boolean> {
    if (this.#id === null || (status !== 404 && status !== 400)) return false;
    if (status === 404) return true;
    const body = buildRequest(String(PING_ID), "ping", {}).bytes;
    const answer = await this.#parts.http.send({ method: "POST", headers: this.#headers, body, signal: this.#ending.signal });
    if (answer.kind === "failed") return false;
    letGo(answer.response);
    return answer.response.status === 404 || answer.response.status === 400;
  }

  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { http, receiver, onGone } = this.#parts;
    const signal = this.#ending.signal;
    const headers = { ...this.#headers };
    const onRefused = async (status: number) => (await this.#isGone(status)) && onGone(GONE);
    void followServerStream({ http, headers, receiver, signal, onRefused: (status) => void onRefused(status) });
  }
}

function negotiatedVersion(reply: ResponseMessage): string | undefined {
  const result = reply.value["result"];
  const version = isJsonObject(result) ? result["protocolVersion"] : undefined;
  return typeof version === "string" && /^[\x21-\x7e]{1,64}$/.test(version) ? version : undefined;
}
