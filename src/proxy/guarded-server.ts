// What does a proxy know of a server before it runs? How it is started or reached, and where it came from; or why it can't even be tried.
import type { SynartesisError } from "../errors.ts";
import type { WithoutListener } from "../upstream/open-clientless.ts";
import type { UpstreamStart } from "../upstream/open-upstream.ts";
import type { ServerSourceOf } from "./run-handle.ts";

/** A server to be started or reached, and where it came from. */
export interface GuardedServer extends ServerSourceOf {
  readonly start: WithoutListener<UpstreamStart>;
}

/** A server that can't even be tried from here, and why. Who finds that out has logged it. */
export interface MissingServer {
  readonly name: string;
  readonly missing: SynartesisError;
}

/** Tells whether a server can be tried. */
export function isGuarded(server: GuardedServer | MissingServer): server is GuardedServer {
  return !("missing" in server);
}
