// Who may touch a resource now? One change at a time per resource key, in the order of asking: first within this process, then among all
// that write the same journal. Nobody waits for ever: whoever asks stands in line for all its keys in one step.
import type { Journal, Lease } from "../journal/journal.ts";

/** Gives back what was taken, and is not waited for; calling it again does nothing. */
export type Release = () => void;

export interface Locks {
  /**
   * Waits for all the keys. Once `cancelled` resolves it gives up and resolves without them, so whoever passes that has to look.
   * @throws SynartesisError journal-* if the keys can't be asked for in the journal
   */
  acquire(keys: readonly string[], cancelled?: Promise<void>): Promise<Release>;
}

/** How often it is looked whether another process has let go, in milliseconds: soon at first, then ever more rarely. */
const LOOKS = { first: 1, growth: 1.5, last: 50 };

/** When it is tried again to give back what couldn't be, in milliseconds. */
const AGAIN = 1000;

/** Makes an empty set of locks. */
export function createLocks(journal: Pick<Journal, "lease" | "isFirst" | "release">): Locks {
  /** Per key, the end of the last one in the queue of this process. */
  const tails = new Map<string, Promise<void>>();
  return {
    async acquire(keys, cancelled) {
      if (keys.length === 0) return () => undefined;
      let isCancelled = false;
      void cancelled?.then(() => {
        isCancelled = true;
      });
      const { ahead, leave } = queueUp(tails, keys);
      if (ahead !== undefined) await (cancelled === undefined ? ahead : Promise.race([ahead, cancelled]));
      if (isCancelled) {
        void ahead?.then(leave); // who stands behind it still waits for who stands before it
        return () => undefined;
      }
      let lease: Lease | undefined;
      const release = () => {
        leave();
        if (lease !== undefined) giveBack(journal, lease);
        lease = undefined;
      };
      try {
        lease = await journal.lease(keys);
        if (!lease.isFirst) await untilFirst(journal, lease, () => isCancelled);
        return release;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/** Stands in the queues of this process; `ahead` resolves when it is its turn, and is undefined where it is at once. */
function queueUp(tails: Map<string, Promise<void>>, keys: readonly string[]): { ahead: Promise<unknown> | undefined; leave: () => void } {
  const before = keys.map((key) => tails.get(key)).filter((tail) => tail !== undefined);
  const { promise: released, resolve } = Promise.withResolvers<void>();
  for (const key of keys) tails.set(key, released);
  const leave = () => {
    for (const key of keys) if (tails.get(key) === released) tails.delete(key);
    resolve();
  };
  return { ahead: before.length > 0 ? Promise.all(before) : undefined, leave };
}

async function untilFirst(journal: Pick<Journal, "isFirst">, lease: Lease, isCancelled: () => boolean): Promise<void> {
  let pause = LOOKS.first;
  while (!isCancelled() && !(await journal.isFirst(lease))) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * LOOKS.growth, LOOKS.last);
  }
}

/** As long as it isn't given back, nobody else gets it while this process lives. */
function giveBack(journal: Pick<Journal, "release">, lease: Lease): void {
  journal.release(lease).catch(() => setTimeout(giveBack, AGAIN, journal, lease).unref());
}
