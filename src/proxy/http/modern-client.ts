// How do the requests of one client of the era without sessions reach its proxy (MCP 2026-07-28, "Streamable HTTP")? Each POST is on its own; that
// several of them share an upstream shows nowhere: what they call alike is told apart by ids of ours, and closing a POST's stream cancels it.
import { isJsonObject, type Json } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { buildError, buildNotification } from "../../wire/build.ts";
import { type Envelope, readEnvelope, readMember } from "../../wire/envelope.ts";
import { type IdKey, idKey, type NotificationMessage, type RequestMessage } from "../../wire/message.ts";
import { respell, respellAll } from "../../wire/respell.ts";
import { elementsOf, replacedPieces, replaceMembers } from "../../wire/splice.ts";
import { CODES, errorBytes, problemResponse, statusOf } from "./answers.ts";
import { EventStream } from "./event-stream.ts";
import type { HttpParts, HttpTimes } from "./http-parts.ts";
import type { Post } from "./http-request.ts";
import { ParamHeaders } from "./param-headers.ts";
import { PostReply } from "./post-reply.ts";
import { ServedProxy } from "./served-proxy.ts";

const MOST_OPEN = 1000;
const SUBSCRIPTION = ["_meta", "io.modelcontextprotocol/subscriptionId"];
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const LISTEN = "subscriptions/listen";

export interface ModernParts extends Pick<HttpParts, "startProxy" | "sessionIdle"> {
  readonly times: HttpTimes;
  readonly token: string;
  readonly log: Log;
}

/** A POST under way. */
interface Exchange {
  /** The id and the progress token that it travels under. */
  readonly own: IdKey;
  /** The client's own id. */
  readonly id: IdKey;
  readonly method: string;
  readonly progressToken: IdKey | undefined;
  /** Whether messages about no request in particular are for it. */
  readonly wantsLog: boolean;
  readonly reply: PostReply;
}

/** One client: a token, and the name and version that it gives. */
export class ModernClient {
  readonly proxy: ServedProxy;
  readonly #parts: ModernParts;
  /** By the ids that they travel under, oldest first. */
  readonly #open = new Map<IdKey, Exchange>();
  readonly #params = new ParamHeaders();
  #next = 1;
  #last: PostReply | undefined;

  constructor(parts: ModernParts) {
    this.#parts = parts;
    this.proxy = new ServedProxy({
      ...parts,
      identity: parts.token,
      idle: Math.min(parts.sessionIdle, parts.times.quiet),
      isBusy: () => this.#open.size > 0,
      onMessage: (bytes) => this.#fromProxy(bytes),
      drained: () => this.#last?.drained() ?? Promise.resolve(),
      onEnded: (why) => this.#ended(why),
    });
  }

