// How is one subscription of the client's held with several servers (2026-07-28, "Subscriptions")? Each gets the part that is for it; the
// client hears one acknowledgment, first, and then what each of them says. That a server came or went is ours to tell.
import { isJsonObject, type Json, type JsonObject, objectFrom, parseJson } from "../../core/json.ts";
import { buildNotification } from "../../wire/build.ts";
import { readEnvelope, readMember } from "../../wire/envelope.ts";
import { META } from "../../wire/era.ts";
import { type IdKey, idKey, type NotificationMessage, type RequestMessage } from "../../wire/message.ts";
import { respell, valueAt } from "../../wire/respell.ts";
import { clashText } from "./choose-server.ts";
import type { Desk } from "./desk.ts";
import { changingLists } from "./discoverer.ts";
import { type Gathered, type Gathering, gather } from "./gathering.ts";
import type { RoutedServer } from "./routed-server.ts";
import { union } from "./union.ts";

/** The method that opens one. */
export const LISTEN = "subscriptions/listen";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const FILTER = ["params", "notifications"];
const SUBSCRIPTION = ["params", "_meta", META.subscription];

interface Subscription {
  readonly message: RequestMessage;
  /** What is asked of each server, by name. */
  readonly parts: ReadonlyMap<string, RequestMessage>;
  /** The servers that have their part now. */
  readonly held: Set<string>;
  /** The lists of which we tell ourselves that they changed. */
  readonly own: readonly string[];
  /** What came before the client had its acknowledgment; undefined once it has. */
  early: Uint8Array[] | undefined;
  acknowledging: Gathering | undefined;
}

/** The client's subscriptions. */
export class Subscriptions {
  readonly #desk: Desk;
  /** How long a server may keep the acknowledgment waiting, in milliseconds. */
  readonly #patience: number;
  readonly #open = new Map<IdKey, Subscription>();

  constructor(desk: Desk, patience: number) {
    this.#desk = desk;
    this.#patience = patience;
  }

