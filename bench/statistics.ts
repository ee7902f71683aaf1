// How are many noisy figures made into one? By medians, with the smallest and the largest beside it. Never by means: one pause of the
// machine would move them.

/** Gives the middle value; of an even number the mean of the two in the middle. @throws where there is none */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) throw new RangeError("there is no median of nothing");
  return (low + high) / 2;
}

/** Gives the value that so many percent of the values don't exceed. @throws where there is none */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.ceil((sorted.length * percent) / 100) - 1];
  if (found === undefined) throw new RangeError("there is no percentile of nothing");
  return found;
}

/** A median with the range of what it stands for. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Gives the median and the range of the rounds' values. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** What one kind of measurement gave: for each of the ways one value per round, in the order of the rounds. */
export interface Rounds {
  readonly direct: readonly number[];
  readonly relay: readonly number[];
  readonly proxy: readonly number[];
}

/** Gives, per round, what a way costs beyond going directly. */
export function addedBy(way: "relay" | "proxy", rounds: Rounds): readonly number[] {
  return rounds[way].map((time, round) => time - (rounds.direct[round] ?? Number.NaN));
}

/** Gives how many times the cost that the relay adds the proxy adds, by the medians of both: in a single round the relay's cost drowns in noise. */
export function relaysOf(rounds: Rounds): number {
  return median(addedBy("proxy", rounds)) / median(addedBy("relay", rounds));
}
