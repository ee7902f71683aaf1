// Which of the client's requests wait for an answer, and of which servers? They keep the client's own ids: to each server there is one
// client, so nothing need be mapped on the way there.
import type { IdKey, RequestMessage } from "../../wire/message.ts";
import type { Gathering } from "./gathering.ts";
import type { RoutedServer } from "./routed-server.ts";

/** One that a single server is to answer. */
export interface AskedRequest {
  readonly kind: "asked";
  readonly message: RequestMessage;
  /** The one that has it now. */
  server: RoutedServer;
  /** Those that are asked in turn where this one answers with an error. */
  rest: readonly RoutedServer[];
  /** The first error, given to the client where nobody has a better answer. */
  failure: Uint8Array | undefined;
  cancelled: boolean;
}

/** One that several servers answer, whose answers become one. */
export interface GatheredRequest {
  readonly kind: "gathered";
  readonly gathering: Gathering;
}

/** A subscription, which ends when its client or its servers want it to. */
export interface ListeningRequest {
  readonly kind: "listening";
}

type OpenRequest = AskedRequest | GatheredRequest | ListeningRequest;

/** The client's requests under way. */
export class ClientRequests {
  readonly #open = new Map<IdKey, OpenRequest>();

  open(id: IdKey, request: OpenRequest): void {
    this.#open.set(id, request);
  }

  get(id: IdKey): OpenRequest | undefined {
    return this.#open.get(id);
  }

  /** Tells whether a new request can't have this id: its answer would be taken for another's. */
  isTaken(id: IdKey): boolean {
    const request = this.#open.get(id);
    return request !== undefined && !(request.kind === "asked" && request.cancelled);
  }

  end(id: IdKey): void {
    this.#open.delete(id);
  }
}
