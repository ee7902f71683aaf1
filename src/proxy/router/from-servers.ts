// What becomes of what a server says on its way to the one client? Requests get ids of ours, task ids their server's name; answers go
// to the request that waits for them; everything else passes as it came.
import { isJsonObject, type Json, parseJson } from "../../core/json.ts";
import { splitBatch } from "../../wire/build.ts";
import { mentions, readEnvelope, readMember } from "../../wire/envelope.ts";
import { type IdKey, parseMessage, type ResponseMessage, type WireMessage } from "../../wire/message.ts";
import { respell, valueAt } from "../../wire/respell.ts";
import { replaceMember } from "../../wire/splice.ts";
import { ERROR_CODES } from "../answers.ts";
import type { AskedRequest } from "./client-requests.ts";
import type { Desk } from "./desk.ts";
import type { Discoverer } from "./discoverer.ts";
import type { Greeter } from "./greeter.ts";
import type { RoutedServer } from "./routed-server.ts";
import { ServerRequests } from "./server-requests.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { markTasks } from "./task-ids.ts";

/** Results above this many bytes aren't searched for the resources that they name. */
const SEARCHED = 256 * 1024;
const STATUS = ["params", "taskId"];
const STATUS_NOTIFICATIONS = ["notifications/tasks/status", "notifications/tasks"];
const TASK_METHODS = ["tasks/get", "tasks/update", "tasks/cancel"];
const ADDRESSES = [
  ["params", "uri"],
  ["params", "ref", "uri"],
];

/** An answer of the client's, as the server that asked is to see it. */
export interface ServerAnswer {
  readonly server: string;
  readonly message: ResponseMessage;
}

/** Who takes what has to do with it. */
export interface FromServersParts {
  readonly greeter: Greeter;
  readonly discoverer: Discoverer;
  readonly subscriptions: Subscriptions;
}

/** The way from the servers to the client. */
export class FromServers {
  readonly #desk: Desk;
  readonly #parts: FromServersParts;
  readonly #requests = new ServerRequests();
  /** Tasks that the client runs, and for which server (2025-11-25, "Tasks": both sides may). */
  readonly #clientTasks = new Map<string, string>();

  constructor(desk: Desk, parts: FromServersParts) {
    this.#desk = desk;
    this.#parts = parts;
  }

  /** Takes a message that a session writes. */
  take(server: RoutedServer, bytes: Uint8Array): void {
    const envelope = readEnvelope(bytes);
    switch (envelope.kind) {
      case "request":
        this.#desk.write(this.#requests.open(server.name, envelope.id, this.#marked(server, bytes)));
        break;
      case "notification":
        this.#notification(server, envelope.method, bytes);
        break;
      case "response":
        this.#response(server, envelope.id, envelope.isError, bytes);
        break;
      case "other":
        this.#other(server, parseMessage(bytes));
    }
  }

  /** Takes the client's answer to a server's request; undefined where none is open. */
  answered(message: ResponseMessage): ServerAnswer | undefined {
    const taskId = valueAt(message.value, ["result", "task", "taskId"]);
    const request = this.#requests.close(message.id, typeof taskId === "string");
    if (request === undefined) return undefined;
    if (typeof taskId === "string") this.#clientTasks.set(taskId, request.server);
    return { server: request.server, message: respell(message, ["id"], parseJson(request.id)) };
  }

  /** Gives for which server the client runs a task. */
  ownerOfTask(taskId: Json | undefined): string | undefined {
    return typeof taskId === "string" ? this.#clientTasks.get(taskId) : undefined;
  }

  /** Gives whose progress token this is, and how that server wrote it. */
  tokenOwner(token: Json | undefined): ReturnType<ServerRequests["tokenOwner"]> {
    return this.#requests.tokenOwner(token);
  }

  /** Forgets what a server had asked: its process is gone. */
  forget(server: RoutedServer): void {
    this.#requests.forget(server.name);
  }

