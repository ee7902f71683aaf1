// What stands between one client and the sessions of several servers? Each session sees one client, the client sees one server. Ids,
// names and the like are mapped by changing these places in the bytes; what needs no mapping passes as it came.
import type { Log } from "../../core/log.ts";
import { buildResult, splitBatch } from "../../wire/build.ts";
import { readEnvelope } from "../../wire/envelope.ts";
import { isModernRequest, META } from "../../wire/era.ts";
import { idKey, type NotificationMessage, type RequestMessage, type ResponseMessage, type WireMessage } from "../../wire/message.ts";
import { respell, valueAt } from "../../wire/respell.ts";
import type { Identified } from "../../wire/too-long.ts";
import { ambiguousError, ERROR_CODES, idInUseError, rpcError, strangeError, tooLongError } from "../answers.ts";
import { isAmbiguous } from "../tool-call.ts";
import { chooseServer } from "./choose-server.ts";
import { Desk } from "./desk.ts";
import { Discoverer } from "./discoverer.ts";
import { FromServers } from "./from-servers.ts";
import { Greeter } from "./greeter.ts";
import { Lists } from "./lists.ts";
import { LISTS } from "./merge-lists.ts";
import { RoutedServer } from "./routed-server.ts";
import { LISTEN, Subscriptions } from "./subscriptions.ts";

export interface RouterParts {
  /** The servers' names, in the order of the manifest. */
  readonly servers: readonly string[];
  readonly log: Log;
  /** Writes one message to the client. */
  readonly write: (bytes: Uint8Array) => void;
  /** Our own version. */
  readonly version: string;
  /** Bytes. */
  readonly maxMessage: number;
  /** How long a server may keep the others' welcome waiting, in milliseconds. */
  readonly helloPatience: number;
  /** How long a server may keep the others' lists waiting, in milliseconds. */
  readonly listPatience: number;
}

const NO_META = `params._meta must have "${META.version}" and "${META.clientCapabilities}"`;

/** One client with several servers. */
export class Router {
  readonly #parts: RouterParts;
  readonly #desk: Desk;
  readonly #greeter: Greeter;
  readonly #discoverer: Discoverer;
  readonly #subscriptions: Subscriptions;
  readonly #lists: Lists;
  readonly #fromServers: FromServers;
  /** What the client said before it was welcomed. */
  #early: (RequestMessage | NotificationMessage)[] = [];

