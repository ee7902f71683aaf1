// Did it come in time? The one way in which something is waited for that may never come.

/** Waits for a promise, at most `limit` milliseconds; gives whether it came. */
export async function within(limit: number, promise: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<false>();
  const timer = setTimeout(giveUp, limit, false);
  const came = await Promise.race([promise.then(() => true as const), late]);
  clearTimeout(timer);
  return came;
}
