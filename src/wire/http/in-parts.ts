// How do bytes travel without being copied whole? In parts, as the other side takes them: the runtime copies what it is given.

/** In bytes. */
const PART = 256 * 1024;

/** Gives a stream of the bytes, which may be in several pieces, that hands them out in parts, as the reader takes them: what it is given at once, it copies. */
export function inParts(...bytes: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = bytes.shift() ?? new Uint8Array(0); // a view that is kept, however short, would keep all of it
        if (piece.length > PART) bytes.unshift(piece.subarray(PART));
        controller.enqueue(piece.subarray(0, PART));
        if (bytes.length === 0) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
