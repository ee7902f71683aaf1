// In what order do messages reach the client? In the order in which the server sent them, although an answer may wait for the journal.

/** How long an answer waits for its outcome to be written before it goes out with a warning, in milliseconds. */
export const OUTCOME_WAIT = 2000;

export interface Outbox {
  /** Puts bytes at the end of the line. */
  put(bytes: Uint8Array): void;
  /** Reserves the next place for bytes that are known later; undefined gives it up. */
  reserve(bytes: Promise<Uint8Array | undefined>): void;
}

/** Makes an outbox in front of `write`, which is called once per message, in order. */
export function createOutbox(write: (bytes: Uint8Array) => void): Outbox {
  const line: { known: boolean; bytes: Uint8Array | undefined }[] = [];
  const flush = () => {
    for (let first = line[0]; first?.known; first = line[0]) {
      line.shift();
      if (first.bytes !== undefined) write(first.bytes);
    }
  };
  return {
    put(bytes) {
      if (line.length === 0) write(bytes);
      else line.push({ known: true, bytes });
    },
    reserve(later) {
      const place: (typeof line)[number] = { known: false, bytes: undefined };
      line.push(place);
      void later.then((bytes) => {
        place.known = true;
        place.bytes = bytes;
        flush();
      });
    },
  };
}