  constructor(parts: RouterParts) {
    const { servers, ...rest } = parts;
    this.#parts = parts;
    this.#desk = new Desk({ servers: servers.map((name) => new RoutedServer(name)), ...rest });
    this.#lists = new Lists(this.#desk, parts.listPatience);
    this.#greeter = new Greeter(this.#desk, {
      patience: parts.helloPatience,
      onWelcome: () => {
        for (const message of this.#early.splice(0)) this.fromClient(message);
      },
    });
    this.#subscriptions = new Subscriptions(this.#desk, parts.listPatience);
    this.#discoverer = new Discoverer(this.#desk, {
      patience: parts.helloPatience,
      onKnown: (message) => this.fromClient(message),
      onModern: (server) => this.#subscriptions.changed(server),
    });
    this.#fromServers = new FromServers(this.#desk, {
      greeter: this.#greeter,
      discoverer: this.#discoverer,
      subscriptions: this.#subscriptions,
    });
  }

  /** Joins a server: `receive` takes the client's messages to it. */
  join(name: string, receive: (message: WireMessage) => void): void {
    this.#server(name).receive = receive;
  }

  /** Takes a message of the client. */
  fromClient(message: WireMessage): void {
    if ("value" in message && isAmbiguous(message)) {
      this.#desk.write(ambiguousError("id" in message ? message.id : "null"));
      return;
    }
    switch (message.kind) {
      case "batch":
        for (const member of splitBatch(message)) this.fromClient(member);
        break;
      case "strange":
        this.#desk.write(strangeError(message.parsed));
        break;
      case "response":
        this.#answer(message);
        break;
      default:
        if (this.#greeter.isGreeting && message.method !== "notifications/cancelled" && message.method !== "ping")
          this.#early.push(message);
        else if (message.kind === "request") this.#request(message);
        else this.#notify(message);
    }
  }

  /** A message of the client's above the size limit was passed over. */
  tooLongFromClient({ id }: Identified): void {
    this.#desk.write(tooLongError(id, this.#parts.maxMessage));
  }

  /** Takes what a server's session writes to its client. */
  fromServer(name: string, bytes: Uint8Array): void {
    this.#fromServers.take(this.#server(name), bytes);
  }

  /** A server's process is gone. `why` is undefined where it is being started once more. */
  serverEnded(name: string, why: string | undefined): void {
    const server = this.#server(name);
    this.#fromServers.forget(server);
    this.#discoverer.forget(server);
    if (why === undefined) return;
    server.why = why;
    if (server.phase === "gone") return;
    server.phase = "gone";
    this.#desk.owners.forget(name);
    this.#greeter.changed(server);
    this.#subscriptions.changed(server);
  }

  /** A server was started once more, and told the client's hello. */
  serverRestarted(name: string): void {
    this.#greeter.restarted(this.#server(name));
    this.#subscriptions.resume(this.#server(name));
  }

  #server(name: string): RoutedServer {
    const server = this.#desk.server(name);
    if (server === undefined) throw new TypeError(`no server ${name} is behind this router`);
    return server;
  }

  #request(message: RequestMessage): void {
    const list = LISTS.get(message.method);
    if (this.#desk.requests.isTaken(message.id)) this.#desk.write(idInUseError(message.id));
    else if (isModernRequest(message) && this.#discoverer.take(message)) return;
    else if (list !== undefined) this.#lists.ask(message, list);
    else if (message.method === "initialize") this.#greeter.begin(message);
    // It asks whether this connection lives: a server that doesn't must not be the answer.
    else if (message.method === "ping") this.#desk.write(buildResult(message.id, {}).bytes);
    else if (message.method === "server/discover") this.#desk.write(rpcError(message.id, ERROR_CODES.params, NO_META));
    else if (message.method === LISTEN && isModernRequest(message)) this.#subscriptions.open(message);
    else if (message.method === "logging/setLevel") this.#setLevel(message);
    else this.#ask(message);
  }

  #ask(message: RequestMessage): void {
    const { write, servers, owners } = this.#desk;
    const choice = chooseServer(message, servers, owners);
    if (choice.kind === "none") write(rpcError(message.id, choice.code, choice.text));
    else this.#desk.ask(choice.message, choice.servers);
  }

  #setLevel(message: RequestMessage): void {
    const logging = this.#desk.servers.filter((server) => server.serves("logging", false));
    this.#greeter.setLevel(message);
    if (logging.length === 0) {
      this.#desk.write(rpcError(message.id, ERROR_CODES.method, "no server behind this entry has logging"));
      return;
    }
    const requests = logging.map((server) => ({ server, message }));
    this.#desk.askAll(message, requests, this.#parts.listPatience, ({ answers }) => {
      const refused = answers.find(({ bytes }) => isError(bytes));
      const taken = answers.find(({ bytes }) => !isError(bytes));
      return (taken ?? refused)?.bytes ?? rpcError(message.id, ERROR_CODES.internal, "no server has answered in time");
    });
  }

  #notify(message: NotificationMessage): void {
    if (message.method === "notifications/initialized") this.#greeter.initialized(message);
    else if (message.method === "notifications/cancelled") this.#cancel(message);
    else if (message.method === "notifications/progress") this.#progress(message);
    else {
      const owner = this.#fromServers.ownerOfTask(valueAt(message.value, ["params", "taskId"]));
      const present = this.#desk.servers.filter((server) => server.isThere);
      for (const server of present) if ((owner ?? server.name) === server.name) this.#desk.send(server, message);
    }
  }

  /** A cancellation goes to where its request is, and nowhere else. */
  #cancel(message: NotificationMessage): void {
    const id = idKey(valueAt(message.value, ["params", "requestId"]));
    const request = id === undefined ? undefined : this.#desk.requests.get(id);
    this.#early = this.#early.filter((early) => early.kind !== "request" || early.id !== id);
    if (id !== undefined) this.#discoverer.cancel(id);
    if (id === undefined || request === undefined) this.#drop("a cancellation of no request under way", id);
    else if (this.#greeter.isGreeting)
      this.#drop("a cancellation of initialize, which can't be cancelled", id); // 2025-11-25, "Cancellation"
    else if (request.kind === "listening") this.#subscriptions.cancel(id, message);
    else if (request.kind === "asked") {
      request.cancelled = true;
      request.rest = [];
      this.#desk.send(request.server, message);
    } else {
      const waiting = this.#desk.servers.filter((server) => request.gathering.waiting.has(server.name));
      request.gathering.stop();
      this.#desk.requests.end(id);
      for (const server of waiting) this.#desk.send(server, message);
    }
  }

  #progress(message: NotificationMessage): void {
    const path = ["params", "progressToken"];
    const owner = this.#fromServers.tokenOwner(valueAt(message.value, path));
    if (owner === undefined) this.#drop("progress of no request under way");
    else this.#desk.send(this.#server(owner.server), respell(message, path, owner.token));
  }

  #answer(message: ResponseMessage): void {
    const answer = this.#fromServers.answered(message);
    if (answer === undefined) this.#drop("an answer to no open request", message.id);
    else this.#desk.send(this.#server(answer.server), answer.message);
  }

  #drop(what: string, id?: string): void {
    this.#desk.log.log("debug", `dropped what the client said: ${what}`, { id });
  }
}

function isError(bytes: Uint8Array): boolean {
  const envelope = readEnvelope(bytes);
  return envelope.kind !== "response" || envelope.isError;
}
