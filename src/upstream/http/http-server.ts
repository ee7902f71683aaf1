// How do the messages for a server at a URL travel? Each in a POST of its own, the replies in its response. This file is the Upstream: it
// decides the era of a message, keeps what is open, and says what is lost. Nothing that the server sends, and no way in which the connection
// breaks, may harm us.
import { isJsonObject } from "../../core/json.ts";
import {
  type BatchMessage,
  DEFAULT_MAX_MESSAGE,
  type IdKey,
  idKey,
  type NotificationMessage,
  type RequestMessage,
  type WireMessage,
} from "../../wire/message.ts";
import { ConnectedServer } from "../connected-server.ts";
import { Connection } from "../connection.ts";
import { pause } from "../pause.ts";
import type { Loss, Outgoing, Upstream } from "../upstream.ts";
import { HttpClient } from "./http-client.ts";
import { LegacySession } from "./legacy-session.ts";
import { ModernExchange } from "./modern-exchange.ts";
import { modernVersion } from "./modern-headers.ts";
import type { Receiver } from "./replies.ts";
import type { HttpStart } from "./start-http.ts";
import { Turns } from "./turns.ts";

const CLOSE_GRACE = 2_000;
/** How long requests under way may still be answered once the session is known to be gone, in milliseconds. */
const LAST_REPLIES = 500;

/** A request under way. */
interface Post {
  readonly abort: AbortController;
  readonly isModern: boolean;
  isCancelled: boolean;
  /** It is open for as long as anybody listens. */
  readonly isEndless: boolean;
  readonly ended: PromiseWithResolvers<void>;
}

export class HttpServer extends ConnectedServer implements Upstream {
  readonly name: string;
  readonly pid = null;
  readonly takesBatches = false;
  readonly #start: HttpStart;
  protected override readonly connection: Connection;
  readonly #legacy: LegacySession;
  readonly #modern: ModernExchange;
  readonly #turns = new Turns();
  readonly #posts = new Map<IdKey, Post>();
  #isOver = false;
  #isClosing = false;
  #isEnding = false;

