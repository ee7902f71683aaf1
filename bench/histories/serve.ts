// How do the worlds speak MCP? One HTTP server in this process, one address per world, so that proxy and undo reach them as they reach any
// server, while the judge sees all of it.
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json.ts";
import { TOOLS, toolOf } from "./tools.ts";
import type { Said, World } from "./world.ts";

/** The running server. */
export interface Worlds extends Disposable {
  /** Serves a world from now on and gives its address. */
  open(name: string, world: World): URL;
  /** Serves it no longer. */
  close(name: string): void;
}

const LISTED = Object.keys(TOOLS).map((name) => ({
  name,
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: toolOf(name).family === "read" },
}));

/** Starts the server on a free port of this machine. */
export function serveWorlds(): Worlds {
  const worlds = new Map<string, World>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const world = worlds.get(new URL(request.url).pathname.slice(1));
      if (world === undefined || request.method !== "POST") return new Response(null, { status: 405 });
      const message = (await request.json()) as Json; // whatever it is, it is JSON
      return isJsonObject(message) && message["id"] !== undefined ? answer(world, message) : new Response(null, { status: 202 });
    },
  });
  return {
    open(name, world) {
      worlds.set(name, world);
      return new URL(`http://127.0.0.1:${server.port}/${name}`);
    },
    close: (name) => void worlds.delete(name),
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function answer(world: World, message: JsonObject): Response {
  const { id, method, params } = message;
  const reply = (result: unknown) => Response.json({ jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize":
      return reply({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "histories", version: "1" } });
    case "tools/list":
      return reply({ tools: LISTED });
    case "tools/call": {
      const { name, arguments: args } = params as { name: string; arguments: JsonObject }; // only our own clients come here
      const said = world.call({ tool: name, args });
      return said.kind === "lost" ? new Response(null, { status: 502 }) : reply(resultOf(said));
    }
    default:
      return reply({});
  }
}

function resultOf(said: Exclude<Said, { kind: "lost" }>): JsonObject {
  if (said.kind === "error") return { isError: true, content: [{ type: "text", text: said.error }] };
  if (typeof said.result === "string") return { content: [{ type: "text", text: said.result }] };
  return { content: [{ type: "text", text: JSON.stringify(said.result) }], structuredContent: said.result };
}
