// What has been sent on one stream of events, and what is still to be sent once its reader is there again? An event is written once to each
// reader, in order. What nobody has read is kept within a bound that all streams of a session share.
import { SSE_COMMENT, sseEvent, ssePriming, sseRetry } from "../../wire/http/sse-event.ts";
import type { HttpTimes } from "./http-parts.ts";
import { Sink } from "./sink.ts";

/** How much is kept for readers that come back, in bytes and per session. */
const KEPT = 4 * 1024 * 1024;
/** What one kept event costs besides its message, roughly, in bytes. */
const OVERHEAD = 128;

interface Kept {
  readonly stream: EventStream;
  readonly message: Uint8Array;
  readonly number: number;
}

/** The events of one session that can be sent again, oldest first. The latest is kept whatever its size, until the client goes on. */
export class ReplayBuffer {
  #events: Kept[] = [];
  #size = 0;

  /** Keeps an event; gives whether one that nobody has read had to go for it. */
  keep(stream: EventStream, message: Uint8Array, number: number): boolean {
    this.#events.push({ stream, message, number });
    this.#size += message.length + OVERHEAD;
    let lost = false;
    let gone = 0;
    for (; this.#size > KEPT && gone < this.#events.length - 1; gone += 1) {
      const oldest = this.#events[gone] as Kept; // in range: the loop's condition
      this.#size -= oldest.message.length + OVERHEAD;
      lost ||= oldest.number > oldest.stream.written;
    }
    if (gone > 0) this.#events = this.#events.slice(gone);
    return lost;
  }

  /** The client has gone on: lets go of the latest event where it alone is above the bound, and its reader has taken all of it. */
  goOn(): void {
    if (this.#size <= KEPT || this.#events.at(-1)?.stream.isTaken !== true) return;
    this.#events = [];
    this.#size = 0;
  }

  /** Gives the events of a stream after a number. */
  after(stream: EventStream, number: number): readonly Kept[] {
    return this.#events.filter((event) => event.stream === stream && event.number > number);
  }
}

export interface EventStreamParts {
  readonly times: HttpTimes;
  /** Where events are kept, and the name that their ids begin with; undefined: no ids, nothing is kept. */
  readonly resumable: { readonly name: string; readonly buffer: ReplayBuffer } | undefined;
  /** Whether a reader is given an id before there is an event (from 2025-11-25 on; older ones take it for a message). */
  readonly primes?: () => boolean;
  /** The reader has gone before the end. */
  readonly onGone?: () => void;
  /** Events had to go before anybody had read them. */
  readonly onLost?: () => void;
}

/** One stream of events. */
export class EventStream {
  readonly #parts: EventStreamParts;
  #sink: Sink | undefined;
  /** The one that was finished. */
  #last: Sink | undefined;
  #count = 0;
  #written = 0;
  #finished = false;
  #isAwaited = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
  }

  /** The number of the last event that was written to a reader. */
  get written(): number {
    return this.#written;
  }
  /** Whether it has ended, and a reader has taken all of it. */
  get isTaken(): boolean {
    return this.#last?.isTaken ?? false;
  }
  get isRead(): boolean {
    return this.#sink !== undefined;
  }
  /** Whether its reader was told to come back. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** Adds a message: at once where there is a reader, else when one comes. */
  append(message: Uint8Array): void {
    this.#count += 1;
    this.#write(message, this.#count);
    const { resumable } = this.#parts;
    if (resumable?.buffer.keep(this, message, this.#count)) this.#parts.onLost?.();
  }

  /** Opens it for a reader, in place of an earlier one; it gets what comes after `number`, by default what none has had. */
  open(number: number = this.#written): ReadableStream<Uint8Array> {
    this.#sink?.close();
    this.#isAwaited = false;
    const { times, resumable, primes, onGone } = this.#parts;
    const sink = new Sink(times, () => {
      if (this.#sink !== sink) return;
      this.#sink = undefined;
      onGone?.();
    });
    this.#sink = sink;
    const from = Math.min(number, this.#count);
    // Something at once: the headers only leave with the first bytes.
    sink.write([resumable !== undefined && primes?.() ? ssePriming(`${resumable.name}-${from}`) : SSE_COMMENT]);
    for (const event of resumable?.buffer.after(this, from) ?? []) this.#write(event.message, event.number);
    if (this.#finished) this.#end();
    return sink.stream;
  }

  /** Ends it for its reader, who is to come back in `retry` milliseconds; not for one that has no id to come back with. */
  pause(retry: number): void {
    const { resumable, primes } = this.#parts;
    const sink = this.#sink;
    if (sink === undefined || resumable === undefined || !primes?.()) return;
    sink.write([sseRetry(retry)]);
    this.#sink = undefined;
    this.#isAwaited = true;
    sink.close();
  }

  /** Nothing follows: ends it for its reader, and for those who come later once they have read the rest. */
  finish(): void {
    this.#finished = true;
    this.#end();
  }

  drained(): Promise<void> {
    return this.#sink?.drained() ?? Promise.resolve();
  }

  #write(message: Uint8Array, number: number): void {
    if (this.#sink === undefined) return;
    const { resumable } = this.#parts;
    this.#sink.write(sseEvent(message, resumable && `${resumable.name}-${number}`));
    this.#written = Math.max(this.#written, number);
  }

  #end(): void {
    this.#last = this.#sink;
    this.#sink?.close();
    this.#sink = undefined;
  }
}
