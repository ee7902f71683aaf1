// Where does what a server says on stderr go? On to our own stderr, byte for byte, at the pace of whoever reads it there; the end of it is
// kept, since it often is the only reason a dead server gives.
import type { ByteSink } from "../wire/peer.ts";

const KEPT = 2048;
const decoder = new TextDecoder();

let opened: ByteSink | undefined;

/** One for all servers: two sinks over one descriptor would each keep their own unsent rest. */
function ourStderr(): ByteSink {
  opened ??= Bun.stderr.writer();
  return opened;
}

/** Relays one server's stderr. */
export class StderrRelay {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  /** Lets go of the stream. */
  readonly stop: () => void;
  #kept: Uint8Array = new Uint8Array(0);

  /** `sink` is our own stderr unless given. */
  constructor(stream: ReadableStream<Uint8Array>, sink?: ByteSink) {
    const reader = stream.getReader();
    this.stop = () => void reader.cancel().catch(() => undefined); // a broken stream is as good as a cancelled one
    this.ended = this.#relay(() => reader.read(), sink ?? ourStderr());
  }

  /** The last bytes as text, at most 2 KiB. */
  lastWords(): string {
    return decoder.decode(this.#kept);
  }

  async #relay(read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>, sink: ByteSink): Promise<void> {
    let isOpen = true;
    for (;;) {
      const next = await read().catch(() => ({ done: true, value: undefined }));
      if (next.done || next.value === undefined) return;
      this.#keep(next.value);
      if (isOpen) isOpen = await pass(sink, next.value);
    }
  }

  #keep(chunk: Uint8Array): void {
    const both = new Uint8Array(this.#kept.length + Math.min(chunk.length, KEPT));
    both.set(this.#kept);
    both.set(chunk.subarray(-KEPT), this.#kept.length);
    this.#kept = both.slice(-KEPT);
  }
}

/** Nobody reading our stderr is no reason to stop reading the server's: it would block. Gives whether somebody still does. */
async function pass(sink: ByteSink, chunk: Uint8Array): Promise<boolean> {
  try {
    await sink.write(chunk);
    await sink.flush();
    return true;
  } catch {
    return false;
  }
}