  /** Answers a POST with a request whose headers are in order. */
  async request(post: Post, request: RequestMessage): Promise<Response> {
    this.proxy.touch();
    const wrong = this.#params.mismatchIn(request, post.headers);
    const problem = { id: request.id, headers: post.cors };
    if (wrong !== undefined) return problemResponse({ ...problem, status: 400, code: CODES.headers, message: wrong });
    if (this.#open.size >= MOST_OPEN)
      return problemResponse({ ...problem, status: 503, code: CODES.internal, message: `more than ${MOST_OPEN} requests at once` });
    const exchange = this.#begin(post, request);
    const own = Number(exchange.own);
    const changes: [readonly string[], Json][] = [[["id"], own]];
    if (exchange.progressToken !== undefined) changes.push([["params", "_meta", "progressToken"], own]);
    void this.proxy.send(respellAll(request, changes));
    return exchange.reply.response;
  }

  /** Takes a notification; a cancellation means the latest request that has this id. */
  async notify(notification: NotificationMessage): Promise<void> {
    this.proxy.touch();
    if (notification.method !== "notifications/cancelled") return this.proxy.send(notification);
    const { params } = notification.value;
    const id = isJsonObject(params) ? idKey(params["requestId"]) : undefined;
    const exchange = [...this.#open.values()].findLast((known) => known.id === id);
    if (exchange !== undefined) await this.proxy.send(respell(notification, ["params", "requestId"], Number(exchange.own)));
  }

  #begin(post: Post, request: RequestMessage): Exchange {
    const own = String(this.#next++);
    const cancel = () => this.#cancel(own);
    const stream = new EventStream({ times: this.#parts.times, resumable: undefined, onGone: cancel });
    const reply = new PostReply({
      ...{ accepted: post.accepted, expected: 1, isBatch: false, headers: post.cors, stream },
      patience: this.#parts.times.ping,
    });
    post.signal.addEventListener("abort", cancel, { once: true });
    const params = request.value["params"];
    const meta = isJsonObject(params) && isJsonObject(params["_meta"]) ? params["_meta"] : {};
    const exchange = {
      own,
      id: request.id,
      method: request.method,
      reply,
      progressToken: idKey(meta["progressToken"]),
      wantsLog: meta[LOG_LEVEL] !== undefined,
    };
    this.#open.set(own, exchange);
    return exchange;
  }

  /** The client has closed the stream: that cancels the request, and nothing more is sent for it. */
  #cancel(own: IdKey): void {
    const exchange = this.#open.get(own);
    if (exchange === undefined) return;
    this.#open.delete(own);
    exchange.reply.gone();
    this.proxy.touch();
    const params = { requestId: Number(own), reason: "the client closed its stream" };
    void this.proxy.send(buildNotification("notifications/cancelled", params));
  }

  #fromProxy(bytes: Uint8Array): void {
    const envelope = readEnvelope(bytes);
    if (envelope.kind === "request") this.#refuse(envelope);
    else if (envelope.kind === "response") this.#reply(bytes, envelope.id);
    else if (envelope.kind === "notification") this.#tell(bytes, envelope.method);
    // A batch; an error that answers nothing we know of has no members.
    else for (const member of elementsOf(bytes)) this.#fromProxy(member);
  }

  #reply(bytes: Uint8Array, own: IdKey): void {
    const exchange = this.#open.get(own);
    if (exchange === undefined) {
      this.#parts.log.log("info", "an answer that nobody waits for was dropped", { id: own });
      return;
    }
    const { id, method, reply } = exchange;
    this.#open.delete(exchange.own);
    this.#params.note(method, bytes);
    const replaced: [readonly string[], IdKey][] = [[["id"], id]];
    if (method === LISTEN) replaced.push([["result", ...SUBSCRIPTION], id]);
    reply.reply(replacedPieces(bytes, replaced), statusOf(readMember(bytes, ["error", "code"])));
    this.#last = reply;
    this.proxy.touch();
  }

  #tell(bytes: Uint8Array, method: string): void {
    const path = this.#pathOfId(bytes, method);
    const named = path && idKey(readMember(bytes, path));
    const exchange = named === undefined ? this.#latest() : this.#open.get(named);
    if (exchange === undefined || !exchange.reply.canCarry) {
      this.#parts.log.log("info", "a message of the server that belongs to no request was dropped", { method });
      return;
    }
    const id = path?.at(-1) === "progressToken" ? exchange.progressToken : exchange.id;
    exchange.reply.carry(path === undefined || id === undefined ? bytes : replaceMembers(bytes, [[path, id]]));
    this.#last = exchange.reply;
  }

  /** Where a notification says which request it is about. */
  #pathOfId(bytes: Uint8Array, method: string): readonly string[] | undefined {
    if (method === "notifications/progress") return ["params", "progressToken"];
    if (method === "notifications/cancelled") return ["params", "requestId"];
    const path = ["params", ...SUBSCRIPTION];
    return readMember(bytes, path) === undefined ? undefined : path;
  }

  /** What says nothing of a request belongs to the latest one: one that asked for log messages, if there is any. */
  #latest(): Exchange | undefined {
    const open = [...this.#open.values()].filter(({ method, reply }) => method !== LISTEN && reply.canCarry);
    return open.findLast(({ wantsLog }) => wantsLog) ?? open.at(-1);
  }

  /** A server must not ask (2026-07-28, "Receiving Messages"); one that does would wait for ever. */
  #refuse({ id, method }: Extract<Envelope, { kind: "request" }>): void {
    this.#parts.log.log("warn", "the server sent a request, which this client's protocol doesn't have; refused", { method });
    const why = `the client speaks a version of the protocol in which servers send no requests (${method})`;
    void this.proxy.send(buildError(id, CODES.method, why));
  }

  #ended(why: string): void {
    for (const { id, reply } of this.#open.values()) reply.reply([errorBytes({ id, code: CODES.internal, message: why })]);
    this.#open.clear();
  }
}
