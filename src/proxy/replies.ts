// How do answers reach the client? Each in the place where it came, at most once; those of a batch together, once the last is there
// (JSON-RPC 2.0, section 6).
import { joined } from "../wire/lines.ts";
import type { IdKey } from "../wire/message.ts";
import type { Outbox } from "./outbox.ts";

/** Bytes now or later. */
type Bytes = Uint8Array | Promise<Uint8Array>;

/** The place of an answer among what goes to the client. */
export interface Place {
  /** Puts the answer there, once; nothing the second time. */
  fill(bytes: Bytes): void;
  /** Lets what came after it go out first. Has no effect where answers go out together. */
  giveWay(): void;
}

/** The answers of one batch. */
interface Gathered {
  readonly parts: Uint8Array[];
  readonly open: Set<IdKey>;
}

const encoder = new TextEncoder();
const [OPENING, COMMA, CLOSING] = ["[", ",", "]"].map((text) => encoder.encode(text)) as [Uint8Array, Uint8Array, Uint8Array]; // three in, three out

/** Puts answers into the outbox. */
export class Replies {
  readonly #outbox: Outbox;
  readonly #gathered = new Map<IdKey, Gathered>();

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** Answers the request with this id. */
  answer(id: IdKey, bytes: Uint8Array): void {
    const batch = this.#gathered.get(id);
    if (batch === undefined) this.#outbox.put(bytes);
    else this.#add(batch, id, bytes);
  }

  /** Keeps the place of an answer whose bytes are known later. */
  reserve(id: IdKey): Place {
    const { promise, resolve: fill } = Promise.withResolvers<Uint8Array>();
    const batch = this.#gathered.get(id);
    if (batch !== undefined) {
      void promise.then((bytes) => this.#add(batch, id, bytes));
      return { fill, giveWay: () => undefined };
    }
    const { promise: given, resolve: giveUp } = Promise.withResolvers<undefined>();
    this.#outbox.reserve(Promise.race([given, promise]));
    return {
      fill,
      giveWay: () => {
        giveUp(undefined);
        void promise.then((bytes) => this.#outbox.put(bytes));
      },
    };
  }

  /** Says that no answer follows. */
  none(id: IdKey): void {
    const batch = this.#gathered.get(id);
    if (batch !== undefined) this.#add(batch, id);
  }

  /** Tells whether the answer to this request goes out with others. */
  isGathered(id: IdKey): boolean {
    return this.#gathered.has(id);
  }

  /** Announces a batch: the answers to these ids go out together, with `errors`, the answers to members that have no id. */
  gather(ids: readonly IdKey[], errors: readonly Uint8Array[]): void {
    const batch: Gathered = { parts: [...errors], open: new Set(ids) };
    for (const id of ids) this.#gathered.set(id, batch);
    if (batch.open.size === 0) this.#finish(batch);
  }

  #add(batch: Gathered, id: IdKey, bytes?: Uint8Array): void {
    if (!batch.open.delete(id)) return;
    if (this.#gathered.get(id) === batch) this.#gathered.delete(id);
    if (bytes !== undefined) batch.parts.push(bytes);
    if (batch.open.size === 0) this.#finish(batch);
  }

  #finish({ parts }: Gathered): void {
    if (parts.length === 0) return; // only notifications: nothing is answered
    const members = parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
    this.#outbox.put(joined([OPENING, ...members, CLOSING]));
  }
}
