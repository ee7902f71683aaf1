// How is a moment told to a person? How long ago, and the local clock. Pure but for the time zone of the machine.
const STEPS = [
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
] as const;

/** Gives a length of time in its largest whole unit, such as `5m`; milliseconds in. */
export function span(milliseconds: number): string {
  const length = Math.max(0, milliseconds);
  const [unit, size] = STEPS.findLast(([, step]) => length >= step) ?? STEPS[0];
  return `${Math.floor(length / size)}${unit}`;
}

/** Rounded, and in hours up to two days: what was given a day a moment ago ends "in 24h". */
function spanAhead(milliseconds: number): string {
  const [unit, size] = STEPS.findLast(([name, step]) => milliseconds >= (name === "d" ? 2 * step : step)) ?? STEPS[0];
  return `${Math.max(1, Math.round(milliseconds / size))}${unit}`;
}

/** Gives how long ago a moment was: `just now`, `5m ago`; or `in 5m`. */
export function ago(moment: number, now: number): string {
  if (moment > now) return `in ${spanAhead(moment - now)}`;
  return now - moment < 1000 ? "just now" : `${span(now - moment)} ago`;
}

/** Gives the local date and time, such as `2026-03-01 14:05:09`. */
export function localTime(moment: number): string {
  const date = new Date(moment);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${localClock(moment)}`;
}

/** Gives the local time of day, such as `14:05:09`. */
export function localClock(moment: number): string {
  const date = new Date(moment);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((number) => String(number).padStart(2, "0")).join(":");
}
