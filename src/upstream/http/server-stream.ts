// What does a server say of its own accord? The stream that a GET opens (MCP 2025-03-26 to 2025-11-25, "Listening for Messages"), taken up
// again each time it ends. A server that has none is as good as any other.
import { readEvents } from "../../wire/http/body.ts";
import { pause } from "../pause.ts";
import { type HttpClient, letGo } from "./http-client.ts";
import { isEventStream, type Receiver } from "./replies.ts";

export interface ServerStreamParts {
  readonly http: HttpClient;
  /** The headers of the session. */
  readonly headers: Readonly<Record<string, string>>;
  readonly receiver: Receiver;
  readonly signal: AbortSignal;
  /** The server, which had given us a stream, gives us none any more: it may not know the session. */
  onRefused(status: number): void;
}

/** How long to wait before a reconnection where the server doesn't say, in milliseconds. */
export const DEFAULT_RETRY = 1000;

/** Follows the stream until the signal ends it or the server has none. Never rejects. */
export async function followServerStream({ http, headers, receiver, signal, onRefused }: ServerStreamParts): Promise<void> {
  let lastEventId: string | undefined;
  let retry = DEFAULT_RETRY;
  let failures = 0;
  let worked = false;
  while (!signal.aborted) {
    const resumed = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const answer = await http.send({ method: "GET", headers: { ...headers, ...resumed, accept: "text/event-stream" }, signal });
    if (answer.kind === "response" && isEventStream(answer.response) && answer.response.body !== null) {
      worked = true;
      failures = 0;
      const end = await readEvents(answer.response.body, {
        limit: receiver.maxMessage,
        onMessage: (message) => receiver.receive(message),
        onTooLong: (line) => receiver.receiveTooLong(line),
        onRetry: (milliseconds) => {
          retry = milliseconds;
        },
      });
      lastEventId = end.lastEventId ?? lastEventId;
    } else {
      failures++;
      if (answer.kind === "response") letGo(answer.response);
      const status = answer.kind === "response" ? answer.response.status : 503;
      // Anything but a passing trouble: there is no such stream (405), or another one is open already (409).
      if (status < 500 && status !== 429 && status !== 408) {
        if (worked && !signal.aborted) onRefused(status);
        return;
      }
    }
    await pause(retry, failures, signal);
  }
}
