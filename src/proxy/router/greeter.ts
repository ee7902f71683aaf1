// How does a client's hello become a session with several servers? All are told it; the client is welcomed once those that answer in
// time have answered. One that is late joins then; one that refuses, or never started, is left out. Nothing waits for it.
import { isJsonObject, type Json, printJson } from "../../core/json.ts";
import { buildNotification } from "../../wire/build.ts";
import { readEnvelope, readMember } from "../../wire/envelope.ts";
import type { IdKey, NotificationMessage, RequestMessage } from "../../wire/message.ts";
import { ERROR_CODES, reasonIn, rpcError } from "../answers.ts";
import type { Desk } from "./desk.ts";
import type { Gathered } from "./gathering.ts";
import type { RoutedServer } from "./routed-server.ts";
import { buildWelcome, CHANGING_LISTS, type Greeting } from "./welcome.ts";

/** What the greeter needs beside the desk. */
export interface GreeterParts {
  /** How long a server may keep the others' welcome waiting, in milliseconds. */
  readonly patience: number;
  /** Called when the client has its answer: what came meanwhile can go on. */
  onWelcome(): void;
}

/** Greets the servers. */
export class Greeter {
  readonly #desk: Desk;
  readonly #parts: GreeterParts;
  #hello: IdKey | undefined;
  #isGreeting = false;
  #isWelcomed = false;
  /** What was said to all, for one that joins late. */
  #initialized: NotificationMessage | undefined;
  #level: RequestMessage | undefined;
  /** The lists that the client knows to change. */
  #told: readonly string[] = [];

  constructor(desk: Desk, parts: GreeterParts) {
    this.#desk = desk;
    this.#parts = parts;
  }

  /** True while the client waits to be welcomed. */
  get isGreeting(): boolean {
    return this.#isGreeting;
  }

  /** Takes the client's initialize. */
  begin(message: RequestMessage): void {
    const { servers, write } = this.#desk;
    const present = servers.filter(({ isThere, phase }) => isThere && phase !== "refused");
    if (this.#isWelcomed || present.length === 0) {
      const error = this.#isWelcomed
        ? rpcError(message.id, ERROR_CODES.request, "this session is initialized already")
        : rpcError(message.id, ERROR_CODES.internal, `no server could be started: ${whyGone(servers)}`);
      write(error);
      return;
    }
    this.#hello = message.id;
    this.#isGreeting = true;
    for (const server of present) server.phase = "greeting";
    const requests = present.map((server) => ({ server, message }));
    this.#desk.askAll(message, requests, this.#parts.patience, (gathered) => this.#welcome(message, gathered));
  }

  /** Takes the client's word that it is ready. */
  initialized(message: NotificationMessage): void {
    this.#initialized = message;
    for (const server of this.#desk.servers) if (server.phase === "ready") this.#desk.send(server, message);
  }

  /** Takes note of the log level that the client wants. */
  setLevel(message: RequestMessage): void {
    this.#level = message;
  }

  /** Reads a server's answer to hello, before anybody else does. Gives true where that is all there is to do: it came late. */
  answered(server: RoutedServer, id: IdKey, bytes: Uint8Array): boolean {
    if (id !== this.#hello || server.phase !== "greeting") return false;
    const envelope = readEnvelope(bytes);
    const result = envelope.kind === "response" && !envelope.isError ? readMember(bytes, ["result"]) : undefined;
    if (!isJsonObject(result)) this.#refused(server, readMember(bytes, ["error", "message"]));
    else {
      server.phase = "ready";
      const { capabilities } = result;
      server.capabilities = isJsonObject(capabilities) ? capabilities : {};
    }
    if (this.#isGreeting) return false;
    if (server.phase === "ready") this.#join(server);
    return true;
  }

  /** Says that a server was started once more, and has been greeted with that. */
  restarted(server: RoutedServer): void {
    if (server.phase === "ready" || server.phase === "fresh") return;
    server.phase = "ready";
    if (this.#isWelcomed) this.changed(server);
  }

  /** Tells the client that what this server has is new, or gone. */
  changed(server: RoutedServer): void {
    if (!this.#isWelcomed) return;
    for (const list of this.#told) {
      if (server.capabilities === undefined || Object.hasOwn(server.capabilities, list))
        this.#desk.write(buildNotification(`notifications/${list}/list_changed`).bytes);
    }
  }

  #refused(server: RoutedServer, said: Json | undefined): void {
    server.phase = "refused";
    const words = typeof said === "string" ? said : "no result";
    const reason = reasonIn(words, server.name);
    server.why = reason === words ? `it answered initialize with ${words}` : reason;
    this.#desk.log.log("error", `the server ${server.name} is left out: ${server.why}`, { server: server.name });
  }

  #join(server: RoutedServer): void {
    this.#desk.log.log("info", `the server ${server.name} has answered late, and joins`, { server: server.name });
    if (this.#level !== undefined && server.serves("logging", false)) this.#desk.send(server, this.#level);
    if (this.#initialized !== undefined) this.#desk.send(server, this.#initialized);
    this.changed(server);
  }

  #welcome(message: RequestMessage, { answers, silent }: Gathered): Uint8Array {
    this.#isGreeting = false;
    queueMicrotask(() => this.#parts.onWelcome());
    const greetings = answers.flatMap(({ server: name, bytes }): readonly Greeting[] => {
      const server = this.#desk.server(name);
      const result = server?.phase === "ready" ? readMember(bytes, ["result"]) : undefined;
      return server !== undefined && isJsonObject(result) ? [{ server, result }] : [];
    });
    if (greetings.length === 0) {
      for (const server of this.#desk.servers) if (server.isThere) server.phase = "fresh"; // the client may try again
      const first = answers[0]?.bytes;
      return first ?? rpcError(message.id, ERROR_CODES.internal, `no server has answered in time: ${silent.join(", ")}`);
    }
    this.#isWelcomed = true;
    const versions = new Set(greetings.map(({ result }) => printJson(result["protocolVersion"] ?? null)));
    if (versions.size > 1)
      this.#desk.log.log("info", "the servers speak different versions of the protocol; the client is told the lowest", {
        versions: [...versions],
      });
    this.#told = CHANGING_LISTS.filter((list) => list === "tools" || greetings.some(({ server }) => server.serves(list, false)));
    return buildWelcome(message.id, greetings, this.#desk.version);
  }
}

function whyGone(servers: readonly RoutedServer[]): string {
  return servers.map(({ name, why }) => `${name}: ${why === "" ? "it is gone" : why}`).join("; ");
}
