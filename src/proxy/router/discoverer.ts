// Which of the servers speak the modern era (2026-07-28), and what does a client hear that asks for it? All are asked by server/discover, on the
// client's own request or before its first other one. We translate neither era into the other: a server of the wrong one is named, never faked.
import { isJsonObject, type Json, printJson } from "../../core/json.ts";
import { buildError, buildRequest } from "../../wire/build.ts";
import { readEnvelope, readMember } from "../../wire/envelope.ts";
import { META, requestMeta } from "../../wire/era.ts";
import type { IdKey, RequestMessage } from "../../wire/message.ts";
import { valueAt } from "../../wire/respell.ts";
import { ERROR_CODES, reasonIn, rpcError } from "../answers.ts";
import type { Desk } from "./desk.ts";
import { LISTS } from "./merge-lists.ts";
import type { Discovery, RoutedServer } from "./routed-server.ts";
import { buildDiscovery, CHANGING_LISTS } from "./welcome.ts";

const DISCOVER = "server/discover";
/** UnsupportedProtocolVersionError: only a server of the modern era answers so. */
const UNSUPPORTED = -32022;

/** What the discoverer needs beside the desk. */
export interface DiscovererParts {
  /** How long a server may keep the others' answer waiting, in milliseconds. */
  readonly patience: number;
  /** Called with what waited until it was known who speaks what. */
  onKnown(message: RequestMessage): void;
  /** Called for a server of which it has just become known that it speaks the modern era: what it has is new. */
  onModern(server: RoutedServer): void;
}

/** Asks the servers for their era. */
export class Discoverer {
  readonly #desk: Desk;
  readonly #parts: DiscovererParts;
  /** The request under which the servers are being asked, and whether the client waits for an answer to that itself. */
  #asking: { readonly id: IdKey; isClients: boolean } | undefined;
  #waiting: RequestMessage[] = [];
  /** Requests for whose sake the servers were asked: once each. */
  readonly #learned = new WeakSet<RequestMessage>();
  readonly #named = new Set<string>();

  constructor(desk: Desk, parts: DiscovererParts) {
    this.#desk = desk;
    this.#parts = parts;
  }

