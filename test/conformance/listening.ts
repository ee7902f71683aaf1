// How is a process started that says `listening on URL` on stderr, as the fixtures and the proxy do? Ended with whoever started it.

/** A process that listens. */
export interface Listening extends AsyncDisposable {
  readonly url: string;
}

/** Starts it and waits until it listens. @throws with what it said, where it ends instead */
export async function startListening(
  words: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Listening> {
  const child = Bun.spawn([...words], { ...options, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const decoder = new TextDecoder();
  const found = Promise.withResolvers<string>();
  let said = "";
  const reading = (async () => {
    for await (const chunk of child.stderr) {
      said += decoder.decode(chunk, { stream: true });
      const url = /^listening on (http:\S+)$/m.exec(said)?.[1];
      if (url !== undefined) found.resolve(url);
    }
    found.reject(new Error(`${words.join(" ")} ended: ${said}`));
  })();
  const stop = async () => {
    child.kill("SIGTERM");
    await Promise.all([reading, child.exited]);
  };
  return { url: await found.promise, [Symbol.asyncDispose]: stop };
}
