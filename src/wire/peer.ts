// How do messages come from a stream and go to one? In order, none lost, none kept longer than the other side makes us.
// Never throws at its user for what the other side does: a stream that breaks is reported once.
import { joined, LineSplitter, type TooLongLine } from "./lines.ts";
import { DEFAULT_MAX_MESSAGE, parseMessage, type WireMessage } from "./message.ts";

export interface ReadHandlers {
  /** The longest message taken, in bytes; 64 MiB by default. */
  readonly maxMessage?: number;
  /** A promise pauses reading until it settles (so that the other side feels that we can't keep up). It must not reject. */
  onMessage(message: WireMessage): void | Promise<void>;
  /** A message above the limit, passed over; see `identify` for whose it was. */
  onTooLong(line: TooLongLine): void;
  /** The stream is over, once, after its last message; `error` where it broke. Not called after `stop`. */
  onEnd(error?: unknown): void;
}

/** A stream being read. */
export interface Reading {
  /** Lets go of the stream; nothing is called any more. */
  stop(): void;
}

/** Reads messages, one per line, until the stream ends. Empty lines and lines of white space are passed over. */
export function readMessages(stream: ReadableStream<Uint8Array>, handlers: ReadHandlers): Reading {
  const reader = stream.getReader();
  const waits: Promise<void>[] = [];
  let stopped = false;
  const lines = new LineSplitter(handlers.maxMessage ?? DEFAULT_MAX_MESSAGE, {
    onLine(line) {
      if (stopped || isBlank(line)) return;
      const wait = handlers.onMessage(parseMessage(line));
      if (wait !== undefined) waits.push(wait);
    },
    onTooLong(line) {
      if (!stopped) handlers.onTooLong(line);
    },
  });
  const end = (error?: unknown) => {
    if (!stopped) lines.end();
    if (!stopped) handlers.onEnd(error);
    stopped = true;
  };
  void (async () => {
    for (;;) {
      const next = await reader.read().catch((error: unknown) => ({ done: true as const, error }));
      if (next.done) return end("error" in next ? next.error : undefined);
      lines.push(next.value);
      if (waits.length > 0) await Promise.all(waits.splice(0));
    }
  })();
  return {
    stop() {
      stopped = true;
      reader.cancel().catch(() => undefined); // the stream may be broken already, which is what we want of it
    },
  };
}

function isBlank(line: Uint8Array): boolean {
  const first = line[0];
  if (first !== 0x0d && first !== 0x20 && first !== 0x09) return false;
  return line.every((byte) => byte === 0x0d || byte === 0x20 || byte === 0x09);
}

/** Where bytes can be written: what `Bun.spawn` gives as a child's stdin, and `Bun.stdout.writer()`. */
export interface ByteSink {
  write(chunk: Uint8Array): number | Promise<number>;
  flush(): unknown;
  end(): unknown;
}

/** Writes messages, one per line. */
export interface LineWriter {
  /** Queues a message's bytes; false once the other side has closed (the message is dropped then). */
  write(message: Uint8Array): boolean;
  /** Resolves when everything written so far has been handed to the system, or the other side has closed. */
  drained(): Promise<void>;
  /** Ends the stream after what is queued. Resolves as `drained` does. */
  end(): Promise<void>;
  readonly closed: boolean;
}

const COALESCED = 64 * 1024;
const LF = new Uint8Array([0x0a]);

/**
 * Makes a writer over a sink. Messages of one turn of the event loop go out together. Nothing is dropped while the reader is slow:
 * whoever produces without end waits for `drained`. `onClosed` is called once where the other side has gone (EPIPE).
 */
export function lineWriter(sink: ByteSink, onClosed?: (error: unknown) => void): LineWriter {
  let queue: Uint8Array[] = [];
  let closed = false;
  let ending = false;
  let pump: Promise<void> | undefined;

  const run = async () => {
    await Promise.resolve(); // lets the messages of this turn gather
    while (queue.length > 0 && !closed) {
      const pieces = queue;
      queue = [];
      for (const chunk of coalesce(pieces)) await send(chunk);
    }
    pump = undefined;
  };
  const send = async (chunk: Uint8Array) => {
    if (closed) return;
    try {
      const written = sink.write(chunk);
      const flushed = sink.flush();
      // Both are awaited, since each of the two promises rejects where the reader has gone.
      if (written instanceof Promise || flushed instanceof Promise) await Promise.all([written, flushed]);
    } catch (error) {
      closed = true;
      queue = [];
      onClosed?.(error);
    }
  };
  const drained = () => pump ?? Promise.resolve();
  return {
    get closed() {
      return closed;
    },
    write(message) {
      if (closed || ending) return false;
      queue.push(message, LF);
      pump ??= run();
      return true;
    },
    drained,
    async end() {
      ending = true;
      await drained();
      try {
        await sink.end();
      } catch {
        closed = true; // the reader has gone: there is nothing left to end
      }
    },
  };
}

const PART = 1024 * 1024;

function inParts(piece: Uint8Array): readonly Uint8Array[] {
  if (piece.length <= PART) return [piece];
  return Array.from({ length: Math.ceil(piece.length / PART) }, (_, index) => piece.subarray(index * PART, (index + 1) * PART));
}

/** Joins small neighbours into chunks of at most 64 KiB; larger pieces go out in parts, uncopied, since the sink keeps a copy of what isn't read yet. */
function* coalesce(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces.flatMap(inParts)) {
    if (size > 0 && size + piece.length > COALESCED) {
      yield gathered.length === 1 ? (gathered[0] as Uint8Array) : joined(gathered); // just counted
      gathered = [];
      size = 0;
    }
    gathered.push(piece);
    size += piece.length;
  }
  if (size > 0) yield joined(gathered);
}
