// In what order do messages leave, since each travels in a request of its own? A notification waits for the ones before it, and what asks for
// an answer waits for those too. An answer never waits: a server may hold a notification's response until it has it.

/** How long anything waits for a notification that the server is slow to accept, in milliseconds. */
const PATIENCE = 5_000;
/** So many notifications may wait before whoever produces them has to. */
const MANY = 64;

/** The notifications under way on one connection. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Sends a notification after the ones before it. */
  inOrder(send: () => Promise<void>): void {
    this.#waiting++;
    const before = this.#last;
    this.#last = before.then(async () => {
      await within(send());
      this.#waiting--;
    });
  }

  /** Resolves when every notification so far has been accepted, or has had its time. */
  passed(): Promise<void> {
    return this.#last;
  }

  /** Resolves when not too many notifications wait. */
  drained(): Promise<void> {
    return this.#waiting > MANY ? this.#last : Promise.resolve();
  }
}

async function within(promise: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
