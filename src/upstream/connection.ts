// Whose is a message on a connection to a server: the client's, or a reply to a request of our own? Routes both over one stream of
// messages. Knows no processes and no policies, and never matches an id loosely.
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { buildError, buildNotification, buildRequest, splitBatch } from "../wire/build.ts";
import type { TooLongLine } from "../wire/lines.ts";
import type { BatchMessage, IdKey, NotificationMessage, RequestMessage, ResponseMessage, WireMessage } from "../wire/message.ts";
import { idKey, MAX_DEPTH, parseMessage } from "../wire/message.ts";
import { replaceMember } from "../wire/splice.ts";
import { type Identified, identify } from "../wire/too-long.ts";
import { OwnIds } from "./own-ids.ts";
import type { Answer, Loss, Outgoing } from "./upstream.ts";

const encoder = new TextEncoder();
const INVALID_REQUEST = -32600;
const CANCELLED = "notifications/cancelled";

/** What a connection needs of the rest. */
export interface ConnectionParts {
  /** Puts a message on the way to the server, with the id that it travels under. False where the server is gone. */
  write(message: Outgoing | BatchMessage): boolean;
  onMessage(message: WireMessage): void | Promise<void>;
  onTooLong(known: Identified, line: TooLongLine): void;
  /** The reply to a request of the client's will not come. */
  onLost?(id: IdKey, loss: Loss): void;
  readonly log: Log;
}

