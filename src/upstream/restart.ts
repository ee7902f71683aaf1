// What happens when a guarded server dies? It is started once more and told what the client had said at the beginning; what arrives
// meanwhile waits. What was in flight is lost and told so: nothing is ever sent twice.
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { requestMeta } from "../wire/era.ts";
import type { IdKey, RequestMessage } from "../wire/message.ts";
import { doorOf, registerDoor } from "./door.ts";
import { openSession } from "./open-session.ts";
import { type ServerStart, startServer } from "./stdio.ts";
import type { Answer, ServerExit, Upstream } from "./upstream.ts";

/** Starts a server that is started once more if it dies by itself. `onExit` is called each time. @throws server-unavailable the first time */
export async function startWithRestart(start: ServerStart): Promise<Upstream> {
  const server = new RestartingServer(start);
  await server.begin();
  return server;
}

class RestartingServer implements Upstream {
  readonly name: string;
  readonly #start: ServerStart;
  #current: Upstream | undefined;
  #restarts = 1;
  /** While it is started anew: what waits to be sent. */
  #waiting: (() => void)[] | undefined;
  #lastIdSeen: IdKey | undefined;
  /** The params of the client's initialize, once it was sent; in the modern era what its first request said of itself. */
  #hello: JsonObject | undefined;
  #closing = false;

  constructor(start: ServerStart) {
    this.name = start.name;
    this.#start = start;
    registerDoor(this, {
      forward: (message) => this.#remembering(message).#whenRunning(() => doorOf(this.#running).forward(message)),
      request: async (method, params, options) => this.#whenRunning(() => doorOf(this.#running).request(method, params, options)),
    });
  }

  async begin(): Promise<void> {
    const { events } = this.#start;
    this.#current = await startServer({
      ...this.#start,
      events: { ...events, onMessage: (message) => events.onMessage(message, this), onExit: (exit) => void this.#ended(exit) },
    });
  }

  get pid(): number | null {
    return this.#current?.pid ?? null;
  }
  get alive(): boolean {
    return this.#waiting !== undefined || (this.#current?.alive ?? false);
  }
  forward(message: Parameters<Upstream["forward"]>[0]): void {
    if (message.kind === "request") this.#remembering(message);
    void this.#whenRunning(() => this.#running.forward(message));
  }
  async request(method: string, params: JsonObject, options?: { timeout?: number }): Promise<Answer> {
    return this.#whenRunning(() => this.#running.request(method, params, options));
  }
  notify(method: string, params?: JsonObject): void {
    void this.#whenRunning(() => this.#running.notify(method, params));
  }
  listTools(options?: Parameters<Upstream["listTools"]>[0]): ReturnType<Upstream["listTools"]> {
    return this.#running.listTools(options);
  }
  noteClientId(id: IdKey): void {
    this.#lastIdSeen = id;
    this.#current?.noteClientId(id);
  }
  drained(): Promise<void> {
    return this.#waiting === undefined ? this.#running.drained() : Promise.resolve();
  }
  lastWords(): string {
    return this.#current?.lastWords() ?? "";
  }
  async close(options?: { grace?: number }): Promise<readonly number[]> {
    this.#closing = true;
    return this.#running.close(options);
  }

  get #running(): Upstream {
    if (this.#current === undefined) throw new TypeError("the server was used before it was started");
    return this.#current;
  }

  /** Does it now, or once the server runs again or is given up. */
  #whenRunning<T>(act: () => T | Promise<T>): T | Promise<T> {
    const waiting = this.#waiting;
    if (waiting === undefined) return act();
    return new Promise((resolve) => waiting.push(() => resolve(act())));
  }

  #remembering(message: RequestMessage): this {
    const params = message.value["params"];
    if (message.method === "initialize" && isJsonObject(params)) this.#hello = params;
    const meta = this.#hello === undefined ? requestMeta(params) : undefined;
    if (meta !== undefined) this.#hello = { _meta: meta };
    return this;
  }

  async #ended(exit: ServerExit): Promise<void> {
    const again = this.#restarts > 0 && this.#hello !== undefined && !this.#closing;
    if (again) this.#waiting = [];
    this.#start.events.onExit(exit);
    if (!again) return;
    this.#restarts -= 1;
    await this.#running.close(); // it may have left descendants
    const why = this.#closing ? "the session is over" : await this.#startAgain();
    if (why === undefined) {
      this.#start.log.log("warn", "the server had ended and was started again", { server: this.name });
      await this.#start.events.onRestart?.(this);
    } else this.#start.log.log("error", "the server had ended and could not be started again", { server: this.name, why });
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const act of waiting) act();
    if (why === undefined) return;
    await new Promise((resolve) => setImmediate(resolve)); // what could not be sent is told so first
    this.#start.events.onExit({ code: null, signal: null, lastWords: why });
  }

  /** Gives why it couldn't be started, if so. */
  async #startAgain(): Promise<string | undefined> {
    try {
      await this.begin();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    if (this.#lastIdSeen !== undefined) this.#running.noteClientId(this.#lastIdSeen);
    const opened = await openSession(this.#running, this.#hello ?? {});
    if (opened.kind === "opened") return undefined;
    await this.#running.close();
    return opened.reason;
  }
}
