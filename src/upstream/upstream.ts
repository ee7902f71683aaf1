// What is a guarded server to the rest of the program? This interface; stdio.ts and http/ implement it. It forwards bytes, sends
// requests of our own, and never sends a tools/call except through send-call.ts, which only the recorder may import.
import type { Json, JsonObject } from "../core/json.ts";
import type { RequestMeta } from "../wire/era.ts";
import type { TooLongLine } from "../wire/lines.ts";
import type { BatchMessage, IdKey, NotificationMessage, RequestMessage, ResponseMessage, WireMessage } from "../wire/message.ts";
import type { Identified } from "../wire/too-long.ts";

/** How a request of ours ended. `error` is the JSON-RPC error object. Never rejects. */
export type Answer =
  | { readonly kind: "result"; readonly result: Json; readonly message: ResponseMessage }
  | { readonly kind: "error"; readonly error: Json; readonly message: ResponseMessage }
  | { readonly kind: "timeout"; readonly milliseconds: number }
  /** The server or its session is gone, or `why` the reply will not come; `sent` false: it was certainly not carried out. */
  | { readonly kind: "ended"; readonly why?: string; readonly sent?: boolean };

/** Why a request's reply will not come, on a connection that goes on. */
export interface Loss {
  /** For people; nothing is decided by it. */
  readonly why: string;
  /** False: it was certainly not carried out, since it never left, or was refused before anything was done with it. */
  readonly sent: boolean;
  /** It had been cancelled, so that nobody waits for an answer. */
  readonly cancelled?: true;
}

/** What can be sent to a server. */
export type Outgoing = RequestMessage | NotificationMessage | ResponseMessage;

/** A tool as the server lists it; `raw` is the whole entry. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Json;
  readonly outputSchema?: Json;
  readonly annotations?: JsonObject;
  readonly description?: string;
  readonly raw: JsonObject;
}

/** Why a server's process is gone, and what it printed last on stderr. Where there is no process, `lastWords` says what happened. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lastWords: string;
}

/** Listens to one server. */
export interface UpstreamEvents {
  /**
   * Every message of the server that isn't the reply to a request of ours, in the order it came; replies with an id that isn't open too.
   * A promise pauses reading from the server until it settles; it must not reject.
   */
  onMessage(message: WireMessage, upstream: Upstream): void | Promise<void>;
  /** A message above the size limit, passed over. Replies to requests of ours are not among them (those are answered `error`). */
  onTooLong?(known: Identified, line: TooLongLine): void;
  /** The reply to one request of the client's will not come, although the server is still there. */
  onLost?(id: IdKey, loss: Loss): void;
  /** The server has closed the stream of one request of the client's before the reply, which is to be asked for again in `retry` milliseconds; that is done here. */
  onPaused?(id: IdKey, retry: number): void;
  /** The process or session ended by itself (not after close()). Requests of ours in flight have been answered `ended`. */
  onExit(exit: ServerExit): void;
  /** It was started once more, as another process. Nothing that waited is sent before the promise settles; it must not reject. */
  onRestart?(upstream: Upstream): Promise<void>;
}

/** One running server on one connection. */
export interface Upstream {
  readonly name: string;
  /** The server's process id; null where there is no process of ours. */
  readonly pid: number | null;
  /** Whether a batch can be forwarded whole: at a URL each message travels alone. */
  readonly takesBatches: boolean;
  /** True until the process or session has ended or close() was called. */
  readonly alive: boolean;
  /**
   * Sends a message as it is; drops it if the server is gone. A request whose id is one of ours travels under another id, and its reply
   * (or cancellation) is mapped back here; a batch with such a one goes out member by member. Throws on a tools/call (a bug of ours: the recorder is the one door).
   */
  forward(message: Outgoing | BatchMessage): void;
  /** Sends a request of our own with an id that the client cannot reach; its reply reaches nobody else. Throws on a tools/call. */
  request(method: string, params: JsonObject, options?: { timeout?: number }): Promise<Answer>;
  /** Sends a notification of our own. */
  notify(method: string, params?: JsonObject): void;
  /** Lists every tool (all pages). Requires an initialized session, or in the modern era `meta`, what the requests say of themselves. */
  listTools(options?: {
    timeout?: number;
    meta?: RequestMeta | undefined;
  }): Promise<{ kind: "tools"; tools: readonly ListedTool[] } | { kind: "failed"; reason: string }>;
  /** Tells which ids the client uses, so that ours have the same JSON type. Called for each client request before it is forwarded. */
  noteClientId(id: IdKey): void;
  /** Resolves when the server has taken all that was sent to it so far, or is gone. */
  drained(): Promise<void>;
  /** What the server printed last on stderr, at most 2 KiB. */
  lastWords(): string;
  /** Ends the process and its descendants (EOF, then SIGTERM, then SIGKILL), or the session. Resolves with the pids that could not be ended. */
  close(options?: { grace?: number }): Promise<readonly number[]>;
}
