// How is a server spoken to when there is no client behind us (check, init, undo)? We say hello as the client did, and answer what the
// server asks. Never claims more than the hello that is given.
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { buildError, buildResult } from "../wire/build.ts";
import { describeFailure } from "./list-tools.ts";
import type { Answer, Upstream, UpstreamEvents } from "./upstream.ts";
import type { Witness } from "./witness.ts";

/** How long a server may take to start, in milliseconds: real ones take 8 s and more on their first run. */
const START_TIMEOUT = 60_000;

const METHOD_NOT_FOUND = -32601;

export type OpenedSession = { readonly kind: "opened"; readonly result: JsonObject } | { readonly kind: "failed"; readonly reason: string };

/**
 * Sends `initialize` with these params and `notifications/initialized` (2025-11-25, "Lifecycle"). The reason of a failure has the server's last
 * words, and what the witness of its events has seen.
 */
export async function openSession(
  upstream: Upstream,
  hello: JsonObject,
  options: { timeout?: number; witness?: Witness } = {},
): Promise<OpenedSession> {
  const answer = await upstream.request("initialize", hello, { timeout: options.timeout ?? START_TIMEOUT });
  if (answer.kind === "result" && isJsonObject(answer.result)) {
    upstream.notify("notifications/initialized");
    return { kind: "opened", result: answer.result };
  }
  return { kind: "failed", reason: await whyNot(upstream, answer, options.witness) };
}

async function whyNot(upstream: Upstream, answer: Answer, witness: Witness | undefined): Promise<string> {
  const ended = answer.kind === "ended" ? await witness?.howItEnded() : undefined;
  const what = answer.kind === "result" ? "its answer to initialize is no object" : (ended ?? describeFailure(answer));
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