  #other(server: RoutedServer, message: WireMessage): void {
    if (message.kind === "batch") for (const member of splitBatch(message)) this.take(server, member.bytes);
    else this.#drop(server, "what is neither request nor answer");
  }

  #notification(server: RoutedServer, method: string, bytes: Uint8Array): void {
    const marked = this.#marked(server, bytes, STATUS_NOTIFICATIONS.includes(method) ? [STATUS] : []);
    if (this.#parts.subscriptions.notified(server, method, marked)) return;
    if (method === "notifications/cancelled") this.#cancelled(server, bytes);
    else this.#desk.write(marked);
  }

  #cancelled(server: RoutedServer, bytes: Uint8Array): void {
    const path = ["params", "requestId"];
    const id = this.#requests.ownId(server.name, readMember(bytes, path));
    const named = id === undefined ? undefined : replaceMember(bytes, path, new TextEncoder().encode(id));
    if (named === undefined) this.#drop(server, "a cancellation of no request under way");
    else this.#desk.write(this.#marked(server, named));
  }

  #response(server: RoutedServer, id: IdKey, isError: boolean, bytes: Uint8Array): void {
    const { greeter, discoverer, subscriptions } = this.#parts;
    if (greeter.answered(server, id, bytes) || discoverer.answered(server, id, bytes)) return;
    const request = this.#desk.requests.get(id);
    if (request?.kind === "listening") subscriptions.answered(server, id, bytes);
    else if (request?.kind === "gathered") request.gathering.answer(server.name, bytes);
    else if (request?.server !== server) this.#drop(server, "an answer to no open request", id);
    else if (isError && request.rest.length > 0) this.#askNext(request, bytes);
    else {
      this.#desk.requests.end(id);
      if (!isError) this.#noteResources(request, bytes);
      this.#desk.write(this.#marked(server, isError ? better(request.failure, bytes) : bytes, taskPaths(request, bytes)));
    }
  }

  #askNext(request: AskedRequest, failure: Uint8Array): void {
    const [next, ...rest] = request.rest;
    if (next === undefined) return;
    request.failure = better(request.failure, failure);
    request.server = next;
    request.rest = rest;
    this.#desk.send(next, request.message);
  }

  /** Where a server names a resource that it doesn't list, it is the one that has it. */
  #noteResources({ message, server }: AskedRequest, bytes: Uint8Array): void {
    for (const path of ADDRESSES) {
      const asked = valueAt(message.value, path);
      if (typeof asked === "string") this.#desk.owners.noteNamed(server.name, asked);
    }
    if (bytes.length > SEARCHED || !mentions(bytes, '"uri"')) return;
    const content = readMember(bytes, ["result", "content"]);
    for (const block of Array.isArray(content) ? content : []) {
      for (const found of [valueAt(block, ["uri"]), valueAt(block, ["resource", "uri"])])
        if (typeof found === "string") this.#desk.owners.noteNamed(server.name, found);
    }
  }

  #marked(server: RoutedServer, bytes: Uint8Array, paths: readonly (readonly string[])[] = []): Uint8Array {
    return markTasks(bytes, server, paths, (taskId) => this.#clientTasks.get(taskId) === server.name);
  }

  #drop(server: RoutedServer, what: string, id?: string): void {
    this.#desk.log.log("info", `dropped what a server said: ${what}`, { server: server.name, id });
  }
}

/** Where the answer to a request has ids of the server's own tasks (2025-11-25, "Tasks"; the tasks extension of 2026-07-28). */
function taskPaths({ message }: AskedRequest, bytes: Uint8Array): readonly (readonly string[])[] {
  if (isJsonObject(valueAt(message.value, ["params", "task"]))) return [["result", "task", "taskId"]];
  const isTask = TASK_METHODS.includes(message.method) || readMember(bytes, ["result", "resultType"]) === "task";
  return isTask ? [["result", "taskId"]] : [];
}

/** Of two errors the first, unless it only says that the server has no such method. */
function better(first: Uint8Array | undefined, second: Uint8Array): Uint8Array {
  return first === undefined || isUnknownMethod(first) ? second : first;
}

function isUnknownMethod(bytes: Uint8Array): boolean {
  return readMember(bytes, ["error", "code"]) === ERROR_CODES.method;
}
