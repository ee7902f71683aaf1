// How is a server spoken to when there is no client behind us (check, init, undo)? We say hello as the client did, in its era, and answer
// what the server asks. Never claims more than the hello that is given.
import type { Json, JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import { buildError, buildResult } from "../wire/build.ts";
import { legacyHello, metaOfHello, type RequestMeta, requestMeta, serverInfoOf } from "../wire/era.ts";
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
 * who it is by server/discover (2026-07-28). A server that refuses it is tried in the other era, since it may know no other. The reason
 * of a failure has the server's last words, and what the witness of its events has seen.
 */
export async function openSession(
  upstream: Upstream,
  hello: JsonObject,
  { timeout = START_TIMEOUT, witness }: { timeout?: number; witness?: Witness } = {},
): Promise<OpenedSession> {
  const meta = metaOfHello(hello);
  const modern = { method: "server/discover", params: { _meta: meta }, meta };
  const legacy = { method: "initialize", params: legacyHello(hello), meta: undefined };
  const [first, second] = requestMeta(hello) === undefined ? [legacy, modern] : [modern, legacy];
  const ask = ({ method, params }: typeof first) => upstream.request(method, params, { timeout });
  const answer = await ask(first);
  const other = answer.kind === "error" ? await ask(second) : undefined;
  const [asked, told] = other?.kind === "result" ? [second, other] : [first, answer];
  const session = await opened({ upstream, witness, ...asked }, told);
  if (session.kind === "opened" && asked === legacy) upstream.notify("notifications/initialized");
  return session;
}

interface Asked {
  readonly upstream: Upstream;
  readonly witness: Witness | undefined;
  readonly method: string;
  readonly meta: RequestMeta | undefined;
}

async function opened(asked: Asked, answer: Answer): Promise<OpenedSession> {
  if (answer.kind === "result" && isJsonObject(answer.result))
    return { kind: "opened", result: answer.result, info: serverInfoOf(answer.result), meta: asked.meta };
  return { kind: "failed", reason: await whyNot(asked, answer) };
}

async function whyNot({ upstream, witness, method }: Asked, answer: Answer): Promise<string> {
  const isProcess = upstream.pid !== null; // without one there is nobody who could have ended, or printed anything
  const ended = answer.kind === "ended" && isProcess ? await witness?.howItEnded() : undefined;
  const what = answer.kind === "result" ? `its answer to ${method} is no object` : (ended ?? describeFailure(answer));
  if (!isProcess) return what;
  const printed = witness?.whatItPrinted() ?? "";
  const words = upstream.lastWords().trim();
  if (words === "") return printed === "" ? `${what} (it printed nothing)` : `${what}${printed.trimEnd()}`;
  return printed.endsWith("\n") ? `${what}${printed}and on stderr last:\n${words}` : `${what}${printed}; it printed last:\n${words}`;
}

/** Gives what a session's client said, so that a server is told the same: tool lists and guards of real servers depend on it. Null: it said nothing. */
export function helloOf(clientHello: Json): JsonObject {
  if (isJsonObject(clientHello)) return clientHello;
  return { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "synartesis", version: "1" } };
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