  /** Takes a request that says who asks. Gives false where the servers that speak its version can be asked. */
  take(message: RequestMessage): boolean {
    if (this.#asking !== undefined) this.#waiting.push(message);
    else if (message.method === DISCOVER) this.#discover(message);
    else if (!this.#learned.has(message) && this.#isAnyUnknown(message)) this.#learn(message);
    else {
      const refusal = this.#refusal(message);
      if (refusal === undefined) return false;
      this.#desk.write(refusal);
    }
    return true;
  }

  /** Drops a request that waits, since it was cancelled. */
  cancel(id: IdKey): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.id !== id);
    for (const server of this.#desk.servers) if (server.askedBy === id) server.askedBy = undefined;
    if (this.#asking?.id === id) this.#release();
  }

  /** Reads a server's answer to server/discover, before anybody else does. Gives true where that is all there is to do: it came late. */
  answered(server: RoutedServer, id: IdKey, bytes: Uint8Array): boolean {
    if (server.askedBy !== id) return false;
    const before = server.discovery;
    const found = discoveryIn(bytes, server.name);
    server.askedBy = undefined;
    server.discovery = found.kind === "failed" && before?.kind === "modern" ? before : found;
    if (found.kind === "modern" && before?.kind !== "modern") queueMicrotask(() => this.#parts.onModern(server));
    if (this.#asking?.id !== id) {
      this.#desk.log.log("info", `the server ${server.name} has answered ${DISCOVER} late`, { server: server.name, era: found.kind });
      return true;
    }
    if (found.kind === "legacy" && this.#asking.isClients) {
      // One is enough to know the answer. What the others speak is waited for only by those who go on in this era.
      this.#asking.isClients = false;
      this.#desk.write(this.#fallback(id));
    }
    return false;
  }

  /** What was known of a server is over: another process answers from here on. */
  forget(server: RoutedServer): void {
    server.discovery = undefined;
    server.askedBy = undefined;
  }

  /** Passes the client's own question on, as it came. */
  #discover(message: RequestMessage): void {
    const { servers, write } = this.#desk;
    const present = servers.filter(({ isThere }) => isThere);
    const asked = present.filter(({ askedBy }) => askedBy === undefined);
    if (present.length === 0) write(rpcError(message.id, ERROR_CODES.internal, `no server could be started: ${whyNone(servers)}`));
    else if (present.some(({ discovery }) => discovery?.kind === "legacy")) write(this.#fallback(message.id));
    else if (asked.length === 0) write(rpcError(message.id, ERROR_CODES.internal, `no server has answered: ${whyNone(servers)}`));
    else this.#ask(message, message, asked);
  }

  /** Asks for the sake of a request that can't be answered before it is known who speaks its version. */
  #learn(message: RequestMessage): void {
    this.#learned.add(message);
    const meta = requestMeta(message.value["params"]) ?? {};
    const unknown = this.#desk.servers.filter((server) => isUnknown(server, message));
    this.#ask(message, buildRequest(message.id, DISCOVER, { _meta: meta }), unknown);
  }

  #ask(message: RequestMessage, question: RequestMessage, servers: readonly RoutedServer[]): void {
    this.#asking = { id: message.id, isClients: question === message };
    for (const server of servers) server.askedBy = message.id;
    const results = (answers: readonly { server: string; bytes: Uint8Array }[]) =>
      new Map(answers.map(({ server, bytes }) => [server, readMember(bytes, ["result"])]));
    this.#desk.askAll(
      message,
      servers.map((server) => ({ server, message: question })),
      this.#parts.patience,
      ({ answers }) => {
        const answer = this.#asking?.isClients === true ? this.#welcome(message, results(answers), answers[0]?.bytes) : undefined;
        if (question !== message) this.#waiting.unshift(message);
        queueMicrotask(() => this.#release());
        return answer;
      },
    );
  }

  #release(): void {
    this.#asking = undefined;
    for (const waiting of this.#waiting.splice(0)) this.#parts.onKnown(waiting);
  }

  #welcome(message: RequestMessage, results: ReadonlyMap<string, Json | undefined>, first: Uint8Array | undefined): Uint8Array {
    const present = this.#desk.servers.filter(({ isThere }) => isThere);
    if (present.some(({ discovery }) => discovery?.kind === "legacy")) return this.#fallback(message.id);
    const modern = present.filter(({ discovery }) => discovery?.kind === "modern");
    if (modern.length === 0) return first ?? rpcError(message.id, ERROR_CODES.internal, "no server has answered in time");
    const refusal = this.#refusal(message);
    if (refusal !== undefined) return refusal;
    const greetings = modern.flatMap((server) => {
      const result = results.get(server.name);
      return isJsonObject(result) ? [{ server, result }] : [];
    });
    const isWhole = !present.some(({ mayJoin }) => mayJoin);
    return buildDiscovery(message.id, greetings, { versions: commonVersions(modern), version: this.#desk.version, isWhole });
  }

  /** By this a client that knows both eras begins with initialize, which servers of both eras understand ("Versioning", compatibility matrix). */
  #fallback(id: IdKey): Uint8Array {
    const legacy = this.#desk.servers.filter(({ isThere, discovery }) => isThere && discovery?.kind === "legacy").map(({ name }) => name);
    const why = `not all servers behind this entry speak this version of the protocol: ${legacy.join(", ")} want to be greeted with initialize`;
    this.#nameOnce("info", `a client asked for the era without sessions and was led back to initialize: ${why}`);
    return rpcError(
      id,
      ERROR_CODES.method,
      `Method not found: ${why}. A server can have an entry of its own: synartesis proxy --server NAME`,
    );
  }

  /** The error for a request that no server can be asked; undefined where some can. Those that can't are named in the log. */
  #refusal(message: RequestMessage): Uint8Array | undefined {
    const { servers } = this.#desk;
    const modern = servers.filter((server) => server.whyNot(true) === undefined);
    if (modern.length === 0) {
      const why = `no server behind this entry can be asked without a session: ${whyNone(servers)}`;
      return rpcError(message.id, ERROR_CODES.request, `${why}. Begin with initialize`);
    }
    const supported = commonVersions(modern);
    const requested = valueAt(message.value, ["params", "_meta", META.version]);
    if (requested === undefined || !supported.some((version) => version === requested))
      return buildError(message.id, UNSUPPORTED, "Unsupported protocol version", { supported, requested: requested ?? null }).bytes;
    for (const server of servers) {
      const why = server.whyNot(true);
      if (why !== undefined) this.#nameOnce("warn", `the server ${server.name} is left out for clients of ${printJson(requested)}: ${why}`);
    }
    return undefined;
  }