  /** Opens one. */
  open(message: RequestMessage): void {
    const { servers, requests } = this.#desk;
    const filter = valueAt(message.value, FILTER);
    const wanted = isJsonObject(filter) ? filter : {};
    const parts = this.#split(message, wanted);
    const own = changingLists(servers).filter((list) => wanted[`${list}ListChanged`] === true);
    const subscription: Subscription = { message, parts, held: new Set(parts.keys()), own, early: [], acknowledging: undefined };
    requests.open(message.id, { kind: "listening" });
    this.#open.set(message.id, subscription);
    for (const server of servers) {
      const part = parts.get(server.name);
      if (part !== undefined) this.#desk.send(server, part);
    }
    subscription.acknowledging = gather([...parts.keys()], this.#patience, ({ answers }) => this.#acknowledge(subscription, answers));
  }

  /** Ends one that the client cancels. */
  cancel(id: IdKey, message: NotificationMessage): void {
    const subscription = this.#open.get(id);
    if (subscription === undefined) return;
    this.#end(subscription);
    for (const server of this.#desk.servers) if (subscription.held.has(server.name)) this.#desk.send(server, message);
  }

  /** Takes a server's notification, as the client is to see it, if it comes by a subscription or ends one; else gives false. */
  notified(server: RoutedServer, method: string, bytes: Uint8Array): boolean {
    const id = idKey(readMember(bytes, method === "notifications/cancelled" ? ["params", "requestId"] : SUBSCRIPTION));
    const subscription = id === undefined ? undefined : this.#open.get(id);
    if (subscription === undefined || !subscription.held.has(server.name)) {
      if (id === undefined || method === "notifications/cancelled") return false;
      this.#desk.log.log("info", "dropped what a server said: it belongs to no subscription", { server: server.name, method });
      return true;
    }
    if (method === "notifications/cancelled") this.#left(subscription, server, bytes);
    else if (method !== ACKNOWLEDGED) this.#tell(subscription, bytes);
    // A server that was started again acknowledges once more: that is nothing new to the client.
    else if (subscription.early !== undefined) subscription.acknowledging?.answer(server.name, bytes);
    return true;
  }

  /** Takes a server's answer to its part: it ends that. */
  answered(server: RoutedServer, id: IdKey, bytes: Uint8Array): void {
    const subscription = this.#open.get(id);
    if (subscription?.held.has(server.name) === true) this.#left(subscription, server, bytes);
  }

  /** Tells those who want to know it that what this server has is new, or gone. */
  changed(server: RoutedServer): void {
    const announced = server.announced(true);
    for (const subscription of this.#open.values()) {
      const lists = subscription.own.filter((list) => announced === undefined || Object.hasOwn(announced, list));
      for (const list of lists) {
        const meta = { [META.subscription]: parseJson(subscription.message.id) };
        this.#tell(subscription, buildNotification(`notifications/${list}/list_changed`, { _meta: meta }).bytes);
      }
    }
  }

  /** A server was started once more: it knows nothing of what it had been asked. */
  resume(server: RoutedServer): void {
    for (const subscription of this.#open.values()) {
      const part = subscription.parts.get(server.name);
      if (part === undefined || subscription.held.has(server.name)) continue;
      subscription.held.add(server.name);
      this.#desk.send(server, part);
    }
  }

  #tell(subscription: Subscription, bytes: Uint8Array): void {
    if (subscription.early !== undefined) subscription.early.push(bytes);
    else this.#desk.write(bytes);
  }

  /** A server's part is over. The whole is, once nobody is left who would say anything. */
  #left(subscription: Subscription, server: RoutedServer, bytes: Uint8Array): void {
    subscription.held.delete(server.name);
    if (subscription.held.size === 0 && subscription.own.length === 0) {
      this.#end(subscription);
      this.#desk.write(bytes);
      return;
    }
    this.#desk.log.log("info", `the server ${server.name} takes no part in a subscription any more`, {
      server: server.name,
      error: readMember(bytes, ["error", "message"]),
    });
    subscription.acknowledging?.answer(server.name, bytes);
  }

  #end({ message, acknowledging }: Subscription): void {
    acknowledging?.stop();
    this.#open.delete(message.id);
    this.#desk.requests.end(message.id);
  }

  /** The first message of the stream, with all that is honoured. */
  #acknowledge(subscription: Subscription, answers: Gathered["answers"]): void {
    const own = objectFrom(subscription.own.map((list) => [`${list}ListChanged`, true]));
    const notifications = answers.map((answer) => this.#honoured(answer)).reduce(union, own);
    const meta = { [META.subscription]: parseJson(subscription.message.id) };
    this.#desk.write(buildNotification(ACKNOWLEDGED, { _meta: meta, notifications }).bytes);
    const early = subscription.early ?? [];
    subscription.early = undefined;
    for (const bytes of early) this.#desk.write(bytes);
  }

  /** What a server has acknowledged, as the client knows it. */
  #honoured({ server, bytes }: Gathered["answers"][number]): JsonObject {
    const filter = readEnvelope(bytes).kind === "notification" ? readMember(bytes, FILTER) : undefined;
    if (!isJsonObject(filter)) return {};
    const { taskIds } = filter;
    const prefix = this.#desk.server(server)?.prefix ?? "";
    return Array.isArray(taskIds) ? { ...filter, taskIds: taskIds.map((id) => `${prefix}${String(id)}`) } : filter;
  }

  #split(message: RequestMessage, wanted: JsonObject): ReadonlyMap<string, RequestMessage> {
    const parts = new Map<string, RequestMessage>();
    for (const server of this.#desk.servers) {
      if (server.whyNot(true) !== undefined) continue;
      const members = Object.entries(wanted).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
        const own = this.#partOf(server, name, value);
        return own === undefined ? [] : [[name, own]];
      });
      if (members.length > 0) parts.set(server.name, respell(message, FILTER, objectFrom(members)));
    }
    return parts;
  }

  /** What of a member of the filter is this server's; undefined where nothing is. */
  #partOf(server: RoutedServer, name: string, value: Json): Json | undefined {
    if (!Array.isArray(value)) return value;
    const own = name === "taskIds" ? value.flatMap((id) => taskOf(server, id)) : value.filter((uri) => this.#mayHave(server, name, uri));
    return own.length === 0 ? undefined : own;
  }

  /** Of a resource that no server is known to have, any may tell that it changed. */
  #mayHave(server: RoutedServer, name: string, uri: Json): boolean {
    if (name !== "resourceSubscriptions" || typeof uri !== "string") return true;
    const owners = this.#desk.owners.ownersOf(uri);
    if (owners.kind === "clash" && owners.servers[0] === server.name)
      this.#desk.log.log("warn", `not watched: ${clashText(uri, owners.servers)}`);
    if (owners.kind === "one") return owners.server === server.name;
    return owners.kind === "unknown" && server.serves("resources", true);
  }
}

function taskOf({ prefix }: RoutedServer, id: Json): readonly string[] {
  return typeof id === "string" && id.startsWith(prefix) ? [id.slice(prefix.length)] : [];
}