  constructor(start: HttpStart) {
    super(start.readTimeout);
    this.name = start.name;
    this.#start = start;
    this.connection = new Connection({
      write: (message) => this.#write(message),
      onMessage: (message) => start.events.onMessage(message, this),
      onTooLong: (known, line) => start.events.onTooLong?.(known, line),
      onLost: (id, loss) => start.events.onLost?.(id, loss),
      log: start.log,
    });
    const http = new HttpClient(start.place);
    const receiver: Receiver = {
      maxMessage: start.maxMessage ?? DEFAULT_MAX_MESSAGE,
      receive: (message) => this.#receive(message),
      receiveTooLong: (line, reply) => {
        start.log.log("warn", "passed over a message above the size limit", { server: start.name, bytes: line.length });
        if (!this.#isOver) this.connection.receiveTooLong(line, reply);
      },
    };
    this.#legacy = new LegacySession({
      ...{ http, receiver, onGone: (why) => void this.#gone(why) },
      onPaused: (id, retry) => {
        const known = this.connection.clientIdOf(id);
        if (known !== undefined) start.events.onPaused?.(known, retry);
      },
    });
    this.#modern = new ModernExchange({
      http,
      receiver,
      listTools: (meta) => this.listTools({ meta }),
      onWrongTools: (tools) => {
        for (const { tool, why } of tools)
          start.log.log("warn", `the tool ${tool} is left out: ${why}, against the rules for headers`, { server: start.name });
      },
    });
  }

  get alive(): boolean {
    return !this.#isDone;
  }

  override forward(message: Outgoing | BatchMessage): void {
    if (message.kind === "batch") throw new TypeError("a batch has to be taken apart before it is sent to a server at a URL");
    super.forward(message);
  }

  drained(): Promise<void> {
    return this.#turns.drained();
  }

  /** There is nothing that a server at a URL prints for us. */
  lastWords(): string {
    return "";
  }

  /** What the client still waits for may come within the grace, as it may from a process that has seen the end of its input. */
  async close(options: { grace?: number } = {}): Promise<readonly number[]> {
    const wasOver = this.#isDone;
    const grace = options.grace ?? CLOSE_GRACE;
    this.#isClosing = true;
    this.connection.end();
    if (!wasOver) await this.#lastReplies(grace);
    this.#isOver = true;
    this.#abortAll();
    await this.#legacy.close(wasOver ? 0 : grace);
    return [];
  }

  get #isDone(): boolean {
    return this.#isOver || this.#isClosing;
  }

  #write(message: Outgoing | BatchMessage): boolean {
    if (this.#isDone || message.kind === "batch") return false;
    if (message.kind === "request") void this.#sendRequest(message);
    else if (message.kind === "response") void this.#sendQuietly(message);
    else if (!this.#cancels(message)) this.#turns.inOrder(() => this.#sendQuietly(message));
    return true;
  }

  async #sendRequest(message: RequestMessage): Promise<void> {
    const version = modernVersion(message);
    const post: Post = {
      abort: new AbortController(),
      isModern: version !== undefined,
      isCancelled: false,
      isEndless: message.method === "subscriptions/listen",
      ended: Promise.withResolvers(),
    };
    this.#posts.set(message.id, post);
    await this.#turns.passed();
    const loss = post.isCancelled
      ? { why: "it was cancelled", sent: false }
      : version === undefined
        ? await this.#legacy.request(message, post.abort.signal)
        : await this.#modern.request(message, version, post.abort.signal);
    this.#posts.delete(message.id);
    post.ended.resolve();
    if (loss === undefined || this.#isDone) return;
    this.connection.lose(message.id, post.isCancelled ? { ...loss, cancelled: true } : loss);
  }

  /** Nobody waits for an answer to these. */
  async #sendQuietly(message: Outgoing): Promise<void> {
    const loss = this.#isDone ? undefined : await this.#legacyOrModern(message);
    if (loss === undefined || this.#isDone) return;
    const method = message.kind === "response" ? "a reply" : message.method;
    this.#start.log.log("warn", "the server did not accept a message", { server: this.name, method, why: loss.why });
  }

  #legacyOrModern(message: Outgoing): Promise<Loss | undefined> {
    const version = modernVersion(message);
    return version === undefined ? this.#legacy.send(message) : this.#modern.send(message, version);
  }

  /** Between modern peers the end of the response's stream is the cancellation, and no message is sent (2026-07-28, "Cancellation"). */
  #cancels(message: NotificationMessage): boolean {
    if (message.method !== "notifications/cancelled") return false;
    const params = message.value["params"];
    const id = isJsonObject(params) ? idKey(params["requestId"]) : undefined;
    const post = id === undefined ? undefined : this.#posts.get(id);
    if (post !== undefined) post.isCancelled = true;
    if (post?.isModern !== true) return modernVersion(message) !== undefined;
    post.abort.abort();
    return true;
  }

  #receive(message: WireMessage): void | Promise<void> {
    if (this.#isOver) return;
    return this.connection.receive(message.kind === "response" ? this.#modern.passed(message) : message);
  }

  async #gone(why: string): Promise<void> {
    if (this.#isDone || this.#isEnding) return;
    this.#isEnding = true;
    // What is under way is about to hear the same, or is answered after all: each knows best what became of it.
    await this.#lastReplies(LAST_REPLIES);
    if (this.#isDone) return;
    this.#isOver = true;
    this.connection.end();
    this.#abortAll();
    this.#start.events.onExit({ code: null, signal: null, lastWords: why });
  }

  /** Resolves when what somebody waits for has been answered or lost, or after `limit` milliseconds. */
  async #lastReplies(limit: number): Promise<void> {
    const late = new AbortController();
    const awaited = [...this.#posts.values()].filter((post) => !post.isCancelled && !post.isEndless);
    await Promise.race([Promise.all(awaited.map((post) => post.ended.promise)), pause(limit, 0, late.signal)]);
    late.abort();
  }

  #abortAll(): void {
    for (const post of this.#posts.values()) post.abort.abort();
  }
}
