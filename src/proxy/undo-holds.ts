// May a run's changing call begin now? Not while an undo of the run is under way; and an undo begins once the calls under way have come to rest.

/** An undo's hold on a run. */
export interface UndoHold {
  /** Resolves when the calls that were under way have ended, and what they left is recorded. */
  readonly atRest: Promise<void>;
  /** Lets calls begin again, unless another undo is under way. */
  release(): void;
}

/** Who is at work on which run: its own changing calls, or an undo. */
export class UndoHolds {
  readonly #holds = new Map<string, Set<UndoHold>>();
  readonly #calls = new Map<string, Set<Promise<void>>>();

  /** Begins a changing call; gives what ends it, or undefined while an undo of the run is under way. */
  begin(run: string): (() => void) | undefined {
    return (this.#holds.get(run)?.size ?? 0) > 0 ? undefined : this.enter(run);
  }

  /** Begins a step of an undo; gives what ends it. */
  enter(run: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = addTo(this.#calls, run, promise);
    return () => {
      end();
      resolve();
    };
  }

  /** Tells whether neither a changing call of the run nor a step of an undo of it is under way. */
  isAtRest(run: string): boolean {
    return (this.#calls.get(run)?.size ?? 0) === 0;
  }

  /** Holds a run for an undo. */
  hold(run: string): UndoHold {
    const atRest = Promise.all(this.#calls.get(run) ?? []).then(() => undefined);
    const hold: UndoHold = { atRest, release: () => remove() };
    const remove = addTo(this.#holds, run, hold);
    return hold;
  }
}

/** Adds to the set of a key; gives what removes it again. */
function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): () => void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
  return () => {
    set.delete(value);
    if (set.size === 0 && sets.get(key) === set) sets.delete(key);
  };
}
