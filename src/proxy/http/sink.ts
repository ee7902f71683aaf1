// How do bytes reach one reader that may be slow, stuck or gone? Through a stream of which we know how full it is. Keeps a quiet one alive,
// and never lets a stuck one hold up the rest for ever.
import { within } from "../../upstream/within.ts";
import { SSE_COMMENT } from "../../wire/http/sse-event.ts";
import type { HttpTimes } from "./http-parts.ts";

/** How much may wait for the reader before whoever writes has to wait, in bytes. */
const ROOM = 256 * 1024;

/** One response body. */
export class Sink {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #times: HttpTimes;
  readonly #onGone: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** What the stream hasn't been given yet: it gets little at once, since the server copies what the reader hasn't taken. */
  #waiting: Uint8Array[] = [];
  /** Nothing follows what waits. */
  #isFinishing = false;
  #isTaken = false;
  #ping: ReturnType<typeof setInterval> | undefined;
  /** Set while somebody waits; all who do wait for the same. */
  #room: PromiseWithResolvers<void> | undefined;
  #closed = false;

  /** `onGone` is called once if the reader goes before `close`. */
  constructor(times: HttpTimes, onGone: () => void) {
    this.#times = times;
    this.#onGone = onGone;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#feed();
          this.#hasRoom();
        },
        cancel: () => this.letGo(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: ROOM }),
    );
    this.#ping = setInterval(() => this.write([SSE_COMMENT]), times.ping);
  }

  /** Whether the reader has taken all there was, to the end. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  write(chunks: readonly Uint8Array[]): void {
    if (this.#closed) return;
    this.#waiting.push(...chunks);
    this.#feed();
  }

  /** Resolves when the reader has taken nearly all, has gone, or was let go since it takes nothing. */
  async drained(): Promise<void> {
    while (!this.#closed && this.#isFull) {
      this.#room ??= Promise.withResolvers();
      if (!(await within(this.#times.stuck, this.#room.promise)) && this.#isFull) this.letGo();
    }
  }

  /** Ends the stream after what has been written. */
  close(): void {
    if (!this.#end()) return;
    this.#isFinishing = true;
    this.#feed();
  }

  /** Ends the stream at once: the reader has gone, or is as good as gone. */
  letGo(): void {
    if (!this.#end()) return;
    this.#waiting = [];
    try {
      this.#controller?.error(new Error("the reader takes nothing"));
    } catch {
      // The reader has cancelled it, so there is nothing left to end.
    }
    this.#onGone();
  }

  get #isFull(): boolean {
    return this.#waiting.length > 0 || (this.#controller?.desiredSize ?? 1) <= 0;
  }

  #feed(): void {
    while ((this.#controller?.desiredSize ?? 0) > 0) {
      const chunk = this.#waiting.shift();
      if (chunk === undefined) break;
      if (chunk.length > ROOM) this.#waiting.unshift(chunk.subarray(ROOM));
      this.#controller?.enqueue(chunk.length > ROOM ? chunk.subarray(0, ROOM) : chunk);
    }
    if (this.#isFinishing && this.#waiting.length === 0) {
      this.#isFinishing = false;
      this.#isTaken = true;
      this.#controller?.close();
    }
  }

  #end(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    clearInterval(this.#ping);
    this.#hasRoom();
    return true;
  }

  #hasRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
