// How is a fixture reached by HTTP? At /mcp, on a free port of this machine that it prints as `listening on URL`, and under no foreign name.
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";

/** Serves until the process is ended. */
export function serveFixture(answer: (request: Request) => Promise<Response>): void {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) =>
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins()) ??
      (await answer(request)),
  });
  console.error(`listening on http://127.0.0.1:${server.port}/mcp`);
}

/** Whether this process was told to serve HTTP, rather than stdio. */
export const isHttp = process.argv.includes("--http");
