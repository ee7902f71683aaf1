// What happens to a request for a list? Every server that has such a list gets it, and the client gets one page made of theirs. What
// the lists say (whose a resource is, which names clients won't take) is noted on the way.
import { nameTrouble } from "../../core/client-names.ts";
import { printJson } from "../../core/json.ts";
import { readEnvelope, readMember } from "../../wire/envelope.ts";
import { isModernRequest } from "../../wire/era.ts";
import type { RequestMessage } from "../../wire/message.ts";
import { respell, valueAt } from "../../wire/respell.ts";
import { ERROR_CODES, rpcError } from "../answers.ts";
import { clashText } from "./choose-server.ts";
import { readCursor } from "./cursors.ts";
import type { Desk } from "./desk.ts";
import type { Gathered } from "./gathering.ts";
import { entriesOf, type ListKind, mergePages, type Page } from "./merge-lists.ts";
import type { RoutedServer } from "./routed-server.ts";

const CURSOR = ["params", "cursor"];

/** Asks for lists, and remembers what was said about them. */
export class Lists {
  readonly #desk: Desk;
  /** How long a server may take, in milliseconds. */
  readonly #patience: number;
  readonly #warned = new Set<string>();

  constructor(desk: Desk, patience: number) {
    this.#desk = desk;
    this.#patience = patience;
  }

  ask(message: RequestMessage, kind: ListKind): void {
    const cursor = valueAt(message.value, CURSOR) ?? null;
    const goingOn = typeof cursor === "string" ? readCursor(cursor) : undefined;
    const isModern = isModernRequest(message);
    const { servers, version } = this.#desk;
    const having = servers.filter((server) => server.serves(kind.capability, isModern));
    const requests = having.flatMap((server) => {
      if (goingOn === undefined) return [{ server, message }];
      const own = goingOn.find(([name]) => name === server.name)?.[1];
      return own === undefined ? [] : [{ server, message: respell(message, CURSOR, own) }];
    });
    if (cursor !== null && goingOn === undefined) {
      const text = `this cursor was not given out here: ${printJson(cursor)}`;
      this.#desk.write(rpcError(message.id, ERROR_CODES.params, text));
    } else if (requests.length > 0) {
      this.#desk.askAll(message, requests, this.#patience, (gathered) => this.#merge(message, kind, gathered, goingOn === undefined));
    } else if (goingOn !== undefined || this.#wasAnnounced(kind, isModern)) {
      this.#desk.write(mergePages(message.id, kind, [], { isWhole: false, version })); // those that had any are gone by now, and so is what they had
    } else this.#desk.write(rpcError(message.id, ERROR_CODES.method, `no server behind this entry has ${kind.capability}`));
  }

  #wasAnnounced({ capability }: ListKind, isModern: boolean): boolean {
    return capability === "tools" || this.#desk.servers.some((server) => Object.hasOwn(server.announced(isModern) ?? {}, capability));
  }

  #merge(message: RequestMessage, kind: ListKind, { answers, silent }: Gathered, isFirst: boolean): Uint8Array {
    const pages: Page[] = [];
    let failure: Uint8Array | undefined;
    for (const { server: name, bytes } of answers) {
      const server = this.#desk.server(name);
      const envelope = readEnvelope(bytes);
      if (server !== undefined && envelope.kind === "response" && !envelope.isError) pages.push({ server, bytes });
      else {
        failure ??= bytes;
        this.#desk.log.log("warn", `the server ${name} could not give its ${kind.key}, which are missing from the list`, {
          server: name,
          error: readMember(bytes, ["error", "message"]),
        });
      }
    }
    if (pages.length === 0)
      return failure ?? rpcError(message.id, ERROR_CODES.internal, `no server has answered ${message.method} in time`);
    for (const page of pages) this.#note(kind, page.server, entriesOf(kind, page.bytes).identities, isFirst);
    const isWhole = silent.length === 0 && pages.length === answers.length && !this.#desk.servers.some(({ mayJoin }) => mayJoin);
    return mergePages(message.id, kind, pages, { isWhole, version: this.#desk.version });
  }

  #note(kind: ListKind, server: RoutedServer, identities: readonly string[], isFirst: boolean): void {
    if (kind.key === "tools") for (const tool of identities) this.#noteName(server, tool);
    if (kind.identity !== "uri" && kind.identity !== "uriTemplate") return;
    const { owners } = this.#desk;
    for (const text of owners.noteListed(server.name, kind.identity, identities, isFirst)) {
      const both = kind.identity === "uri" ? owners.ownersOf(text) : owners.ownersOfTemplate(text);
      if (both.kind === "clash") this.#warnOnce(clashText(text, both.servers));
    }
  }

  #noteName(server: RoutedServer, tool: string): void {
    const name = `${server.prefix}${tool}`;
    const trouble = nameTrouble(name);
    if (trouble === undefined) return;
    const what = `the name ${name} ${trouble}, so some clients won't offer this tool`;
    const entry = `Shorten the server's name in the manifest, or give it an entry of its own: synartesis proxy --server ${server.name}`;
    this.#warnOnce(
      `${what}. ${nameTrouble(tool) === undefined ? entry : "So it is by the server's own name for it, which only the server can change"}`,
    );
  }

  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#desk.log.log("warn", text);
  }
}
