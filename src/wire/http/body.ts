// How do messages come out of the body of an HTTP response? One JSON text, or a stream of events; each as one line of bytes, so that it can
// go on over stdio as it is. Nothing is kept beyond the limit.
import { Pieces, type TooLongLine } from "../lines.ts";
import { parseMessage, type WireMessage } from "../message.ts";
import { type SseEvent, SseParser } from "./sse.ts";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/**
 * After so many bytes of one body the others have their turn: the runtime reads from a connection for as long as more comes at once, and
 * meanwhile looks at no other.
 */
const TURN = 1024 * 1024;
/** How long that turn is, in milliseconds: longer for a body that is larger than nearly all messages, of which one after the other may come. */
const pauseAfter = (length: number) => (length > 8 * TURN ? 5 : 1);

/** A body, whole; or what is known of one that was too long; or how it broke off. */
export type WholeBody =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | { readonly kind: "too-long"; readonly line: TooLongLine }
  | { readonly kind: "broken"; readonly error: unknown };

/**
 * Reads a body of at most `limit` bytes. Of a longer one it reads no more than that. Where the next piece takes longer than `patience`
 * milliseconds, it has broken off. Never rejects.
 */
export async function readWhole(body: ReadableStream<Uint8Array> | null, limit: number, patience?: number): Promise<WholeBody> {
  if (body === null) return { kind: "whole", bytes: new Uint8Array(0) };
  const reader = body.getReader();
  const letGo = () => void reader.cancel().catch(() => undefined); // whether it broke meanwhile makes no difference
  const pieces = new Pieces();
  for (;;) {
    const next = await readNext(reader.read(), patience);
    if ("error" in next) {
      letGo();
      return { kind: "broken", error: next.error };
    }
    if (next.done) return { kind: "whole", bytes: pieces.take() };
    pieces.add(next.value);
    if (pieces.length <= limit) {
      if (pieces.length % TURN < next.value.length) await Bun.sleep(pauseAfter(pieces.length));
      continue;
    }
    letGo();
    const { length } = pieces;
    return { kind: "too-long", line: { ...pieces.takeEnds(), length } };
  }
}

type Read<T> = { readonly done: false; readonly value: T } | { readonly done: true } | { readonly error: unknown };

/** Reads the next piece; in vain for `patience` milliseconds counts as broken. */
async function readNext(reading: Promise<Read<Uint8Array>>, patience: number | undefined): Promise<Read<Uint8Array>> {
  const safely = reading.catch((error: unknown) => ({ error }));
  if (patience === undefined) return safely;
  const { promise: late, resolve } = Promise.withResolvers<Read<Uint8Array>>();
  const timer = setTimeout(resolve, patience, { error: new Error(`nothing came for ${patience} ms`) });
  const next = await Promise.race([safely, late]);
  clearTimeout(timer);
  return next;
}

export interface EventHandlers {
  /** The longest message taken, in bytes. */
  readonly limit: number;
  /** A message. A promise pauses reading until it settles; it must not reject. */
  onMessage(message: WireMessage): void | Promise<void>;
  onTooLong(line: TooLongLine): void;
  /** An event of another type than `message`. */
  onOther?(event: SseEvent): void;
  /** How long to wait before a reconnection, in milliseconds. */
  onRetry?(milliseconds: number): void;
}

/** How a stream of events ended: with its last complete event's id, and the error where it broke. */
export interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly error?: unknown;
}

/** Reads a stream of events to its end, however long it stays quiet. Never rejects. */
export async function readEvents(body: ReadableStream<Uint8Array>, handlers: EventHandlers): Promise<StreamEnd> {
  const reader = body.getReader();
  const waits: Promise<void>[] = [];
  const take = (event: SseEvent) => {
    if (event.type !== "message") return handlers.onOther?.(event);
    const wait = handlers.onMessage(parseMessage(oneLine(event.data)));
    if (wait !== undefined) waits.push(wait);
  };
  const parser = new SseParser(handlers.limit, {
    onEvent: take,
    onTooLong: (line) => handlers.onTooLong(line),
    onRetry: (milliseconds) => handlers.onRetry?.(milliseconds),
  });
  for (;;) {
    const next = await reader.read().catch((error: unknown) => ({ done: true as const, error }));
    if (next.done) {
      if ("error" in next) return { lastEventId: parser.lastEventId, error: next.error };
      takeUnfinished(parser, take);
      await Promise.all(waits);
      return { lastEventId: parser.lastEventId };
    }
    parser.push(next.value);
    if (waits.length > 0) await Promise.all(waits.splice(0));
  }
}

/** Some servers close without the empty line behind their last event: a message that is whole all the same is not thrown away. */
function takeUnfinished(parser: SseParser, take: (event: SseEvent) => void): void {
  const rest = parser.unfinished();
  if (rest !== undefined && parseMessage(rest.data).kind !== "strange") take(rest);
}

/**
 * Gives JSON text without line ends and byte order mark: in JSON a raw line end can only be white space, and becomes a space.
 * The bytes are the same object where there is nothing to change.
 */
export function oneLine(bytes: Uint8Array): Uint8Array {
  const text = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  if (!text.includes(LF) && !text.includes(CR)) return text;
  const line = text.slice();
  for (const end of [LF, CR]) for (let at = line.indexOf(end); at !== -1; at = line.indexOf(end, at + 1)) line[at] = SPACE;
  return line;
}

/** Gives the media type of a Content-Type header, in lower case and without parameters. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
