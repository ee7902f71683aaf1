// Which message is in the body of a POST? Read up to a limit, made one line, since that is how messages go on, and parsed once. Never changes
// anything but white space.
import { oneLine, readWhole } from "../../wire/http/body.ts";
import { parseMessage, type WireMessage } from "../../wire/message.ts";

export type Body =
  | { readonly kind: "message"; readonly message: WireMessage }
  | { readonly kind: "too-long" }
  /** The client went away before its end, or sent nothing for too long. */
  | { readonly kind: "broken" }
  | { readonly kind: "wrong-type" };

/** Reads the body of a request: at most `limit` bytes of it, and as long as something comes every `idle` milliseconds. */
export async function readBody(request: Request, limit: number, idle: number): Promise<Body> {
  const type = request.headers.get("content-type") ?? "";
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (!/^application\/json\s*(;|$)/i.test(type) || encoding.toLowerCase() !== "identity") return { kind: "wrong-type" };
  const said = request.headers.get("content-length");
  if (Number(said ?? Number.NaN) > limit) return { kind: "too-long" };
  const body = await readWhole(request.body, limit, { patience: idle, isUnsaid: said === null });
  if (body.kind !== "whole") return { kind: body.kind };
  // Parsed as it came: a line end inside of a string makes it no JSON.
  const message = parseMessage(body.bytes);
  return { kind: "message", message: { ...message, bytes: oneLine(body.bytes) } };
}
