// Which ids do our own requests carry? Of the JSON type that the client uses, from a range that it doesn't reach, never 0, each
// once: so every reply with such an id is ours, however late it comes.
import type { IdKey } from "../wire/message.ts";

/** Gives out ids on one connection and tells ours from the client's. */
export class OwnIds {
  // Real servers decode ids as 32-bit integers, or turn texts into 0: hence the top of that range, and the client's own type.
  readonly #first = 2_147_483_646 - Math.floor(Math.random() * 1_000_000);
  readonly #prefix = `"synartesis-${crypto.randomUUID().slice(0, 8)}-`;
  readonly #clientOpen = new Set<IdKey>();
  #next = this.#first;
  #counter = 0;
  #isText = false;

  /** Notes what type of id the client uses. */
  noteClientId(id: IdKey): void {
    this.#isText = id.startsWith('"');
  }

  /** Notes that a request of the client's is on its way under its own id. */
  open(id: IdKey): void {
    this.#clientOpen.add(id);
  }

  /** Notes that the client's request was answered or cancelled. Tells whether it was open. */
  settle(id: IdKey): boolean {
    return this.#clientOpen.delete(id);
  }

  /** Gives an id that was never used on this connection. */
  issue(): IdKey {
    if (this.#isText) return `${this.#prefix}${++this.#counter}"`;
    while (this.#clientOpen.has(String(this.#next))) this.#next--;
    return String(this.#next--);
  }

  /** Tells whether an id is one that was given out here. Such an id in a request of the client's can't travel as it is. */
  isOurs(id: IdKey): boolean {
    if (id.startsWith('"')) return id.startsWith(this.#prefix);
    const number = Number(id);
    return number <= this.#first && number > this.#next;
  }

  /** Gives the form in which `issue` printed an id (a server may answer 7.0 to 7, which is the same value). */
  static canonical(id: IdKey): IdKey {
    return id.startsWith('"') ? id : String(Number(id));
  }
}
