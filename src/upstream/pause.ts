// How long until the next try? Longer after each failure, never without end, and over at once when there is nothing left to wait for.

const LONGEST = 30_000;
const SHORTEST = 10;

/** Waits as long as the server asked for (milliseconds), doubled for each failure in a row, at most 30 s then; resolves at once when aborted. */
export function pause(asked: number, failures: number, signal: AbortSignal): Promise<void> {
  const wait = failures === 0 ? asked : Math.min(asked * 2 ** failures, Math.max(LONGEST, asked));
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(wait, SHORTEST));
    signal.addEventListener("abort", end, { once: true });
  });
}
