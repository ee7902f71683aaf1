// How does a message look as a server-sent event (WHATWG HTML, section 9.2.6)? Its bytes stay as they are, but for line ends, which would
// end the event: in JSON those are white space.

const encoder = new TextEncoder();
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const AFTER = encoder.encode("\n\n");
/** How long a reader whose stream broke is to wait before it comes again, in milliseconds. */
const RETRY = 1000;
/** Below this many bytes copying costs less than another chunk. */
const SMALL = 64 * 1024;

/** A comment, which a reader passes over: shows that the stream is alive. */
export const SSE_COMMENT: Uint8Array = encoder.encode(": \n\n");

/** Gives a message as an event, in chunks; `id` is what a reader may resume from. */
export function sseEvent(message: Uint8Array, id: string | undefined): readonly Uint8Array[] {
  const before = encoder.encode(`event: message\n${id === undefined ? "" : `id: ${id}\n`}data: `);
  const data = oneLine(message);
  if (data.length > SMALL) return [before, data, AFTER];
  const event = new Uint8Array(before.length + data.length + AFTER.length);
  event.set(before);
  event.set(data, before.length);
  event.set(AFTER, before.length + data.length);
  return [event];
}

/** Says when a reader whose stream ends now is to come again, in milliseconds. */
export function sseRetry(milliseconds: number): Uint8Array {
  return encoder.encode(`retry: ${milliseconds}\n\n`);
}

/** Gives an event without a message: it only tells a reader from where to resume, and when (MCP 2025-11-25, "Sending Messages to the Server"). */
export function ssePriming(id: string): Uint8Array {
  return encoder.encode(`id: ${id}\nretry: ${RETRY}\ndata: \n\n`);
}

function oneLine(message: Uint8Array): Uint8Array {
  if (!message.includes(LF) && !message.includes(CR)) return message;
  return message.map((byte) => (byte === LF || byte === CR ? SPACE : byte));
}
