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
/** A body above this size is larger than nearly all messages; several of them may come one after the other. */
const HUGE = 8 * TURN;
/** A huge body of a stranger that hasn't said its length may go on for ever: less of it at a time, and with PAUSE no more than 50 MiB a second. */
const SHORT_TURN = 256 * 1024;
/** How long the turn of the others is, in milliseconds. */
const PAUSE = { small: 1, huge: 5 } as const;

/** The last of the pauses of such bodies, which stand in line: all of them together get no more than one would. */
let unsaidTurns: Promise<void> = Promise.resolve();

/** A body, whole; or what is known of one that was too long; or how it broke off. */
export type WholeBody =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | { readonly kind: "too-long"; readonly line: TooLongLine }
  | { readonly kind: "broken"; readonly error: unknown };

/** What is to be feared of whoever sends a body. */
export interface BodyCare {
  /** Where the next piece takes longer, in milliseconds, the body has broken off. */
  readonly patience?: number;
  /** A stranger sends it, who hasn't said how long it is. */
  readonly isUnsaid?: boolean;
}

/** Reads a body of at most `limit` bytes. Of a longer one it reads no more than that. Never rejects. */
export async function readWhole(body: ReadableStream<Uint8Array> | null, limit: number, care: BodyCare = {}): Promise<WholeBody> {
  if (body === null) return { kind: "whole", bytes: new Uint8Array(0) };
  const reader = body.getReader();
  const letGo = () => void reader.cancel().catch(() => undefined); // whether it broke meanwhile makes no difference
  const pieces = new Pieces();
  for (;;) {
    const next = await readNext(reader.read(), care.patience);
    if ("error" in next) {
      letGo();
      return { kind: "broken", error: next.error };
    }
    if (next.done) return { kind: "whole", bytes: pieces.take() };
    pieces.add(next.value);
    if (pieces.length <= limit) {
      await othersTurn(pieces.length, next.value.length, care.isUnsaid ?? false);
      continue;
    }
    letGo();
    const { length } = pieces;
    return { kind: "too-long", line: { ...pieces.takeEnds(), length } };
  }
}

/** Waits where the last `added` of `length` bytes have used up a turn. */
function othersTurn(length: number, added: number, isUnsaid: boolean): Promise<void> | undefined {
  const isShort = isUnsaid && length > HUGE;
  if (length % (isShort ? SHORT_TURN : TURN) >= added) return undefined;
  const pause = () => Bun.sleep(length > HUGE ? PAUSE.huge : PAUSE.small);
  if (!isShort) return pause();
  unsaidTurns = unsaidTurns.then(pause);
  return unsaidTurns;
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