/** Routes the messages of one server. */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #ids = new OwnIds();
  readonly #pending = new Map<IdKey, (answer: Answer) => void>();
  /** Requests of the client's that travel under an id of ours: that id, and the client's own. */
  readonly #substitutes = new Map<IdKey, IdKey>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  noteClientId(id: IdKey): void {
    this.#ids.noteClientId(id);
  }

  /** Sends the client's message; gives whether it was put on its way. */
  forward(message: Outgoing | BatchMessage): boolean {
    if (message.kind === "batch") return this.#forwardBatch(message);
    if (message.kind === "request") return this.#forwardRequest(message);
    if (message.kind === "notification" && message.method === CANCELLED) return this.#forwardCancellation(message);
    return this.#parts.write(message);
  }

  /** Sends a request of ours. A timeout of Infinity waits until the reply or the end of the server. */
  request(method: string, params: JsonObject, timeout: number): Promise<Answer> {
    const id = this.#ids.issue();
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      this.#pending.set(id, (answer) => {
        clearTimeout(timer);
        this.#pending.delete(id);
        resolve(answer);
      });
      if (!this.#parts.write(buildRequest(id, method, params))) return this.#pending.get(id)?.({ kind: "ended" });
      if (Number.isFinite(timeout)) timer = setTimeout(() => this.#giveUp(id, method, timeout), timeout);
    });
  }

  /** Takes a message of the server. */
  receive(message: WireMessage): void | Promise<void> {
    switch (message.kind) {
      case "response":
        return this.#receiveResponse(message);
      case "batch":
        return this.#receiveBatch(message);
      case "strange":
        this.#parts.log.log("info", "passed over what is no JSON-RPC message", { parsed: message.parsed, bytes: message.bytes.length });
        return this.#parts.onMessage(message);
      default:
        return this.#parts.onMessage(message);
    }
  }

  /** Takes a message of the server that was above the size limit; `reply` is the request that it answers, where that is known. */
  receiveTooLong(line: TooLongLine, reply?: IdKey): void {
    const known = reply === undefined ? identify(line) : { id: reply };
    const resolve = known.id !== undefined && known.method === undefined ? this.#pending.get(OwnIds.canonical(known.id)) : undefined;
    if (known.id === undefined || resolve === undefined) {
      this.#parts.onTooLong(this.#asClientKnows(known), line);
      return;
    }
    const message = buildError(known.id, INVALID_REQUEST, `the reply has ${line.length} bytes, more than are taken`);
    resolve({ kind: "error", error: message.value["error"] as Json, message }); // buildError put it there
  }

  /** Gives up a request, by the id that it travels under: its reply will not come. */
  lose(id: IdKey, loss: Loss): void {
    const key = OwnIds.canonical(id);
    const isClients = this.#ids.settle(id) || !this.#ids.isOurs(id);
    const original = isClients ? id : this.#substitutes.get(key);
    this.#substitutes.delete(key);
    if (original !== undefined) this.#parts.onLost?.(original, loss);
    else this.#pending.get(key)?.({ kind: "ended", why: loss.why, sent: loss.sent });
  }

  /** Gives the client's own id of a request by the id that it travels under; undefined where the request is one of ours. */
  clientIdOf(id: IdKey): IdKey | undefined {
    return this.#ids.isOurs(id) ? this.#substitutes.get(OwnIds.canonical(id)) : id;
  }

  /** Answers every request of ours in flight with `ended`. */
  end(): void {
    for (const resolve of [...this.#pending.values()]) resolve({ kind: "ended" });
    this.#substitutes.clear();
  }

  #forwardRequest(message: RequestMessage): boolean {
    if (!this.#ids.isOurs(message.id)) {
      this.#ids.open(message.id);
      return this.#parts.write(message);
    }
    const substitute = this.#ids.issue();
    const bytes = replaceMember(message.bytes, ["id"], encoder.encode(substitute));
    if (bytes === undefined) throw new Error("a request without an id in its bytes");
    this.#substitutes.set(substitute, message.id);
    return this.#parts.write({ ...message, id: substitute, bytes });
  }

  #forwardBatch(batch: BatchMessage): boolean {
    const members = splitBatch(batch).filter((member) => member.kind !== "batch" && member.kind !== "strange");
    const clashes = members.some(
      (member) =>
        (member.kind === "request" && this.#ids.isOurs(member.id)) || (member.kind === "notification" && member.method === CANCELLED),
    );
    if (clashes) return members.map((member) => this.forward(member)).every((sent) => sent);
    for (const member of members) if (member.kind === "request") this.#ids.open(member.id);
    return this.#parts.write(batch);
  }

  #forwardCancellation(message: NotificationMessage): boolean {
    const params = message.value["params"];
    const id = isJsonObject(params) ? idKey(params["requestId"]) : undefined;
    if (id === undefined) return this.#parts.write(message);
    const substitute = [...this.#substitutes].findLast(([, original]) => original === id)?.[0];
    if (substitute === undefined) {
      this.#ids.settle(id);
      return this.#parts.write(message);
    }
    const bytes = replaceMember(message.bytes, ["params", "requestId"], encoder.encode(substitute));
    const mapped = bytes === undefined ? message : parseMessage(bytes);
    return this.#parts.write(mapped.kind === "notification" ? mapped : message);
  }

  #receiveResponse(message: ResponseMessage): void | Promise<void> {
    if (this.#ids.settle(message.id) || !this.#ids.isOurs(message.id)) return this.#parts.onMessage(message);
    const id = OwnIds.canonical(message.id);
    const original = this.#substitutes.get(id);
    if (original !== undefined) {
      this.#substitutes.delete(id);
      const bytes = replaceMember(message.bytes, ["id"], encoder.encode(original));
      return bytes === undefined ? undefined : this.#parts.onMessage(parseMessage(bytes));
    }
    const resolve = this.#pending.get(id);
    if (resolve === undefined) {
      this.#parts.log.log("info", "dropped a second or late reply to a request of our own", { id });
      return;
    }
    resolve(readAnswer(message));
  }

  // A batch goes on as it is, unless one of its elements is for us: then each goes its own way.
  #receiveBatch(batch: BatchMessage): void | Promise<void> {
    const parts = splitBatch(batch);
    if (!parts.some((part) => part.kind === "response" && this.#ids.isOurs(part.id))) {
      for (const part of parts) if (part.kind === "response") this.#ids.settle(part.id);
      return this.#parts.onMessage(batch);
    }
    const waits = parts.map((part) => (part.kind === "batch" ? undefined : this.receive(part))).filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  #giveUp(id: IdKey, method: string, timeout: number): void {
    this.#pending.get(id)?.({ kind: "timeout", milliseconds: timeout });
    // initialize must not be cancelled (2025-11-25, "Cancellation").
    if (method === "initialize") return;
    const params = buildRequest(id, "", {}).value["id"] as Json; // buildRequest put it there
    this.#parts.write(buildNotification(CANCELLED, { requestId: params, reason: "no answer in time" }));
  }

  #asClientKnows(known: Identified): Identified {
    if (known.id === undefined || known.method !== undefined) return known;
    const substitute = OwnIds.canonical(known.id);
    const original = this.#substitutes.get(substitute);
    this.#substitutes.delete(substitute);
    this.#ids.settle(known.id);
    return original === undefined ? known : { id: original };
  }
}

function readAnswer(message: ResponseMessage): Answer {
  const { value } = message;
  if (Object.hasOwn(value, "error")) return { kind: "error", error: value["error"] as Json, message }; // present: just tested
  // Its result wasn't read, and what wasn't read is no null.
  if (message.envelopeOnly) return { kind: "error", error: { code: 0, message: `the answer nests deeper than ${MAX_DEPTH}` }, message };
  return { kind: "result", result: value["result"] as Json, message }; // a response has one of the two
}
