// What happens to each message between one client and one server? Everything is forwarded as it came; a tools/call goes through
// handleCall, the result of initialize or server/discover gets our instructions. Nothing here knows policies or reads a tool's arguments.
import { isJsonObject, type Json } from "../core/json.ts";
import type { Loss, ServerExit } from "../upstream/upstream.ts";
import { hasInnerLineEnd } from "../wire/ambiguity.ts";
import { splitBatch } from "../wire/build.ts";
import { requestMeta } from "../wire/era.ts";
import {
  type BatchMessage,
  type IdKey,
  idKey,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  type WireMessage,
} from "../wire/message.ts";
import type { Identified } from "../wire/too-long.ts";
import { ambiguousError, ERROR_CODES, idInUseError, rpcError, strangeError, tooLongError } from "./answers.ts";
import { batchFault, passesWhole } from "./batches.ts";
import { createCallChannel } from "./call-channel.ts";
import type { CallSession } from "./call-session.ts";
import { fromServer, lostFromServer, serverEnded, tooLongFromServer } from "./from-server.ts";
import { handleCall } from "./handle-call.ts";
import { KnownServer } from "./known-server.ts";
import { type OpenCall, OpenRequests, openCall } from "./open-requests.ts";
import { createOutbox } from "./outbox.ts";
import { Replies } from "./replies.ts";
import { Rounds, rootsGiven } from "./rounds.ts";
import { clientKey } from "./run-handle.ts";
import { failRequest, logSession, type SessionParts, type SessionState } from "./session-state.ts";
import { Tasks } from "./tasks.ts";
import { isAmbiguous, readToolCall } from "./tool-call.ts";

const NO_NAME = "params.name must be the name of a tool";
const TOO_DEEP = "this call nests deeper than can be read for certain, so it was not carried out";

/** One client with one server. */
export class Session {
  readonly #state: SessionState;
  readonly #channel: CallSession;
  readonly #calls = new Map<Promise<void>, OpenCall>();

  constructor(parts: SessionParts) {
    const outbox = createOutbox(parts.write);
    const rounds = new Rounds();
    const requests = new OpenRequests();
    const known = new KnownServer(parts);
    const both = { requests, rounds, known, outbox, replies: new Replies(outbox), tasks: new Tasks() };
    this.#state = { parts, serverRequests: new Map(), ended: undefined, ...both };
    this.#channel = createCallChannel(this.#state);
    parts.runHandle.watchQuiet(
      () => requests.hasCalls(),
      (client) => rounds.abandon(({ meta }) => meta !== undefined && clientKey(meta) === client),
    );
    void known.started();
  }

  /** The roots that the client gave the server last; null where it never asked. */
  get roots(): Json {
    return this.#state.known.roots;
  }

  fromClient(message: WireMessage): void {
    if ("value" in message && isAmbiguous(message)) {
      // Another reader might take it for a tools/call, or for another one than we do: nothing may pass that way.
      this.#refuse("id" in message ? message.id : undefined, ambiguousError("id" in message ? message.id : "null"));
      return;
    }
    switch (message.kind) {
      case "request":
        if (message.method === "tools/call") this.#startCall(message);
        else this.#forwardRequest(message);
        break;
      case "notification":
        this.#forwardNotification(message);
        break;
      case "response":
        this.#forwardAnswer(message);
        break;
      case "batch":
        this.#takeBatch(message);
        break;
      case "strange":
        this.#state.outbox.put(strangeError(message.parsed));
    }
  }

