// How does a client that comes by HTTP look like one that has started us over stdio? As a source of messages and a writer, which no process
// stands behind. Knows nothing of HTTP, and never parses a message again.
import type { IdKey, WireMessage } from "../../wire/message.ts";
import type { ReadHandlers } from "../../wire/peer.ts";
import type { ClientStreams } from "../../wire/stdio.ts";

/** How much may wait on its way to the proxy before the sender has to wait, in bytes. */
const ROOM = 1024 * 1024;

export interface PipeListener {
  /** Takes one message of the proxy to the client, in order. */
  onMessage(bytes: Uint8Array): void;
  /** Resolves when the client has taken what it was given, or is given up. */
  drained(): Promise<void>;
  /** Hears that a client that can may come back for the answer to a request, in `retry` milliseconds. */
  onPaused?(id: IdKey, retry: number): void;
}

/** Both ends of the pair. */
export class ClientPipe {
  readonly streams: ClientStreams;
  /** Resolves with whoever reads, as soon as somebody does. */
  readonly #reader = Promise.withResolvers<ReadHandlers>();
  /** Resolves when it is of no use to wait any longer. */
  readonly #over = Promise.withResolvers<void>();
  /** Resolves when what was sent so far has been taken. */
  #taken: Promise<void> = Promise.resolve();
  /** What hasn't been taken, in bytes. */
  #waiting = 0;
  #ended = false;
  #stopped = false;

  constructor(listener: PipeListener) {
    let closed = false;
    this.streams = {
      onPaused: (id, retry) => listener.onPaused?.(id, retry),
      input: {
        read: (handlers) => {
          this.#reader.resolve(handlers);
          return { stop: () => this.#stop() };
        },
      },
      output: {
        write(message) {
          if (!closed) listener.onMessage(message);
          return !closed;
        },
        drained: () => listener.drained(),
        async end() {
          closed = true;
        },
        get closed() {
          return closed;
        },
      },
    };
  }

  /** Sends a message; resolves when there is room for more. Nothing happens once it has ended. */
  async send(message: WireMessage): Promise<void> {
    if (this.#ended) return;
    const { length } = message.bytes;
    this.#waiting += length;
    const taken = this.#next(async (reader) => {
      await reader.onMessage(message);
      this.#waiting -= length;
    });
    if (this.#waiting > ROOM) await Promise.race([taken, this.#over.promise]);
  }

  /** Says that the client sends no more. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#over.resolve();
    void this.#next((reader) => reader.onEnd());
  }

  #next(act: (reader: ReadHandlers) => void | Promise<void>): Promise<void> {
    this.#taken = this.#taken.then(async () => {
      const reader = await this.#reader.promise;
      if (!this.#stopped) await act(reader);
    });
    return this.#taken;
  }

  #stop(): void {
    this.#stopped = true;
    this.#ended = true;
    this.#over.resolve();
  }
}
