// Connects to a test's server at a URL, and ends the connection afterwards.
import { afterEach } from "bun:test";
import type { HttpPlace } from "../../../src/upstream/http/http-client.ts";
import { type HttpStart, startHttpServer } from "../../../src/upstream/http/start-http.ts";
import type { Loss, ServerExit, Upstream } from "../../../src/upstream/upstream.ts";
import { type NotificationMessage, parseMessage, type WireMessage } from "../../../src/wire/message.ts";
import type { TestHttp } from "../../support/http-server.ts";
import { clientRequest, until } from "../fixture.ts";

const started: Upstream[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((upstream) => upstream.close({ grace: 500 })));
});

export interface Connected {
  readonly upstream: Upstream;
  readonly messages: WireMessage[];
  readonly lost: { readonly id: string; readonly loss: Loss }[];
  readonly logged: string[];
  readonly exits: ServerExit[];
  /** Sends a client's request as this exact text, and waits for what comes of it. */
  ask(text: string): Promise<WireMessage | Loss>;
}

/** Connects; with `initialize`, the session is open when this resolves. */
export async function connect(
  server: TestHttp | URL,
  options: Partial<Omit<HttpStart, "place">> & { place?: Partial<HttpPlace>; initialize?: boolean } = {},
): Promise<Connected> {
  const messages: WireMessage[] = [];
  const lost: Connected["lost"] = [];
  const logged: string[] = [];
  const exits: ServerExit[] = [];
  const { place, initialize, ...more } = options;
  const upstream = startHttpServer({
    name: "odd",
    log: { log: (_level, message) => void logged.push(message) },
    events: {
      onMessage: (message) => void messages.push(message),
      onLost: (id, loss) => void lost.push({ id, loss }),
      onExit: (exit) => void exits.push(exit),
    },
    ...more,
    place: { url: server instanceof URL ? server : server.url, headers: {}, ...place },
  });
  started.push(upstream);
  const ask = async (text: string) => {
    const request = clientRequest(text);
    upstream.forward(request);
    const answer = () => messages.find((message) => message.kind === "response" && message.id === request.id);
    const loss = () => lost.find(({ id }) => id === request.id)?.loss;
    await until(() => answer() !== undefined || loss() !== undefined);
    return (answer() ?? loss()) as WireMessage | Loss; // one of them is there: just waited for
  };
  const connected = { upstream, messages, lost, logged, exits, ask };
  if (initialize !== false) {
    await ask('{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}');
    upstream.forward(notification('{"jsonrpc":"2.0","method":"notifications/initialized"}'));
    messages.length = 0;
  }
  return connected;
}

/** A notification as a client sends it. */
export function notification(text: string): NotificationMessage {
  const message = parseMessage(new TextEncoder().encode(text));
  if (message.kind !== "notification") throw new Error(`no notification: ${text}`);
  return message;
}
