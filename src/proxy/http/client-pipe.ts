// How does a client that comes by HTTP look like one that has started us over stdio? As a pair of streams, one message per line, which no
// process stands behind. Knows nothing of HTTP.
import type { StandardStreams } from "../../wire/stdio.ts";

/** How much may wait on its way to the proxy before the sender has to wait, in bytes. */
const ROOM = 1024 * 1024;

export interface PipeListener {
  /** Takes one message of the proxy to the client, in order. */
  onMessage(bytes: Uint8Array): void;
  /** Resolves when the client has taken what it was given, or is given up. */
  drained(): Promise<void>;
}

/** Both ends of the pair. */
export class ClientPipe {
  readonly streams: StandardStreams;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Set while somebody waits; all who do wait for the same. */
  #room: PromiseWithResolvers<void> | undefined;
  #ended = false;

  constructor(listener: PipeListener) {
    const input = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#hasRoom(),
        cancel: () => this.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: ROOM }),
    );
    let closed = false;
    this.streams = {
      input,
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

  /** Sends a message, with its LF; resolves when there is room for more. Nothing happens once it has ended. */
  async send(line: Uint8Array): Promise<void> {
    if (this.#ended) return;
    this.#controller?.enqueue(line);
    if ((this.#controller?.desiredSize ?? 1) > 0) return;
    this.#room ??= Promise.withResolvers();
    await this.#room.promise;
  }

  #hasRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** Says that the client sends no more. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#hasRoom();
    try {
      this.#controller?.close();
    } catch {
      // The proxy has let go of its input first, which comes to the same.
    }
  }
}
