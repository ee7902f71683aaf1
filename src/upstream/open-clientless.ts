// How does a server come up that no client is behind: one that undo starts, or one that only rules use? Opened, and told the hello that is given;
// ended again where it doesn't take it.
import type { Json, JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { SynartesisError } from "../errors.ts";
import type { RequestMeta } from "../wire/era.ts";
import { clientlessEvents, openSession } from "./open-session.ts";
import { openUpstream, type UpstreamStart } from "./open-upstream.ts";
import type { Upstream } from "./upstream.ts";
import { Witness } from "./witness.ts";

/** Keeps the kinds of a start apart. */
export type WithoutListener<Start> = Start extends unknown ? Omit<Start, "events" | "log"> : never;

/** A server that has been told hello; `info` and `meta` as in openSession. */
export interface ClientlessServer {
  readonly upstream: Upstream;
  readonly info: Json;
  readonly meta: RequestMeta | undefined;
}

/** Opens a server. `hello` is what a client would say, `roots` what it is told where it asks. @throws SynartesisError server-unavailable */
export async function openClientless(
  start: WithoutListener<UpstreamStart> & { readonly log: Log },
  hello: JsonObject,
  roots: readonly Json[],
): Promise<ClientlessServer> {
  const witness = new Witness();
  const upstream = await openUpstream({ ...start, events: clientlessEvents(roots, witness) });
  const opened = await openSession(upstream, hello, { witness });
  if (opened.kind === "opened") return { upstream, info: opened.info, meta: opened.meta };
  await upstream.close();
  throw new SynartesisError("server-unavailable", `the server ${start.name} could not be started: ${opened.reason}`);
}
