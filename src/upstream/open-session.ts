// How is a server spoken to when there is no client behind us (check, init, undo)? We say hello as the client did, in its era, and answer
// what the server asks. Never claims more than the hello that is given.
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { buildError, buildResult } from "../wire/build.ts";
import { metaOfHello, type RequestMeta, requestMeta, serverInfoOf } from "../wire/era.ts";
import { describeFailure } from "./list-tools.ts";
import type { Answer, Upstream, UpstreamEvents } from "./upstream.ts";
import type { Witness } from "./witness.ts";

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
 * of a failure has the server's last words, and what the witness of its events has seen.
 */
export async function openSession(
  upstream: Upstream,
  hello: JsonObject,
  options: { timeout?: number; witness?: Witness } = {},
): Promise<OpenedSession> {
  const { timeout = START_TIMEOUT, witness } = options;
  const meta = metaOfHello(hello);
  const isModern = requestMeta(hello) !== undefined;
  const answer = isModern ? undefined : await upstream.request("initialize", hello, { timeout });
  if (answer?.kind === "result" && isJsonObject(answer.result)) {
    upstream.notify("notifications/initialized");
    return { kind: "opened", result: answer.result, info: serverInfoOf(answer.result), meta: undefined };
  }
  if (answer === undefined || answer.kind === "error") {
    const found = await upstream.request("server/discover", { _meta: meta }, { timeout });
    if (found.kind === "result" && isJsonObject(found.result))
      return { kind: "opened", result: found.result, info: serverInfoOf(found.result), meta };
    if (answer === undefined) return { kind: "failed", reason: await whyNot(upstream, "server/discover", found, witness) };
  }
  return { kind: "failed", reason: await whyNot(upstream, "initialize", answer, witness) };
}

async function whyNot(upstream: Upstream, method: string, answer: Answer, witness: Witness | undefined): Promise<string> {
  const ended = answer.kind === "ended" ? await witness?.howItEnded() : undefined;
  const what = answer.kind === "result" ? `its answer to ${method} is no object` : (ended ?? describeFailure(answer));
  const printed = witness?.whatItPrinted() ?? "";
  const words = upstream.lastWords().trim();
  if (words === "") return printed === "" ? `${what} (it printed nothing)` : `${what}${printed.trimEnd()}`;
  return printed.endsWith("\n") ? `${what}${printed}and on stderr last:\n${words}` : `${what}${printed}; it printed last:\n${words}`;
}

/** Events for a server without a client behind it: answers ping and roots/list (with the roots given), refuses what else the server asks. */
export function clientlessEvents(roots: readonly Json[] = [], witness?: Witness): UpstreamEvents {
  return {
    onMessage(message, upstream) {
      witness?.noteMessage(message);
      if (message.kind !== "request") return;
      if (message.method === "ping") upstream.forward(buildResult(message.id, {}));
      else if (message.method === "roots/list") upstream.forward(buildResult(message.id, { roots }));
      else upstream.forward(buildError(message.id, METHOD_NOT_FOUND, "Method not found"));
    },
    onExit(exit) {
      witness?.noteExit(exit);
      // Whoever waits for an answer of this server is told by that answer: `ended`.
    },
  };
}
