// How long may a test take? So long that only what hangs gets there, however busy the machine is. How quick something is, no clock on the wall
// may judge: for that there is the time of the processor.
import { setDefaultTimeout } from "bun:test";

/** As in test/run.sh, for the tests that are run without it. In milliseconds. */
const TEST_LIMIT = 120_000;
/** Less, so that a condition that never holds is named. */
const CONDITION_LIMIT = 60_000;

setDefaultTimeout(TEST_LIMIT);

/** Waits until a condition holds. @throws after a minute, with what was waited for */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + CONDITION_LIMIT;
  for (let asked = performance.now(); !(await condition()); asked = performance.now()) {
    const now = performance.now();
    if (now > deadline) throw new Error(`it never came about that ${what}`);
    // What takes long to be asked is asked less often: it would keep the machine from what is waited for.
    await Bun.sleep(Math.max(5, 3 * (now - asked)));
  }
}

/** Starts to measure; what it gives tells how long a processor has worked for this process since, in milliseconds. Others that keep it busy don't count. */
export function processorTime(): () => number {
  const start = process.cpuUsage();
  return () => process.cpuUsage(start).user / 1000;
}
