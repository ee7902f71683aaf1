// Which events are in a stream of server-sent events (WHATWG HTML, section 9.2.6)? Bytes in, bytes out: the data of an event is never decoded
// here. An event that is too long is passed over without being kept.
import { endsOf, joined, LineSplitter, type TooLongLine } from "../lines.ts";

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Room for the name of a field before its value. */
const FIELD_NAME = 64;

const decoder = new TextDecoder();

/** One event. `type` is "message" where the stream names none; several lines of data are joined with LF. */
export interface SseEvent {
  readonly type: string;
  readonly data: Uint8Array;
}

export interface SseHandlers {
  /** An event with data; one without any (a priming event) only moves `lastEventId`. */
  onEvent(event: SseEvent): void;
  /** The data of one event was above the limit, and was passed over. */
  onTooLong(line: TooLongLine): void;
  /** The server says how long to wait before a reconnection, in milliseconds. */
  onRetry?(milliseconds: number): void;
}

/** Reads one stream of events. */
export class SseParser {
  readonly #limit: number;
  readonly #handlers: SseHandlers;
  readonly #lines: LineSplitter;
  /** How much of a byte order mark at the very beginning has been seen. */
  #mark = 0;
  #afterReturn = false;
  #data: Uint8Array[] = [];
  #length = 0;
  #tooLong: TooLongLine | undefined;
  #type = "";
  #id: string | undefined;
  #lastEventId: string | undefined;

  /** `limit` is the longest data taken, in bytes. */
  constructor(limit: number, handlers: SseHandlers) {
    this.#limit = limit;
    this.#handlers = handlers;
    this.#lines = new LineSplitter(limit + FIELD_NAME, {
      onLine: (line) => this.#takeLine(line),
      onEmptyLine: () => this.#dispatch(),
      onTooLong: (line) => this.#takeTooLong(line),
    });
  }

  /** The id of the last event that was complete, for Last-Event-ID; undefined where the stream gave none, or took it back. */
  get lastEventId(): string | undefined {
    return this.#lastEventId === "" ? undefined : this.#lastEventId;
  }

  /** Takes the next chunk, which must not be changed afterwards. */
  push(chunk: Uint8Array): void {
    this.#lines.push(this.#withLineFeeds(this.#withoutMark(chunk)));
  }

  /** Gives the data of an event that the end of the stream cut off before its empty line; undefined where there is none. */
  unfinished(): SseEvent | undefined {
    this.#lines.end();
    return this.#data.length === 0 || this.#tooLong !== undefined ? undefined : this.#event();
  }

  #withoutMark(chunk: Uint8Array): Uint8Array {
    let start = 0;
    while (this.#mark < BYTE_ORDER_MARK.length && start < chunk.length) {
      if (chunk[start] !== BYTE_ORDER_MARK[this.#mark]) this.#mark = BYTE_ORDER_MARK.length;
      else {
        this.#mark++;
        start++;
      }
    }
    return start === 0 ? chunk : chunk.subarray(start);
  }

  /** CR, LF and CRLF all end a line; what follows knows LF only. */
  #withLineFeeds(chunk: Uint8Array): Uint8Array {
    if (!this.#afterReturn && !chunk.includes(CR)) return chunk;
    const out = new Uint8Array(chunk.length);
    let length = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number; // in range: the loop's condition
      if (byte !== LF || !this.#afterReturn) out[length++] = byte === CR ? LF : byte;
      this.#afterReturn = byte === CR;
    }
    return out.subarray(0, length);
  }

  #takeLine(line: Uint8Array): void {
    const colon = line.indexOf(COLON);
    const name = decoder.decode(line.subarray(0, colon === -1 ? line.length : Math.min(colon, FIELD_NAME)));
    const start = colon === -1 ? line.length : line[colon + 1] === SPACE ? colon + 2 : colon + 1;
    const value = line.subarray(start);
    switch (name) {
      case "data":
        this.#takeData(value);
        break;
      case "event":
        this.#type = decoder.decode(value);
        break;
      case "id":
        if (!value.includes(0)) this.#id = decoder.decode(value);
        break;
      case "retry": {
        const text = decoder.decode(value);
        if (/^\d{1,9}$/.test(text)) this.#handlers.onRetry?.(Number(text));
        break;
      }
    }
  }

  #takeData(value: Uint8Array): void {
    this.#data.push(value);
    this.#length += value.length + 1;
    if (this.#tooLong !== undefined || this.#length - 1 <= this.#limit) return;
    this.#setTooLong({ ...endsOf(this.#data), length: this.#length - 1 });
  }

  #takeTooLong({ head, tail, length }: TooLongLine): void {
    const colon = head.indexOf(COLON);
    if (decoder.decode(head.subarray(0, Math.max(0, Math.min(colon, FIELD_NAME)))) !== "data") return; // a comment of that size, say
    const start = head[colon + 1] === SPACE ? colon + 2 : colon + 1;
    this.#setTooLong({ head: head.subarray(start), tail, length: length - start });
  }

  #setTooLong(line: TooLongLine): void {
    this.#tooLong ??= line;
    this.#data = [];
    this.#length = 0;
  }

  #dispatch(): void {
    if (this.#id !== undefined) this.#lastEventId = this.#id;
    const tooLong = this.#tooLong;
    const event = this.#data.length > 0 ? this.#event() : undefined;
    this.#tooLong = undefined;
    this.#data = [];
    this.#length = 0;
    this.#type = "";
    if (tooLong !== undefined) this.#handlers.onTooLong(tooLong);
    else if (event !== undefined && event.data.length > 0) this.#handlers.onEvent(event);
  }

  #event(): SseEvent {
    const [only, ...more] = this.#data;
    const lines = this.#data.flatMap((line, index) => (index === 0 ? [line] : [NEW_LINE, line]));
    return { type: this.#type || "message", data: only !== undefined && more.length === 0 ? only : joined(lines) };
  }
}

const NEW_LINE = new Uint8Array([LF]);
