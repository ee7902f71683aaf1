// How do many processes share one database without blocking their event loops? By trying again a little later, each at its own
// random moment. Never waits inside SQLite for longer than a few milliseconds.
import { isBusy } from "./failures.ts";

/** How long SQLite itself may wait for a lock, in milliseconds; the event loop stands still meanwhile. */
export const LOCK_WAIT = 2;

/** How long a busy database is tried for before that is an error, in milliseconds. */
export const PATIENCE = 30_000;

/** Calls `attempt` until it doesn't fail by a busy database. @throws whatever else it throws, or the last busy error after `limit` ms */
export async function patiently<T>(attempt: () => T, limit: number = PATIENCE): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      const waited = performance.now() - start;
      if (!isBusy(error) || waited >= limit) throw error;
      // Who has waited longer asks more often, so that nobody starves among many.
      await delay(Math.random() * (waited < 100 ? 8 : waited < 1000 ? 4 : 2));
    }
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
