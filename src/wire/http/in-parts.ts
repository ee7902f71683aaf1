// How do bytes travel without being copied whole? In parts, as the other side takes them: the runtime copies what it is given.

/** In bytes. */
const PART = 256 * 1024;

/** Gives a stream of the bytes that hands them out in parts, as the reader takes them: what it is given at once, it copies. */
export function inParts(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let rest = bytes;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(rest.subarray(0, PART));
        rest = rest.length > PART ? rest.subarray(PART) : new Uint8Array(0); // a view, however short, would keep all of it
        if (rest.length === 0) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
