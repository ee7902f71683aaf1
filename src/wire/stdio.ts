// Which streams lead to the client that started us? Standard input and output, as bytes. Knows nothing of processes.
import type { IdKey } from "./message.ts";
import { type LineWriter, lineWriter, type ReadHandlers, type Reading, readMessages } from "./peer.ts";

/** The client's end of a connection. */
export interface ClientStreams {
  /** Where its messages come from; read once. */
  readonly input: { read(handlers: ReadHandlers): Reading };
  readonly output: LineWriter;
  /** Says that the server lets the client come back later for the answer to a request, in `retry` milliseconds; only where clients can. */
  readonly onPaused?: (id: IdKey, retry: number) => void;
}

/**
 * Opens standard input and output. Bun's own stream and sink are the fastest pair that loses nothing on a pipe or socket, and doesn't block
 * where the reader stops. `onClosed` is called once when the client reads no more. Call once per process.
 */
export function standardStreams(onClosed: (error: unknown) => void): ClientStreams {
  return { input: { read: (handlers) => readMessages(Bun.stdin.stream(), handlers) }, output: lineWriter(Bun.stdout.writer(), onClosed) };
}
