// Where does one message end and the next begin? At each LF. A line that is too long is passed over without being kept;
// a line's bytes are never changed (a CR before the LF stays: it is JSON white space).

const LF = 0x0a;
const HEAD_KEPT = 4096;
const TAIL_KEPT = 1024;

/** What remains of a line above the limit: its first 4 KiB and last 1 KiB, and its length in bytes. */
export interface TooLongLine {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly length: number;
}

export interface LineHandlers {
  /** A line without its LF. The bytes may be a view of a chunk; nobody changes them. */
  onLine(line: Uint8Array): void;
  /** Called once per such line, when it has ended. */
  onTooLong(line: TooLongLine): void;
  /** A line without any byte; passed over unless this is given. */
  onEmptyLine?(): void;
}

/** Splits chunks of bytes into lines. Keeps at most about twice the line that is still unfinished. */
export class LineSplitter {
  readonly #limit: number;
  readonly #handlers: LineHandlers;
  #kept: Uint8Array = new Uint8Array(0);
  #length = 0;
  #head: Uint8Array | undefined;

  /** `limit` is the longest line taken, in bytes. */
  constructor(limit: number, handlers: LineHandlers) {
    this.#limit = limit;
    this.#handlers = handlers;
  }

  /** Takes the next chunk, which must not be changed afterwards, and hands out the lines that it completes. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  /** Says that the stream is over: a last line without LF counts as a line. */
  end(): void {
    if (this.#length > 0) this.#finish(new Uint8Array(0));
  }

  #finish(rest: Uint8Array): void {
    if (this.#length === 0 && rest.length <= this.#limit) {
      if (rest.length > 0) this.#handlers.onLine(rest);
      else this.#handlers.onEmptyLine?.();
      return;
    }
    this.#keep(rest);
    const { kept, length, head } = { kept: this.#kept, length: this.#length, head: this.#head };
    this.#kept = new Uint8Array(0);
    this.#length = 0;
    this.#head = undefined;
    if (head === undefined) this.#handlers.onLine(kept.subarray(0, length));
    else this.#handlers.onTooLong({ head, tail: kept, length });
  }

  #keep(piece: Uint8Array): void {
    if (this.#head === undefined && this.#length + piece.length > this.#limit) {
      const line = this.#kept.subarray(0, this.#length);
      this.#head = line.slice(0, HEAD_KEPT);
      this.#kept = line.slice(-TAIL_KEPT);
    }
    if (this.#head !== undefined) {
      if (this.#head.length < HEAD_KEPT) this.#head = joined([this.#head, piece.subarray(0, HEAD_KEPT - this.#head.length)]);
      this.#kept = lastBytes(this.#kept, piece);
    } else {
      if (this.#length + piece.length > this.#kept.length) this.#grow(this.#length + piece.length);
      this.#kept.set(piece, this.#length);
    }
    this.#length += piece.length;
  }

  // Doubling keeps many tiny chunks from costing quadratic time; the limit keeps a large line from doubling past it.
  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, Math.min(Math.max(needed * 2, 1024), this.#limit)));
    larger.set(this.#kept.subarray(0, this.#length));
    this.#kept = larger;
  }
}

/** Joins pieces of bytes into new bytes. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function lastBytes(before: Uint8Array, piece: Uint8Array): Uint8Array {
  if (piece.length >= TAIL_KEPT) return piece.slice(-TAIL_KEPT);
  return joined([before.subarray(Math.max(0, before.length + piece.length - TAIL_KEPT)), piece]);
}
