// Where does one message end and the next begin? At each LF. A line that is too long is passed over without being kept;
// a line's bytes are never changed (a CR before the LF stays: it is JSON white space).

import { LARGE, letGo } from "../core/large.ts";

const LF = 0x0a;
const HEAD_KEPT = 4096;
const TAIL_KEPT = 1024;

/** What remains of a line above the limit: its first 4 KiB and last 1 KiB, and its length in bytes. */
export interface TooLongLine extends Ends {
  readonly length: number;
}

/** The first 4 KiB and the last 1 KiB of something. */
interface Ends {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

export interface LineHandlers {
  /** A line without its LF. The bytes may be a view of a chunk; nobody changes them. */
  onLine(line: Uint8Array): void;
  /** Called once per such line, when it has ended. */
  onTooLong(line: TooLongLine): void;
  /** A line without any byte; passed over unless this is given. */
  onEmptyLine?(): void;
}

/** Splits chunks of bytes into lines. Keeps little more than the line that is still unfinished, and twice that for the moment in which it ends. */
export class LineSplitter {
  readonly #limit: number;
  readonly #handlers: LineHandlers;
  readonly #pieces = new Pieces();
  /** The length of the line so far, of a line above the limit too. */
  #length = 0;
  /** The first and last bytes of a line above the limit. */
  #ends: Ends | undefined;

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
    const { ends, length } = { ends: this.#ends, length: this.#length };
    const line = ends === undefined ? this.#pieces.take() : undefined;
    this.#ends = undefined;
    this.#length = 0;
    if (line !== undefined) this.#handlers.onLine(line);
    else if (ends !== undefined) this.#handlers.onTooLong({ ...ends, length });
  }

  #keep(piece: Uint8Array): void {
    if (this.#ends === undefined && this.#length + piece.length > this.#limit) this.#ends = this.#pieces.takeEnds();
    this.#length += piece.length;
    if (this.#ends === undefined) {
      this.#pieces.add(piece);
      return;
    }
    const { head, tail } = this.#ends;
    const more = head.length < HEAD_KEPT ? joined([head, piece.subarray(0, HEAD_KEPT - head.length)]) : head;
    this.#ends = { head: more, tail: lastBytes(tail, piece) };
  }
}

/** Pieces from this many bytes on are kept as they came; smaller ones are gathered into blocks of this size. */
const BLOCK = 16 * 1024;

/** Bytes that come in pieces, and are one in the end. Keeps little more than what came, and twice that for the moment in which it is taken. */
export class Pieces {
  #pieces: Uint8Array[] = [];
  #block: Uint8Array | undefined;
  #blockLength = 0;
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a piece, which must not be changed afterwards. */
  add(piece: Uint8Array): void {
    // What the last large message has left behind makes room for this one; so again below, since its call may have ended meanwhile.
    if (this.#length < LARGE) letGo(this.#length + piece.length);
    this.#length += piece.length;
    if (piece.length < BLOCK) this.#gather(piece);
    else this.#keepWhole(piece);
  }

  /** Gives all of it as one, and begins anew. A single piece is given as it came. */
  take(): Uint8Array {
    this.#closeBlock();
    letGo(this.#length);
    const [first, ...more] = this.#pieces;
    const whole = first !== undefined && more.length === 0 ? first : joined(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }

  /** Gives the first and the last bytes of it; the rest is let go. Begins anew. */
  takeEnds(): Ends {
    this.#closeBlock();
    this.#length = 0;
    return endsOf(this.#pieces.splice(0));
  }

  #keepWhole(piece: Uint8Array): void {
    this.#closeBlock();
    this.#pieces.push(piece);
  }

  // Many tiny pieces would cost more than what is in them.
  #gather(piece: Uint8Array): void {
    if (this.#block !== undefined && this.#blockLength + piece.length > this.#block.length) this.#closeBlock();
    this.#block ??= new Uint8Array(BLOCK);
    this.#block.set(piece, this.#blockLength);
    this.#blockLength += piece.length;
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#blockLength));
    this.#block = undefined;
    this.#blockLength = 0;
  }
}

/** Gives the first and the last bytes of what is in pieces. */
export function endsOf(pieces: readonly Uint8Array[]): Ends {
  let head = new Uint8Array(0);
  for (const piece of pieces) if (head.length < HEAD_KEPT) head = joined([head, piece.subarray(0, HEAD_KEPT - head.length)]);
  return { head, tail: pieces.reduce<Uint8Array>((before, piece) => lastBytes(before, piece), new Uint8Array(0)) };
}

/** Joins pieces of bytes into new bytes. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
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
