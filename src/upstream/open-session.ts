// How is a server spoken to when there is no client behind us (check, init, undo)? We say hello as the client did, in its era, and answer
// what the server asks. Never claims more than the hello that is given.
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { buildError, buildResult } from "../wire/build.ts";
import { metaOfHello, type RequestMeta, requestMeta, serverInfoOf } from "../wire/era.ts";
import { describeFailure } from "./list-tools.ts";
import type { Answer, Upstream, UpstreamEvents } from "./upstream.ts";

/** How long a server may take to start, in milliseconds: real ones take 8 s and more on their first run. */
const START_TIMEOUT = 60_000;

const METHOD_NOT_FOUND = -32601;

export type OpenedSession =
  | {
      readonly kind: "opened";
      /** The result of initialize or server/discover. */
      readonly result: JsonObject;
      /** Who the server says it is; null where it doesn't. */
      readonly info: Json;
      /** What each further request says of itself in the modern era; undefined in the legacy era. */
      readonly meta: RequestMeta | undefined;
    }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Opens a session. `hello` is the params of initialize (2025-11-25, "Lifecycle"), or of any request of the modern era: then the server is asked
 * who it is by server/discover (2026-07-28). A server that refuses initialize is tried in the modern era, since it may know no other. The reason
 * of a failure has the server's last words.
 */
export async function openSession(upstream: Upstream, hello: JsonObject, options: { timeout?: number } = {}): Promise<OpenedSession> {
  const timeout = options.timeout ?? START_TIMEOUT;
  const meta = metaOfHello(hello);
  if (requestMeta(hello) !== undefined) return opened(upstream, await discover(upstream, meta, timeout), meta, "server/discover");
  const answer = await upstream.request("initialize", hello, { timeout });
  if (answer.kind === "error") {
    const found = await discover(upstream, meta, timeout);
    if (found.kind === "result") return opened(upstream, found, meta, "server/discover");
  }
  const session = opened(upstream, answer, undefined, "initialize");
  if (session.kind === "opened") upstream.notify("notifications/initialized");
  return session;
}

function discover(upstream: Upstream, meta: RequestMeta, timeout: number): Promise<Answer> {
  return upstream.request("server/discover", { _meta: meta }, { timeout });
}

function opened(upstream: Upstream, answer: Answer, meta: RequestMeta | undefined, method: string): OpenedSession {
  if (answer.kind === "result" && isJsonObject(answer.result))
    return { kind: "opened", result: answer.result, info: serverInfoOf(answer.result), meta };
  const what = answer.kind === "result" ? `its answer to ${method} is no object` : describeFailure(answer);
  const words = upstream.lastWords().trim();
  return { kind: "failed", reason: words === "" ? `${what} (it printed nothing)` : `${what}; it printed last:\n${words}` };
}

/** Events for a server without a client behind it: answers ping and roots/list (with the roots given), refuses what else the server asks. */
export function clientlessEvents(roots: readonly Json[] = []): UpstreamEvents {
  return {
    onMessage(message, upstream) {
      if (message.kind !== "request") return;
      if (message.method === "ping") upstream.forward(buildResult(message.id, {}));
      else if (message.method === "roots/list") upstream.forward(buildResult(message.id, { roots }));
      else upstream.forward(buildError(message.id, METHOD_NOT_FOUND, "Method not found"));
    },
    onExit() {
      // Whoever waits for an answer of this server is told by that answer: `ended`.
    },
  };
}
