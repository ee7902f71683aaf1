// Which message is in the body of a POST? Read up to a limit, parsed once, and made one line, since that is how messages go on.
// Never changes anything but white space.
import { parseMessage, type WireMessage } from "../../wire/message.ts";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const ENDED = { done: true, value: undefined } as const;

export type Body =
  /** `line` is the message with a LF at its end; `message.bytes` is a view of it. */
  | { readonly kind: "message"; readonly message: WireMessage; readonly line: Uint8Array }
  | { readonly kind: "too-long" }
  /** The client went away before its end, or sent nothing for too long. */
  | { readonly kind: "broken" }
  | { readonly kind: "wrong-type" };

/** Reads the body of a request: at most `limit` bytes of it, and as long as something comes every `idle` milliseconds. */
export async function readBody(request: Request, limit: number, idle: number): Promise<Body> {
  const type = request.headers.get("content-type") ?? "";
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (!/^application\/json\s*(;|$)/i.test(type) || encoding.toLowerCase() !== "identity") return { kind: "wrong-type" };
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > limit) return { kind: "too-long" };
  const bytes = await gather(request, limit, declared, idle);
  if (!(bytes instanceof Uint8Array)) return bytes;
  const message = parseMessage(bytes.subarray(0, bytes.length - 1));
  makeOneLine(bytes);
  return { kind: "message", message, line: bytes };
}

/** Gives the bytes with a LF after them. */
async function gather(
  request: Request,
  limit: number,
  declared: number,
  idle: number,
): Promise<Uint8Array | Exclude<Body, { kind: "message" }>> {
  let whole = new Uint8Array((Number.isSafeInteger(declared) ? declared : 0) + 1);
  let length = 0;
  const reader = request.body?.getReader();
  const abandoned = Promise.withResolvers<"abandoned">();
  for (;;) {
    const timer = setTimeout(abandoned.resolve, idle, "abandoned");
    // A body that breaks off rejects: its client has gone.
    const next = await Promise.race([reader?.read() ?? ENDED, abandoned.promise]).catch(() => "broken" as const);
    clearTimeout(timer);
    if (typeof next === "string") {
      void reader?.cancel().catch(() => undefined);
      return { kind: "broken" };
    }
    if (next.done) break;
    const chunk = next.value;
    if (length + chunk.length > limit) return { kind: "too-long" };
    if (length + chunk.length >= whole.length) whole = enlarged(whole, length, chunk.length, limit);
    whole.set(chunk, length);
    length += chunk.length;
  }
  whole[length] = LF;
  return whole.subarray(0, length + 1);
}

function enlarged(bytes: Uint8Array, length: number, added: number, limit: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(Math.max((length + added) * 2, 1024), limit) + 1);
  larger.set(bytes.subarray(0, length));
  return larger;
}

/** In JSON a line end can only be white space, so a space in its place means the same. */
function makeOneLine(bytes: Uint8Array): void {
  const last = bytes.length - 1;
  for (const end of [LF, CR]) {
    for (let at = bytes.indexOf(end); at !== -1 && at < last; at = bytes.indexOf(end, at + 1)) bytes[at] = SPACE;
  }
}
