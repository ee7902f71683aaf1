// How is the endpoint opened and closed? Listens, hands every request to the front, and at the end lets calls in flight settle before
// anything is cut off.
import { SynartesisError, systemCode } from "../../errors.ts";
import { ENDPOINT, isLoopback } from "./check-request.ts";
import { HttpFront } from "./front.ts";
import type { HttpParts } from "./http-parts.ts";

/** Serves until the signal. @throws SynartesisError usage where the port can't be had */
export async function serveHttp(parts: HttpParts): Promise<void> {
  const { log, signal } = parts;
  const front = new HttpFront(parts);
  const server = listen(parts, front);
  if (!isLoopback(parts.hostname))
    log.log("warn", "listening beyond this machine, without encryption: put a proxy with TLS in front of it", { host: parts.hostname });
  parts.onListening(`http://${parts.hostname.includes(":") ? `[${parts.hostname}]` : parts.hostname}:${server.port}${ENDPOINT}`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  void server.stop(); // accepts no more; what is under way goes on
  await front.stop();
  await server.stop(true);
}

function listen(parts: HttpParts, front: HttpFront): Bun.Server<undefined> {
  try {
    return Bun.serve({
      port: parts.port,
      hostname: parts.hostname,
      // A stream may be quiet for hours. Headers that don't come have a limit all the same (about 12 s), and bodies one of ours.
      idleTimeout: 0,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER, // the front counts for itself, and says so
      fetch: (request, server) => front.handle(request, server.requestIP(request)?.address ?? ""),
      error(cause) {
        parts.log.log("error", "a request could not be answered", { why: String(cause) });
        return new Response(null, { status: 500 });
      },
    });
  } catch (cause) {
    const code = systemCode(cause) ?? String(cause);
    throw new SynartesisError("usage", `can't listen on ${parts.hostname}, port ${parts.port} (${code})`, {
      hint: "another program may have the port, or the address isn't one of this machine: choose with --http PORT and --http-host HOST",
      cause,
    });
  }
}
