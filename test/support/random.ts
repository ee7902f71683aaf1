// How does a test choose at random, and the same again for the same seed? The seed is in the message of whatever fails.

/** A generator of choices. */
export interface Chooser {
  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number;
  /** One of the items. */
  of<T>(items: readonly T[]): T;
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean;
}

/** Makes the generator of a seed (mulberry32). */
export function chooserOf(seed: number): Chooser {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
  return {
    below,
    of: (items) => {
      if (items.length === 0) throw new Error("nothing to choose from");
      return items[below(items.length)] as (typeof items)[number];
    },
    chance: (percent) => below(100) < percent,
  };
}

/** Runs a test of one seed; a failure names it. */
export async function withSeed(seed: number, body: (choose: Chooser) => Promise<void>): Promise<void> {
  try {
    await body(chooserOf(seed));
  } catch (error) {
    throw new Error(`with seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** The seeds to test: those that are given, and one that is new each time. SEEDS=1,2 in the environment tests those instead. */
export function seeds(...fixed: readonly number[]): readonly number[] {
  const told = process.env["SEEDS"];
  if (told) return told.split(",").map(Number);
  return [...fixed, Math.floor(Math.random() * 2 ** 31)];
}
