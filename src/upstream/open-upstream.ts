// How is a guarded server reached, as a child process or at a URL? Told by what it is started with.
import { type HttpStart, startHttpServer } from "./http/start-http.ts";
import { type ServerStart, startServer } from "./stdio.ts";
import type { Upstream } from "./upstream.ts";

/** How to start a server (`command`), or where it is (`place`), and who listens to it. */
export type UpstreamStart = ServerStart | HttpStart;

/** Opens the connection to a server. @throws server-unavailable where its command can't be run */
export async function openUpstream(start: UpstreamStart): Promise<Upstream> {
  return "place" in start ? startHttpServer(start) : startServer(start);
}
