// How is a guarded server reached by URL? Over Streamable HTTP of either era, or the old HTTP+SSE; one session, as the client's messages ask
// for. Registers its door, as every Upstream does.
import type { Log } from "../../core/log.ts";
import { registerDoor } from "../door.ts";
import type { Upstream, UpstreamEvents } from "../upstream.ts";
import type { HttpPlace } from "./http-client.ts";
import { HttpServer } from "./http-server.ts";

/** Where a server is, and who listens to it. */
export interface HttpStart {
  readonly name: string;
  readonly place: HttpPlace;
  /** In bytes; 64 MiB by default. */
  readonly maxMessage?: number;
  /** How long a request of ours may take, in milliseconds; 30,000 by default. */
  readonly readTimeout?: number;
  readonly events: UpstreamEvents;
  readonly log: Log;
}

/** Makes the connection; nothing is sent before the first message. */
export function startHttpServer(start: HttpStart): Upstream {
  const server = new HttpServer(start);
  registerDoor(server, server.door);
  return server;
}
