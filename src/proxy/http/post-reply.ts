// How is a POST with requests answered? As a stream of events: at once, or where there is patience, as soon as anything else comes before the
// replies or nothing comes for a while; else as JSON. Replies come once each, and the last one ends it.
import { LARGE } from "../../core/large.ts";
import { inParts } from "../../wire/http/in-parts.ts";
import { joined } from "../../wire/lines.ts";
import type { Accepted } from "./accept.ts";
import { JSON_HEADERS, SSE_HEADERS } from "./answers.ts";
import type { HeaderRecord } from "./check-request.ts";
import type { EventStream } from "./event-stream.ts";

export interface PostReplyParts {
  readonly accepted: Accepted;
  /** How many replies are to come. */
  readonly expected: number;
  /** Whether JSON replies are given as a list, however many there are. */
  readonly isBatch: boolean;
  readonly headers: HeaderRecord;
  readonly stream: EventStream;
  /**
   * Milliseconds after which a stream is opened for a client that takes either, although nothing has come, so that the connection isn't taken for
   * dead. 0: at once, as most servers do; then the client can take up a stream that breaks before the reply.
   */
  readonly patience: number;
}

const encoder = new TextEncoder();

/** The answer to one POST. */
export class PostReply {
  /** Resolves when it is decided how the POST is answered. */
  readonly response: Promise<Response>;
  readonly #parts: PostReplyParts;
  readonly #respond: (response: Response) => void;
  /** Each in pieces. */
  readonly #replies: (readonly Uint8Array[])[] = [];
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #count = 0;
  #status = 200;
  #streams = false;
  #gone = false;

  constructor(parts: PostReplyParts) {
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.response = promise;
    this.#respond = resolve;
    const { accepted, patience } = parts;
    if (accepted.events && (!accepted.json || patience === 0)) this.#open();
    else if (accepted.events) this.#timer = setTimeout(() => this.#open(), patience);
  }

  /** Whether a message besides the replies can be sent with it now. */
  get canCarry(): boolean {
    return this.#parts.accepted.events && !this.#gone && (!this.#streams || this.#parts.stream.isRead || this.#parts.stream.isAwaited);
  }

  /** Sends a message that isn't a reply; only where `canCarry`. */
  carry(message: Uint8Array): void {
    this.#open();
    this.#parts.stream.append(message);
  }

  /** Sends a reply, which may be in pieces. `status`: where it is sent as JSON, by itself. */
  reply(message: readonly Uint8Array[], status = 200): void {
    this.#count += 1;
    this.#status = status;
    if (this.#streams) this.#parts.stream.append(whole(message));
    else this.#replies.push(message);
    if (this.#count === this.#parts.expected) this.#finish();
  }

  /** Lets a client that takes events come back for the rest, in so many milliseconds, if it can. */
  pause(retry: number): void {
    if (this.#streams) this.#parts.stream.pause(retry);
  }

  /** The client has gone before anything was sent. */
  gone(): void {
    this.#gone = true;
    clearTimeout(this.#timer);
  }

  drained(): Promise<void> {
    return this.#streams ? this.#parts.stream.drained() : Promise.resolve();
  }

  #open(): void {
    if (this.#streams) return;
    this.#streams = true;
    clearTimeout(this.#timer);
    const { stream, headers } = this.#parts;
    this.#respond(new Response(stream.open(), { headers: { ...SSE_HEADERS, ...headers } }));
    for (const reply of this.#replies.splice(0)) stream.append(whole(reply));
  }

  #finish(): void {
    clearTimeout(this.#timer);
    const { stream, headers, isBatch } = this.#parts;
    if (this.#streams) {
      stream.finish();
      return;
    }
    const replies = this.#replies.splice(0); // this may be remembered for longer than what it has sent
    const body = isBatch ? listOf(replies) : replies.flat();
    const init = { status: isBatch ? 200 : this.#status, headers: { ...JSON_HEADERS, ...headers } };
    const size = body.reduce((sum, piece) => sum + piece.length, 0);
    this.#respond(new Response(size < LARGE ? joined(body) : inParts(...body), init));
  }
}

function whole(message: readonly Uint8Array[]): Uint8Array {
  const [first, ...more] = message;
  return first !== undefined && more.length === 0 ? first : joined(message);
}

function listOf(replies: readonly (readonly Uint8Array[])[]): Uint8Array[] {
  const pieces = replies.flatMap((reply, at) => [encoder.encode(at === 0 ? "[" : ","), ...reply]);
  return [...pieces, encoder.encode("]")];
}
