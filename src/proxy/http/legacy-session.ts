// How does one client of the eras with sessions speak to its proxy by HTTP (MCP 2025-03-26 to 2025-11-25, "Streamable HTTP")? Each message
// finds its stream; a client that goes away cancels nothing. Message contents aren't read beyond what that needs.

import { isJsonObject, type Json } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { splitBatch } from "../../wire/build.ts";
import { readEnvelope, readMember } from "../../wire/envelope.ts";
import { hasBatches } from "../../wire/era.ts";
import { type IdKey, idKey, type RequestMessage, type WireMessage } from "../../wire/message.ts";
import { elementsOf } from "../../wire/splice.ts";
import { CODES, errorBytes, type Problem, problemResponse, SSE_HEADERS } from "./answers.ts";
import type { HeaderRecord } from "./check-request.ts";
import { EventStream, ReplayBuffer } from "./event-stream.ts";
import type { HttpParts, HttpTimes } from "./http-parts.ts";
import type { Post } from "./http-request.ts";
import { PostReply } from "./post-reply.ts";
import { ServedProxy } from "./served-proxy.ts";
import { hasPriming } from "./versions.ts";

/** More requests than this at once are refused. */
const MOST_OPEN = 1000;
/** So many streams that have ended can still be resumed. */
const ENDED_STREAMS = 100;
/** The name of the stream for messages that belong to no request. */
const GET_STREAM = "g";

export interface LegacyParts extends Pick<HttpParts, "startProxy" | "sessionIdle"> {
  readonly times: HttpTimes;
  /** The session's id, in Mcp-Session-Id. */
  readonly id: string;
  readonly token: string;
  readonly log: Log;
}

/** One session. */
export class LegacySession {
  readonly id: string;
  readonly token: string;
  readonly proxy: ServedProxy;
  readonly #parts: LegacyParts;
  readonly #buffer = new ReplayBuffer();
  readonly #streams = new Map<string, EventStream>();
  readonly #get: EventStream;
  /** Requests under way: id -> the answer that it belongs to. */
  readonly #open = new Map<IdKey, PostReply>();
  /** Progress tokens of requests under way. */
  readonly #progress = new Map<IdKey, PostReply>();
  /** Oldest first. */
  readonly #replies = new Set<PostReply>();
  #initialize: IdKey | undefined;
  #version: string | undefined;
  #posts = 0;
  #cameBack = false;
  #last: { drained(): Promise<void> } | undefined;

  constructor(parts: LegacyParts) {
    this.id = parts.id;
    this.token = parts.token;
    this.#parts = parts;
    this.#get = this.#stream(GET_STREAM);
    this.proxy = new ServedProxy({
      ...parts,
      identity: parts.token,
      idle: parts.sessionIdle,
      isBusy: () => this.#open.size > 0 || this.#get.isRead,
      onMessage: (bytes) => this.#fromProxy(bytes),
      drained: () => this.#last?.drained() ?? Promise.resolve(),
      onPaused: (id, retry) => this.#open.get(id)?.pause(retry),
      onEnded: (why) => this.#ended(why),
    });
  }

  /** Its client begins to send something: what it has taken to the end needn't be kept for it. */
  goOn(): void {
    this.#buffer.goOn();
  }