  #isAnyUnknown(message: RequestMessage): boolean {
    return this.#desk.servers.some((server) => isUnknown(server, message));
  }

  #nameOnce(level: "info" | "warn", text: string): void {
    if (this.#named.has(text)) return;
    this.#named.add(text);
    this.#desk.log.log(level, text);
  }
}

/** Gives the lists that change as far as a subscription can be told, in this era: some server has them, or may be there again. */
export function changingLists(servers: readonly RoutedServer[]): readonly string[] {
  return CHANGING_LISTS.filter((list) => list === "tools" || servers.some((server) => Object.hasOwn(server.announced(true) ?? {}, list)));
}

/**
 * It wasn't asked, or has only said that it wants another version: this one, as it turns out. One that could not answer is asked again when a
 * list is wanted, in which it would be missing.
 */
function isUnknown(server: RoutedServer, message: RequestMessage): boolean {
  const { discovery, askedBy, isThere } = server;
  if (!isThere || askedBy !== undefined) return false;
  if (discovery?.kind === "failed") return LISTS.has(message.method);
  if (discovery?.kind !== "modern") return discovery === undefined;
  const requested = valueAt(message.value, ["params", "_meta", META.version]);
  return discovery.capabilities === undefined && discovery.versions.some((version) => version === requested);
}

function discoveryIn(bytes: Uint8Array, server: string): Discovery {
  const envelope = readEnvelope(bytes);
  const result = readMember(bytes, ["result"]);
  if (envelope.kind === "response" && !envelope.isError && isJsonObject(result)) {
    const { supportedVersions, capabilities } = result;
    if (Array.isArray(supportedVersions))
      return { kind: "modern", versions: textsIn(supportedVersions), capabilities: isJsonObject(capabilities) ? capabilities : {} };
  }
  const code = readMember(bytes, ["error", "code"]);
  const supported = readMember(bytes, ["error", "data", "supported"]);
  if (code === UNSUPPORTED && Array.isArray(supported)) return { kind: "modern", versions: textsIn(supported), capabilities: undefined };
  const message = readMember(bytes, ["error", "message"]);
  // It says nothing of its era, as a server that has just ended.
  if (code === ERROR_CODES.internal)
    return { kind: "failed", why: typeof message === "string" ? reasonIn(message, server) : "it could not answer" };
  return { kind: "legacy" };
}

function textsIn(values: readonly Json[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}

/** The versions that all of them support, in the order of the first. */
function commonVersions(servers: readonly RoutedServer[]): readonly string[] {
  const [first, ...others] = servers.map(({ discovery }) => (discovery?.kind === "modern" ? discovery.versions : []));
  return (first ?? []).filter((version) => others.every((versions) => versions.includes(version)));
}

function whyNone(servers: readonly RoutedServer[]): string {
  return servers.map((server) => `${server.name}: ${server.whyNot(true) ?? "it is there"}`).join("; ");
}
