// What stands behind one client that comes by HTTP? A proxy of its own, with its own upstream and run, until the client ends, is quiet for
// too long, or everything stops. Knows no HTTP.
import type { Log } from "../../core/log.ts";
import type { WireMessage } from "../../wire/message.ts";
import { ClientPipe, type PipeListener } from "./client-pipe.ts";
import type { StartProxy } from "./http-parts.ts";

export interface ServedProxyParts extends PipeListener {
  readonly startProxy: StartProxy;
  /** The name of the token. */
  readonly identity: string;
  readonly log: Log;
  /** How long the client may be quiet, in milliseconds. */
  readonly idle: number;
  /** Tells whether the client waits for something, so that it isn't quiet. */
  isBusy(): boolean;
  /** Called once, when the proxy has ended: nothing more will come. */
  onEnded(why: string): void;
}

/** One proxy and its client's end. */
export class ServedProxy {
  /** Resolves when upstream and run have ended. Never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: ServedProxyParts;
  readonly #pipe: ClientPipe;
  readonly #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #why = "the session has ended";
  #isEnding = false;

  constructor(parts: ServedProxyParts) {
    this.#parts = parts;
    this.#pipe = new ClientPipe(parts);
    this.ended = this.#run();
    this.touch();
  }

  /** False once it ends: what is sent then is lost. */
  get isOpen(): boolean {
    return !this.#isEnding;
  }

  /** Sends a message; resolves when there is room for more. */
  send(message: WireMessage): Promise<void> {
    return this.#pipe.send(message);
  }

  /** Says that the client has just done something. */
  touch(idle: number = this.#parts.idle): void {
    clearTimeout(this.#timer);
    if (this.#isEnding) return;
    this.#timer = setTimeout(() => (this.#parts.isBusy() ? this.touch() : this.end("it was quiet for too long")), idle);
  }

  /** Ends it: the client sends no more, calls in flight settle, then upstream and run end. */
  end(why: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#why = why;
    clearTimeout(this.#timer);
    this.#parts.log.log("info", "a client's session ends", { why });
    this.#pipe.end();
  }

  async #run(): Promise<void> {
    const { startProxy, identity, log } = this.#parts;
    try {
      await startProxy({ streams: this.#pipe.streams, signal: this.#abort.signal, identity, log });
    } catch (error) {
      this.#why = error instanceof Error ? error.message : String(error);
      log.log("error", "a client's session could not be served", { why: this.#why });
    }
    this.#isEnding = true;
    clearTimeout(this.#timer);
    this.#pipe.end();
    this.#parts.onEnded(this.#why);
  }
}