  fromServer(message: WireMessage): void {
    fromServer(this.#state, message);
  }

  /** A message of the client's above the size limit was passed over. */
  tooLongFromClient({ id }: Identified): void {
    this.#state.outbox.put(tooLongError(id, this.#state.parts.maxMessage));
  }

  /** A message of the server's above the size limit was passed over. */
  tooLongFromServer(known: Identified): void {
    tooLongFromServer(this.#state, known);
  }

  /** The reply to one request will not come, although the server is still there. */
  lostFromServer(id: IdKey, loss: Loss): void {
    lostFromServer(this.#state, id, loss);
  }

  /** The server's process or session is gone. */
  serverEnded(exit: ServerExit): void {
    serverEnded(this.#state, exit);
  }

  /** Another process serves from here on: on disk before it gets a call, since undo asks whether the process that got a call still runs. */
  serverRestarted(): Promise<void> {
    this.#state.ended = undefined;
    return this.#state.known.started();
  }

  /** The client has gone: resolves when every call that was received has been settled, or can't be any more; `wanted`: but those that it has cancelled. */
  async settled(which: "all" | "wanted" = "all"): Promise<void> {
    for (;;) {
      this.#state.rounds.abandon(() => true);
      this.#state.tasks.abandon();
      const calls = [...this.#calls].filter(([, request]) => which === "all" || !request.cancelled);
      if (calls.length === 0) return;
      await Promise.race(calls.flatMap(([handled, { cancellation }]) => (which === "all" ? [handled] : [handled, cancellation.promise])));
    }
  }

  #startCall(message: RequestMessage): void {
    const { parts, requests, rounds, known } = this.#state;
    parts.upstream.noteClientId(message.id);
    const call = readToolCall(message);
    if (requests.has(message.id)) {
      this.#refuse(message.id, idInUseError(message.id));
      return;
    }
    if (call === undefined) {
      this.#refuse(message.id, rpcError(message.id, ERROR_CODES.params, message.envelopeOnly ? TOO_DEEP : NO_NAME));
      return;
    }
    if (call.meta !== undefined) parts.runHandle.active(call.meta);
    const request = openCall(call);
    requests.add(message.id, request);
    const round = rounds.take(call);
    if (round !== undefined) {
      request.handled = round.handled;
      const roots = rootsGiven(round, call);
      if (roots !== undefined) known.rooted(roots);
      return;
    }
    request.handled = handleCall(this.#channel, call);
    const handled = request.handled.finally(() => this.#calls.delete(handled));
    this.#calls.set(handled, request);
  }

  #forwardRequest(message: RequestMessage): void {
    if (this.#state.requests.get(message.id)?.kind === "call") {
      this.#refuse(message.id, idInUseError(message.id));
      return;
    }
    const { upstream } = this.#state.parts;
    this.#noteRequest(message);
    if (upstream.alive) upstream.forward(message);
    else this.#fail(message);
  }

  #noteRequest(message: RequestMessage): void {
    const { upstream, runHandle } = this.#state.parts;
    const { params } = message.value;
    const meta = requestMeta(params);
    if (meta !== undefined) runHandle.active(meta);
    if (message.method === "initialize") runHandle.open(params ?? null);
    upstream.noteClientId(message.id);
    this.#state.requests.add(message.id, { kind: "plain", message });
  }

  #fail(message: RequestMessage): void {
    failRequest(this.#state, message, this.#state.ended ?? "its connection is closed");
  }

  #forwardNotification(message: NotificationMessage): void {
    if (message.method === "tools/call")
      logSession(this.#state, "warn", "a tools/call without an id was dropped: nobody could be told what became of it");
    else if (message.method !== "notifications/cancelled" || !this.#dropsCall(message.value["params"]))
      this.#state.parts.upstream.forward(message);
  }

  /** A call that was cancelled before it was sent is dropped and never answered; a cancellation after that is the server's to know. */
  #dropsCall(params: Json | undefined): boolean {
    const id = isJsonObject(params) ? idKey(params["requestId"]) : undefined;
    const request = id === undefined ? undefined : this.#state.requests.get(id);
    if (request?.kind !== "call") return false;
    request.cancelled = true;
    request.cancellation.resolve();
    return !request.sent;
  }

  #forwardAnswer(message: ResponseMessage): void {
    const { parts, serverRequests, known } = this.#state;
    const method = serverRequests.get(message.id);
    if (method === undefined) {
      logSession(this.#state, "warn", "a reply of the client answers no open request; dropped", message.id);
      return;
    }
    serverRequests.delete(message.id);
    const result = message.value["result"];
    if (method === "roots/list" && isJsonObject(result)) known.rooted(result["roots"] ?? null);
    parts.upstream.forward(message);
  }

  #takeBatch(batch: BatchMessage): void {
    const { parts, replies, known, requests } = this.#state;
    const members = splitBatch(batch);
    const fault = batchFault(members, known.version);
    if (fault !== undefined) {
      this.#refuse(undefined, rpcError("null", ERROR_CODES.request, fault));
      return;
    }
    const asked = members.filter((member) => member.kind === "request");
    const isFresh = asked.every(({ id }) => !requests.has(id)) && !members.some((member) => "value" in member && isAmbiguous(member));
    if (isFresh && parts.upstream.alive && parts.upstream.takesBatches && passesWhole(members) && !hasInnerLineEnd(batch.bytes)) {
      for (const request of asked) this.#noteRequest(request);
      parts.upstream.forward(batch);
      return;
    }
    const strange = members.filter((member) => member.kind === "strange" || member.kind === "batch");
    replies.gather(
      asked.map(({ id }) => id),
      strange.map((member) => strangeError(member.kind === "batch" || member.parsed)),
    );
    for (const member of members) if (member.kind !== "strange" && member.kind !== "batch") this.fromClient(member);
  }

  #refuse(id: RequestMessage["id"] | undefined, error: Uint8Array): void {
    if (id === undefined) this.#state.outbox.put(error);
    else this.#state.replies.answer(id, error);
  }
}
