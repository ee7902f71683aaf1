// How are the answers of several servers to one request waited for? Until all have answered, or for so long and no longer: one that
// is silent never keeps the others' answers.

export interface Gathering {
  /** The servers that have not answered. */
  readonly waiting: ReadonlySet<string>;
  /** Takes a server's answer; one that isn't waited for is passed over. */
  answer(server: string, bytes: Uint8Array): void;
  /** Gives it up: nothing is finished any more. */
  stop(): void;
}

/** What `finish` gets: the answers in the order of the servers, and who gave none in time. */
export interface Gathered {
  readonly answers: readonly { readonly server: string; readonly bytes: Uint8Array }[];
  readonly silent: readonly string[];
}

/** Waits for these servers' answers at most `patience` milliseconds; `finish` is called once. With no server it is called at once. */
export function gather(servers: readonly string[], patience: number, finish: (gathered: Gathered) => void): Gathering {
  const waiting = new Set(servers);
  const answers = new Map<string, Uint8Array>();
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    const ordered = servers.flatMap((server) => {
      const bytes = answers.get(server);
      return bytes === undefined ? [] : [{ server, bytes }];
    });
    finish({ answers: ordered, silent: [...waiting] });
  };
  const timer = setTimeout(end, patience);
  if (waiting.size === 0) end();
  return {
    waiting,
    answer(server, bytes) {
      if (isOver || !waiting.delete(server)) return;
      answers.set(server, bytes);
      if (waiting.size === 0) end();
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