  /** Answers a POST. */
  async post(post: Post): Promise<Response> {
    this.proxy.touch();
    this.#cameBack = this.#version !== undefined;
    const members = post.message.kind === "batch" ? splitBatch(post.message) : [post.message];
    const requests = members.filter((member) => member.kind === "request");
    const problem = this.#problemOf(post, members, requests);
    if (problem !== undefined) return problemResponse({ ...problem, headers: post.cors });
    if (requests.length === 0) {
      await this.proxy.send(post.message);
      return new Response(null, { status: 202, headers: post.cors });
    }
    const reply = this.#expect(post, requests);
    post.signal.addEventListener("abort", () => this.#left(reply), { once: true });
    void this.proxy.send(post.message);
    return reply.response;
  }

  /** Answers a GET: the stream of messages that belong to no request, or one that is resumed. */
  get(lastEventId: string | null, cors: HeaderRecord): Response {
    const [, name = "", number = ""] = /^(g|p\d{1,15})-(\d{1,15})$/.exec(lastEventId ?? "") ?? [];
    const resumed = this.#streams.get(name);
    if (resumed === undefined && this.#get.isRead)
      return problemResponse({ status: 409, code: CODES.request, message: "this session's stream is open already", headers: cors });
    this.proxy.touch();
    this.#cameBack = true;
    const body = resumed === undefined ? this.#get.open() : resumed.open(Number(number));
    return new Response(body, { headers: { ...SSE_HEADERS, ...this.#headers(cors) } });
  }

  #problemOf(post: Post, members: readonly WireMessage[], requests: readonly RequestMessage[]): Omit<Problem, "headers"> | undefined {
    const [only] = requests;
    const id = post.message.kind === "request" ? { id: post.message.id } : {};
    const problem = (message: string, status = 400) => ({ status, code: CODES.request, message, ...id });
    if (post.message.kind === "batch") {
      if (members.length === 0) return problem("an empty batch");
      if (this.#version !== undefined && !hasBatches(this.#version)) return problem(`${this.#version} has no batches`);
      if (members.some(({ kind }) => kind === "strange" || kind === "batch")) return problem("a member of the batch is no message");
      if (requests.some(({ method }) => method === "initialize")) return problem("initialize can't be part of a batch");
      if (new Set(requests.map((request) => request.id)).size < requests.length) return problem("an id stands twice in the batch");
    }
    if (only !== undefined && !post.accepted.json && !post.accepted.events)
      return problem("the client has to accept application/json or text/event-stream", 406);
    if (this.#open.size + requests.length > MOST_OPEN) return problem(`more than ${MOST_OPEN} requests at once`, 503);
    return requests.some((request) => this.#open.has(request.id)) ? problem("this id is in use by a request under way") : undefined;
  }

  #expect(post: Post, requests: readonly RequestMessage[]): PostReply {
    const name = `p${++this.#posts}`;
    const reply = new PostReply({
      accepted: post.accepted,
      expected: requests.length,
      isBatch: post.message.kind === "batch",
      headers: this.#headers(post.cors),
      stream: this.#stream(name),
      patience: 0,
    });
    this.#replies.add(reply);
    for (const request of requests) {
      this.#open.set(request.id, reply);
      const token = progressTokenOf(request.value["params"]);
      if (token !== undefined) this.#progress.set(token, reply);
      if (request.method === "initialize") this.#initialize = request.id;
    }
    return reply;
  }

  /** The client has gone before its answer: that cancels nothing (2025-11-25), but a session whose id it never got is nobody's. */
  #left(reply: PostReply): void {
    reply.gone();
    if (this.#initialize !== undefined && this.#open.get(this.#initialize) === reply) this.proxy.end("its client did not wait for it");
  }

  #stream(name: string): EventStream {
    const stream = new EventStream({
      times: this.#parts.times,
      resumable: { name, buffer: this.#buffer },
      primes: () => this.#version !== undefined && hasPriming(this.#version),
      onGone: () => this.proxy.touch(),
      onLost: () => this.#parts.log.log("warn", "messages that the client has not read were dropped: there are too many to keep"),
    });
    this.#streams.set(name, stream);
    const oldest = [...this.#streams.keys()].find((known) => known !== GET_STREAM);
    if (this.#streams.size > ENDED_STREAMS + this.#replies.size && oldest !== undefined) this.#streams.delete(oldest);
    return stream;
  }

  #headers(cors: HeaderRecord): HeaderRecord {
    return { ...cors, "mcp-session-id": this.id };
  }

  #fromProxy(bytes: Uint8Array): void {
    const envelope = readEnvelope(bytes);
    // What is neither is a batch, or an error that answers nothing we know of.
    const members = envelope.kind === "other" ? elementsOf(bytes) : [];
    if (envelope.kind === "response") this.#reply(bytes, envelope.id);
    else if (envelope.kind === "other" && members.every((member) => readEnvelope(member).kind === "response"))
      for (const member of members) this.#fromProxy(member);
    else {
      const method = envelope.kind === "other" ? "" : envelope.method;
      const target = this.#ownerOf(method, bytes) ?? [...this.#replies].findLast((reply) => reply.canCarry);
      if (target === undefined) this.#get.append(bytes);
      else target.carry(bytes);
      this.#last = target ?? this.#get;
    }
  }

  #ownerOf(method: string, bytes: Uint8Array): PostReply | undefined {
    if (method !== "notifications/progress") return undefined;
    const token = idKey(readMember(bytes, ["params", "progressToken"]));
    const owner = token === undefined ? undefined : this.#progress.get(token);
    return owner?.canCarry ? owner : undefined;
  }

  #reply(bytes: Uint8Array, id: IdKey): void {
    const reply = this.#open.get(id);
    if (reply === undefined) {
      this.#parts.log.log("info", "an answer that nobody waits for was dropped", { id });
      return;
    }
    this.#open.delete(id);
    if (![...this.#open.values()].includes(reply)) this.#forget(reply);
    if (id === this.#initialize) this.#welcome(bytes);
    reply.reply([bytes]);
    this.#last = reply;
    this.proxy.touch();
  }

  #forget(reply: PostReply): void {
    this.#replies.delete(reply);
    for (const [token, owner] of this.#progress) if (owner === reply) this.#progress.delete(token);
  }

  /** Without a result there is no session; with one, a client that never comes back is waited for only shortly. */
  #welcome(bytes: Uint8Array): void {
    this.#initialize = undefined;
    const version = readMember(bytes, ["result", "protocolVersion"]);
    if (typeof version === "string") this.#version = version;
    if (readMember(bytes, ["error"]) !== undefined) queueMicrotask(() => this.proxy.end("it was not begun"));
    else setTimeout(() => this.#cameBack || this.proxy.end("its client never came back"), this.#parts.times.halfOpen).unref();
  }

  #ended(why: string): void {
    for (const [id, reply] of this.#open) reply.reply([errorBytes({ id, code: CODES.internal, message: why })]);
    this.#open.clear();
    for (const stream of this.#streams.values()) stream.finish();
  }
}

function progressTokenOf(params: Json | undefined): IdKey | undefined {
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) ? idKey(meta["progressToken"]) : undefined;
}
