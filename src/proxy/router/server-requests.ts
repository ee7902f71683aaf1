// How are the requests that several servers make of one client told apart? Each gets an id of ours, and so does the progress token in
// it; the client's answer and its progress find their way back. Never matches loosely.
import { type Json, printJson } from "../../core/json.ts";
import { readMember } from "../../wire/envelope.ts";
import { type IdKey, idKey } from "../../wire/message.ts";
import { replaceMember } from "../../wire/splice.ts";

const TOKEN = ["params", "_meta", "progressToken"] as const;
const encoder = new TextEncoder();

interface ServerRequest {
  readonly server: string;
  /** The server's own id for it. */
  readonly id: IdKey;
  /** Our token, where it has one. */
  readonly token: number | undefined;
}

/** The requests under way from servers to the client. */
export class ServerRequests {
  readonly #open = new Map<IdKey, ServerRequest>();
  readonly #tokens = new Map<IdKey, { readonly server: string; readonly token: Json }>();
  // From 1: clients are known that take no notice of a cancellation of request 0.
  #next = 1;

  /** Opens a request; gives its bytes as the client is to see them. */
  open(server: string, id: IdKey, bytes: Uint8Array): Uint8Array {
    const own = this.#next++;
    const token = readMember(bytes, TOKEN);
    const hasToken = token !== undefined && token !== null;
    this.#open.set(String(own), { server, id, token: hasToken ? own : undefined });
    const named = replaceMember(bytes, ["id"], encoder.encode(String(own))) ?? bytes;
    if (!hasToken) return named;
    this.#tokens.set(String(own), { server, token });
    return replaceMember(named, TOKEN, encoder.encode(String(own))) ?? named;
  }

  /** Ends the request that the client answers; `keepToken` where its work goes on as a task. Undefined where none is open. */
  close(own: IdKey, keepToken: boolean): ServerRequest | undefined {
    const request = this.#open.get(own);
    this.#open.delete(own);
    if (request?.token !== undefined && !keepToken) this.#tokens.delete(String(request.token));
    return request;
  }

  /** Gives our id of a request that the server names by its own; undefined where it isn't open. */
  ownId(server: string, requestId: Json | undefined): IdKey | undefined {
    const id = idKey(requestId);
    return [...this.#open].findLast(([, request]) => request.server === server && request.id === id)?.[0];
  }

  /** Gives whose progress token this is, and how that server wrote it. */
  tokenOwner(token: Json | undefined): { readonly server: string; readonly token: Json } | undefined {
    return token === undefined ? undefined : this.#tokens.get(printJson(token));
  }

  /** Ends everything that a server had asked: its process is gone, and the next one may use the same ids. */
  forget(server: string): void {
    for (const [own, request] of this.#open) if (request.server === server) this.close(own, false);
    for (const [own, owner] of this.#tokens) if (owner.server === server) this.#tokens.delete(own);
  }
}
