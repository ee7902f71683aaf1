// What happens to each message between one client and one server? Everything is forwarded as it came; a tools/call goes through
// handleCall, an initialize result gets our instructions. Nothing here knows policies or reads a tool's arguments.
import { isJsonObject, type Json } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Policy } from "../core/policy.ts";
import type { ProcessIdentity } from "../journal/journal.ts";
import { identityOf } from "../journal/process-identity.ts";
import type { ServerExit, Upstream } from "../upstream/upstream.ts";
import { splitBatch } from "../wire/build.ts";
import { idKey, type RequestMessage, type ResponseMessage, type WireMessage } from "../wire/message.ts";
import type { Identified } from "../wire/too-long.ts";
import { rpcError, withInstructions } from "./answers.ts";
import { createCallChannel } from "./call-channel.ts";
import type { CallSession } from "./call-session.ts";
import { handleCall } from "./handle-call.ts";
import { type OpenCall, OpenRequests, openCall, replyFrom } from "./open-requests.ts";
import { createOutbox } from "./outbox.ts";
import type { RunHandle } from "./run-handle.ts";
import { exitWords, listedTools } from "./server-words.ts";
import { isAmbiguous, readToolCall } from "./tool-call.ts";

export interface SessionParts {
  readonly server: string;
  readonly policy: Policy;
  readonly upstream: Upstream;
  readonly log: Log;
  readonly clock: () => number;
  /** Milliseconds. */
  readonly readTimeout: number;
  /** Bytes. */
  readonly maxMessage: number;
  readonly runHandle: RunHandle;
  /** Writes one message to the client. */
  readonly write: (bytes: Uint8Array) => void;
  /** Words of a command of ours -> the command as a person can run it here. */
  readonly commandLine: (words: readonly string[]) => string;
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

const ID_IN_USE = "this id is in use by a request under way";
const NO_NAME = "params.name must be the name of a tool";
const TOO_DEEP = "this call nests deeper than can be read for certain, so it was not carried out";
const AMBIGUOUS =
  "this message can be read in two ways: a member stands in it twice or in another case, or a carriage return between its parts";

/** One client with one server. */
export class Session {
  readonly #parts: SessionParts;
  readonly #requests = new OpenRequests();
  /** The server's requests under way: id -> method. */
  readonly #serverRequests = new Map<string, string>();
  readonly #outbox;
  readonly #channel: CallSession;
  readonly #calls = new Map<Promise<void>, OpenCall>();
  #listed: ReadonlySet<string> | undefined;
  #ended: string | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#outbox = createOutbox(parts.write);
    this.#channel = createCallChannel(parts, {
      requests: this.#requests,
      outbox: this.#outbox,
      isListed: (tool) => this.#listed?.has(tool) ?? true,
      whyEnded: () => this.#ended,
    });
  }

  fromClient(message: WireMessage): void {
    if ("value" in message && isAmbiguous(message)) {
      // Another reader might take it for a tools/call, or for another one than we do: nothing may pass that way.
      this.#outbox.put(rpcError("id" in message ? message.id : "null", INVALID_REQUEST, AMBIGUOUS));
      return;
    }
    switch (message.kind) {
      case "request":
        if (message.method === "tools/call") this.#startCall(message);
        else this.#forwardRequest(message);
        break;
      case "notification":
        if (message.method === "tools/call")
          this.#log("warn", "a tools/call without an id was dropped: nobody could be told what became of it");
        else if (message.method !== "notifications/cancelled" || !this.#dropsCall(message.value["params"]))
          this.#parts.upstream.forward(message);
        break;
      case "response":
        this.#forwardAnswer(message);
        break;
      case "batch":
        for (const member of splitBatch(message)) this.fromClient(member);
        break;
      case "strange":
        this.#outbox.put(
          message.parsed
            ? rpcError("null", INVALID_REQUEST, "this is no JSON-RPC message")
            : rpcError("null", PARSE_ERROR, "this line is no JSON"),
        );
    }
  }

  fromServer(message: WireMessage): void {
    switch (message.kind) {
      case "response":
        this.#fromServerResponse(message);
        break;
      case "request":
        this.#serverRequests.set(message.id, message.method);
        this.#outbox.put(message.bytes);
        break;
      case "notification":
        this.#outbox.put(message.bytes);
        break;
      case "batch":
        for (const member of splitBatch(message)) this.fromServer(member);
        break;
      case "strange":
        this.#log("info", "the server printed a line that is no message; passed over");
    }
  }

  /** A message above the size limit was passed over. */
  tooLongFromClient({ id }: Identified): void {
    const text = `a message of more than ${this.#parts.maxMessage} bytes was not taken (--max-message)`;
    this.#outbox.put(rpcError(id ?? "null", INVALID_REQUEST, text));
  }

  /** The reply to a call was too long to take: the call was carried out, and what the reply says is lost. */
  tooLongFromServer({ id, method }: Identified): void {
    this.#log("error", "a message of the server was too long to take (--max-message)", id);
    const request = id === undefined || method !== undefined ? undefined : this.#requests.get(id);
    if (request?.kind === "call") request.settle?.({ kind: "lost", reason: "reply-lost" });
    else if (request) this.#fail(request.message, `the server's reply is longer than ${this.#parts.maxMessage} bytes (--max-message)`);
  }

  /** The server's process is gone: what was in flight is told so, and the session goes on. */
  serverEnded(exit: ServerExit): void {
    this.#ended = exitWords(exit);
    this.#log("error", `the server ended: ${this.#ended}`);
    for (const [, request] of this.#requests.all()) {
      if (request.kind === "plain") this.#fail(request.message, this.#ended);
      else if (request.sent) request.settle?.({ kind: "lost", reason: "server-ended" });
    }
  }

  /** Another process serves from here on: on disk before it gets a call, since undo asks whether the process that got a call still runs. */
  serverRestarted(): Promise<void> {
    this.#ended = undefined;
    return this.#parts.runHandle.describeServer({ process: this.#serverProcess() });
  }

  /** Resolves when every call that was received has been settled; `wanted`: but those that the client has cancelled. */
  async settled(which: "all" | "wanted" = "all"): Promise<void> {
    for (;;) {
      const calls = [...this.#calls].filter(([, request]) => which === "all" || !request.cancelled);
      if (calls.length === 0) return;
      await Promise.race(calls.flatMap(([handled, { cancellation }]) => (which === "all" ? [handled] : [handled, cancellation.promise])));
    }
  }

  #startCall(message: RequestMessage): void {
    this.#parts.upstream.noteClientId(message.id);
    const call = readToolCall(message);
    if (this.#requests.has(message.id)) this.#outbox.put(rpcError(message.id, INVALID_REQUEST, ID_IN_USE));
    else if (call === undefined) this.#outbox.put(rpcError(message.id, INVALID_PARAMS, message.envelopeOnly ? TOO_DEEP : NO_NAME));
    else {
      const request = openCall(call);
      this.#requests.add(message.id, request);
      request.handled = handleCall(this.#channel, call);
      const handled = request.handled.finally(() => this.#calls.delete(handled));
      this.#calls.set(handled, request);
    }
  }

  #forwardRequest(message: RequestMessage): void {
    const { upstream, runHandle } = this.#parts;
    upstream.noteClientId(message.id);
    if (this.#requests.get(message.id)?.kind === "call") {
      // It would take the call's place, and the call's reply with it.
      this.#outbox.put(rpcError(message.id, INVALID_REQUEST, ID_IN_USE));
      return;
    }
    if (message.method === "initialize") runHandle.open(message.value["params"] ?? null);
    this.#requests.add(message.id, { kind: "plain", message });
    if (upstream.alive) upstream.forward(message);
    else this.#fail(message, this.#ended ?? "its connection is closed");
  }

  #fail(message: RequestMessage, why: string): void {
    this.#requests.end(message.id);
    this.#outbox.put(rpcError(message.id, INTERNAL_ERROR, `the server ${this.#parts.server} can't answer: ${why}`));
  }

  #forwardAnswer(message: ResponseMessage): void {
    const method = this.#serverRequests.get(message.id);
    if (method === undefined) {
      this.#log("warn", "a reply of the client answers no open request; dropped", message.id);
      return;
    }
    this.#serverRequests.delete(message.id);
    const result = message.value["result"];
    // Undo has to give the server the same roots: what it may touch depends on them.
    if (method === "roots/list" && isJsonObject(result)) void this.#parts.runHandle.describeServer({ roots: result["roots"] ?? null });
    this.#parts.upstream.forward(message);
  }

  /** A call that was cancelled before it was sent is dropped and never answered; a cancellation after that is the server's to know. */
  #dropsCall(params: Json | undefined): boolean {
    const id = isJsonObject(params) ? idKey(params["requestId"]) : undefined;
    const request = id === undefined ? undefined : this.#requests.get(id);
    if (request?.kind !== "call") return false;
    request.cancelled = true;
    request.cancellation.resolve();
    return !request.sent;
  }

  #fromServerResponse(message: ResponseMessage): void {
    const request = this.#requests.get(message.id);
    if (request === undefined || (request.kind === "call" && (!request.sent || request.place !== undefined))) {
      this.#log("warn", "a reply of the server answers no open request; dropped", message.id);
      return;
    }
    if (request.kind === "call") {
      const { promise, resolve } = Promise.withResolvers<Uint8Array>();
      request.place = resolve;
      // What comes after it must not overtake it, and nothing may wait for it for ever.
      this.#outbox.reserve(promise);
      void request.handled?.then(() => resolve(message.bytes)); // does nothing where the place is filled
      request.settle?.(replyFrom(message));
      return;
    }
    this.#requests.end(message.id);
    const { method } = request.message;
    if (method === "tools/list") this.#listed = listedTools(message.value, this.#listed, request.message);
    this.#outbox.put(method === "initialize" ? this.#welcomed(message) : message.bytes);
  }

  #welcomed(message: ResponseMessage): Uint8Array {
    const result = message.value["result"];
    if (isJsonObject(result))
      void this.#parts.runHandle.describeServer({ info: result["serverInfo"] ?? null, process: this.#serverProcess() });
    return withInstructions(message.bytes, message.value);
  }

  #serverProcess(): ProcessIdentity | null {
    const { pid } = this.#parts.upstream;
    return pid === null ? null : (identityOf(pid) ?? null);
  }

  #log(level: "info" | "warn" | "error", text: string, id?: string): void {
    this.#parts.log.log(level, text, { server: this.#parts.server, id });
  }
}
