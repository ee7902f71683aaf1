// Who answers as GitHub does? A server on loopback, for one world. The real server takes no port for its host, so it is told of this one as the
// proxy for HTTP (`HTTP_PROXY`), with a host that is nowhere. Serves nothing else, and reaches nobody.
import { buildSchema, graphql } from "graphql";
import { type Answer, Refusal, type Route } from "./answer.ts";
import { gitRoutes } from "./git-routes.ts";
import { issueRoutes } from "./issue-routes.ts";
import { mutations } from "./mutations.ts";
import { otherRoutes, pullRoutes } from "./other-routes.ts";
import { queries } from "./queries.ts";
import { SCHEMA } from "./schema.ts";
import type { World } from "./world.ts";

/** A stand-in that runs. */
export interface StandIn {
  readonly world: World;
  /** What the real server's environment needs, to ask it. */
  readonly env: Readonly<Record<string, string>>;
  /** What was asked that it has no answer for. */
  readonly unknown: readonly string[];
  stop(): void;
}

/** Starts one. */
export function startStandIn(world: World): StandIn {
  const schema = buildSchema(SCHEMA);
  const below: readonly Route[] = [...issueRoutes(world), ...pullRoutes(world), ...gitRoutes(world)];
  const beside = otherRoutes(world);
  const unknown: string[] = [];
  const home = `repos/${world.owner}/${world.repo}/`;

  async function answer(request: Request): Promise<Answer> {
    const url = new URL(request.url);
    const text = await request.text();
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    if (url.pathname === "/api/graphql") {
      const rootValue = { ...queries(world), ...mutations(world) };
      const variableValues = body["variables"] as Record<string, unknown>;
      return { status: 200, json: await graphql({ schema, source: String(body["query"]), rootValue, variableValues }) };
    }
    const path = url.pathname.replace(/^\/api\/v3\//, "");
    const routes = path.startsWith(home) ? below : beside;
    const inside = path.startsWith(home) ? path.slice(home.length) : path;
    for (const [method, pattern, reply] of routes) {
      const match = method === request.method ? pattern.exec(inside) : null;
      if (match !== null) return reply({ parts: match.slice(1).map(decodeURIComponent), query: url.searchParams, body });
    }
    if (!url.hostname.startsWith("raw.")) unknown.push(`${request.method} ${url.pathname}`);
    return { status: 404, json: { message: "Not Found" } };
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      try {
        const { status, json } = await answer(request);
        return json === undefined ? new Response(null, { status }) : Response.json(json, { status });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return Response.json({ message: error.message, documentation_url: "https://docs.github.com/rest" }, { status: error.status });
      }
    },
  });
  const proxy = `http://127.0.0.1:${server.port}`;
  const env = { HTTP_PROXY: proxy, NO_PROXY: "", GITHUB_HOST: "http://github.test", GITHUB_PERSONAL_ACCESS_TOKEN: "github_pat_stand-in" };
  return { world, env, unknown, stop: () => void server.stop(true) };
}
