// Who may touch a resource now? One change at a time per resource key, in the order of asking; within this process.

/** Gives back what was taken; calling it again does nothing. */
export type Release = () => void;

export interface Locks {
  /** Waits for all the keys. Two callers can't wait for each other: a caller queues for all its keys in one step. */
  acquire(keys: readonly string[]): Promise<Release>;
}

/** Makes an empty set of locks. */
export function createLocks(): Locks {
  /** Per key, the end of the last one in the queue. */
  const tails = new Map<string, Promise<void>>();
  return {
    async acquire(keys) {
      const ahead = keys.map((key) => tails.get(key)).filter((tail) => tail !== undefined);
      const { promise: released, resolve } = Promise.withResolvers<void>();
      for (const key of keys) tails.set(key, released);
      if (ahead.length > 0) await Promise.all(ahead);
      return () => {
        for (const key of keys) if (tails.get(key) === released) tails.delete(key);
        resolve();
      };
    },
  };
}
